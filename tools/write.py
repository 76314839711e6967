"""Write: a file created or replaced as a whole."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from hames.system.encoding import TextFile, UnencodableText, decode_file, lf
from hames.system.save import MISSING, FileStat, replace_file
from hames.system.text import clean
from hames.system.types import JsonObject
from hames.tools.base import Tool
from hames.tools.context import ToolContext
from hames.tools.known import after_change, full_knowledge, unread
from hames.tools.patch import structured_patch
from hames.tools.paths import absolute_path, lock_key, real_for_writing
from hames.tools.result import ToolError, ToolResult
from hames.tools.saving import Loaded, change_file, load_if_there, make_folder, original


class WriteInput(BaseModel):
    """Where to write, and what."""

    model_config = ConfigDict(extra="forbid")

    file_path: str = Field(description="Absolute path of the file")
    content: str = Field(description="The whole new content")


class Write(Tool[WriteInput]):
    """Creates a file, or replaces one that the model knows."""

    name = "Write"
    input_model = WriteInput

    async def run(self, args: WriteInput, ctx: ToolContext) -> ToolResult:
        path = absolute_path(args.file_path, ctx.cwd)
        return await change_file(path, _write, path, args.content, ctx)

    def lock_key(self, args: WriteInput) -> str | None:
        return lock_key(args.file_path)

    def summary(self, args: WriteInput) -> str:
        return args.file_path


def _write(path: Path, content: str, ctx: ToolContext) -> ToolResult:
    real = real_for_writing(path, ctx)
    loaded = load_if_there(real)
    if loaded is None:
        make_folder(real.parent)
        info = replace_file(real, clean(content).encode(), expect=MISSING)
        structured = _structured(path, content, None)
        text = f"Created {path} ({_count(content)})."
    else:
        _check_known(path, real, loaded, ctx)
        before = decode_file(loaded.data)
        info = replace_file(real, _encoded(before, content), expect=FileStat.of(loaded.info))
        structured = _structured(path, content, before.text)
        text = f"Replaced {path} ({_count(content)})."
        if before.newline == "\r\n" and "\r\n" not in content:
            text += " Its CRLF line ends were kept."
    return ToolResult(text, structured, (after_change(real, info, full=True),))


def _check_known(path: Path, real: Path, loaded: Loaded, ctx: ToolContext) -> None:
    """A file that was seen in part, or has changed since, must be read before it is replaced."""
    mark = ctx.reads.get(real)
    if not full_knowledge(path, real, loaded.info, ctx) and mark is not None:
        raise ToolError(unread(path, mark))


def _encoded(before: TextFile, content: str) -> bytes:
    """The content in encoding and line ends of the old file; UTF-8 where that cannot hold it."""
    try:
        return before.encode(clean(content))
    except UnencodableText:
        return clean(content).encode()


def _structured(path: Path, content: str, before: str | None) -> JsonObject:
    return {
        "type": "create" if before is None else "update",
        "filePath": str(path),
        "content": content,
        "structuredPatch": [] if before is None else structured_patch(before, lf(content)),
        "originalFile": None if before is None else original(before),
        "userModified": False,
    }


def _count(content: str) -> str:
    lines = content.count("\n") + (not content.endswith("\n") and content != "")
    return "1 line" if lines == 1 else f"{lines} lines"
