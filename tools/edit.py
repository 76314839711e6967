"""Edit: one exact text in a file replaced by another."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from hames.system.encoding import Span, TextFile, UnencodableText, decode_file, lf
from hames.system.lock import file_locked
from hames.system.save import MISSING, FileStat, replace_file
from hames.system.text import clean
from hames.system.types import JsonObject
from hames.tools.base import Tool
from hames.tools.context import ToolContext
from hames.tools.known import after_change, full_knowledge, unread
from hames.tools.near_miss import explain_mismatch
from hames.tools.patch import edit_patch, structured_patch
from hames.tools.paths import absolute_path, lock_key, missing, real_for_writing
from hames.tools.result import ToolError, ToolResult
from hames.tools.saving import change_file, load, load_if_there, make_folder, original


class EditInput(BaseModel):
    """What to replace, and by what."""

    model_config = ConfigDict(extra="forbid")

    file_path: str = Field(description="Absolute path of the file")
    old_string: str = Field(description="Exact text to replace")
    new_string: str = Field(description="Text to put in its place")
    replace_all: bool = Field(default=False, description="Replace every occurrence")


class Edit(Tool[EditInput]):
    """Replaces text in a file; all bytes outside the replaced text stay as they are."""

    name = "Edit"
    input_model = EditInput

    async def run(self, args: EditInput, ctx: ToolContext) -> ToolResult:
        path = absolute_path(args.file_path, ctx.cwd)
        if args.old_string == args.new_string:
            raise ToolError("old_string and new_string are equal: there is nothing to change.")
        change = _edit if args.old_string else _fill
        return await change_file(path, change, path, args, ctx)

    def lock_key(self, args: EditInput) -> str | None:
        return lock_key(args.file_path)

    def summary(self, args: EditInput) -> str:
        return args.file_path


def _edit(path: Path, args: EditInput, ctx: ToolContext) -> ToolResult:
    real = real_for_writing(path, ctx)
    try:
        with file_locked(real):
            return _edit_locked(path, real, args, ctx)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolError(missing(path, ctx.cwd)) from error


def _edit_locked(path: Path, real: Path, args: EditInput, ctx: ToolContext) -> ToolResult:
    loaded = load(real)
    full = full_knowledge(path, real, loaded.info, ctx)
    file = decode_file(loaded.data)
    old, new = lf(args.old_string), clean(args.new_string)
    spans = _matches(path, file.text, old)
    mark = ctx.reads.get(real)
    stale = mark is not None and mark.full and not full
    count = len(spans) if args.replace_all else _occurrences(file.text, old)
    if count > 1 and stale:
        raise ToolError(unread(path, mark))
    if count > 1 and not args.replace_all:
        raise ToolError(
            f"old_string occurs {count} times in {path}. Add surrounding lines until it is "
            "unique, or set replace_all."
        )
    data = _spliced(path, file, spans, new)
    info = replace_file(real, data, expect=FileStat.of(loaded.info))
    text = _report(path, file.text, spans)
    if stale:
        text += " The file also holds other changes made since it was read."
    patch = edit_patch(file.text, spans, lf(new))
    return ToolResult(
        text, _structured(path, args, file.text, patch), (after_change(real, info, full=full),)
    )


def _matches(path: Path, text: str, old: str) -> list[Span]:
    spans: list[Span] = []
    at = text.find(old)
    while at >= 0:
        spans.append((at, at + len(old)))
        at = text.find(old, at + len(old))
    if not spans:
        raise ToolError(f"old_string does not occur in {path}.{explain_mismatch(text, old)}")
    return spans


def _occurrences(text: str, old: str) -> int:
    """How often the text occurs, overlaps counted: each is a place that may have been meant."""
    count = 0
    at = text.find(old)
    while at >= 0:
        count += 1
        at = text.find(old, at + 1)
    return count


def _spliced(path: Path, file: TextFile, spans: list[Span], new: str) -> bytes:
    try:
        return file.splice(spans, new)
    except UnencodableText as error:
        raise ToolError(f"{path} cannot take new_string: {error}.") from error


def _report(path: Path, text: str, spans: list[Span]) -> str:
    line = text.count("\n", 0, spans[0][0]) + 1
    if len(spans) == 1:
        return f"Edited {path} at line {line}."
    return f"Replaced {len(spans)} occurrences in {path}, the first at line {line}."


def _structured(
    path: Path, args: EditInput, before: str | None, patch: list[JsonObject]
) -> JsonObject:
    return {
        "filePath": str(path),
        "oldString": args.old_string,
        "newString": args.new_string,
        "originalFile": None if before is None else original(before),
        "structuredPatch": patch,
        "userModified": False,
        "replaceAll": args.replace_all,
    }


def _fill(path: Path, args: EditInput, ctx: ToolContext) -> ToolResult:
    """An empty old_string makes a new file or fills an empty one."""
    real = real_for_writing(path, ctx)
    loaded = load_if_there(real)
    if loaded is not None and loaded.data:
        raise ToolError(
            f"{path} exists and is not empty: give the text to replace in old_string, "
            "or use Write to replace the whole file."
        )
    make_folder(real.parent)
    expect = MISSING if loaded is None else FileStat.of(loaded.info)
    new = clean(args.new_string)
    info = replace_file(real, new.encode(), expect=expect)
    before = None if loaded is None else ""
    structured = _structured(path, args, before, structured_patch("", lf(new)))
    return ToolResult(f"Created {path}.", structured, (after_change(real, info, full=True),))
