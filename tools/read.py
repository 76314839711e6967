"""Read: the content of a file, as numbered lines or as what else the model can look at."""

import asyncio
import os
import sys
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from hames.system.files import NotRegularFile, open_real
from hames.tools.base import Tool
from hames.tools.context import ToolContext
from hames.tools.known import after_read, is_current
from hames.tools.media import NOTEBOOK, Wanted, media_type, show_media, size_limit
from hames.tools.paths import absolute_path, missing, problem, real_path
from hames.tools.read_mark import ReadMark
from hames.tools.result import ToolError, ToolResult
from hames.tools.text_window import BinaryFile, Window, read_window

DEFAULT_LINES = 2000
DEFAULT_TOKENS = 25_000
CHARS_PER_TOKEN = 3.5

_UNSIZED = 64 << 20
"""Bytes read of a file that states no size, as those in /proc do."""


class ReadInput(BaseModel):
    """Which file, and which part of it."""

    model_config = ConfigDict(extra="forbid")

    file_path: str = Field(description="Absolute path of the file")
    offset: int | None = Field(default=None, ge=0, description="First line to read, from 1")
    limit: int | None = Field(default=None, ge=1, description="Number of lines to read")
    pages: str | None = Field(
        default=None, description='Pages of a PDF, such as "1-5" or "3"; at most 20 per call'
    )


class Read(Tool[ReadInput]):
    """Reads text, images, PDF files and notebooks."""

    name = "Read"
    input_model = ReadInput
    read_only = True
    max_result_chars = sys.maxsize  # bounded by its own token cap

    async def run(self, args: ReadInput, ctx: ToolContext) -> ToolResult:
        path = absolute_path(args.file_path, ctx.cwd)
        try:
            return await asyncio.to_thread(_read, path, args, ctx)
        except FileNotFoundError as error:
            raise ToolError(missing(path, ctx.cwd)) from error
        except NotRegularFile as error:
            hint = " List it with `ls` in Bash." if error.kind == "directory" else ""
            raise ToolError(f"{path} is a {error.kind}, not a file.{hint}") from error
        except OSError as error:
            raise ToolError(problem(path, error)) from error

    def summary(self, args: ReadInput) -> str:
        return args.file_path


def _read(path: Path, args: ReadInput, ctx: ToolContext) -> ToolResult:
    real = real_path(path, ctx)
    info = real.stat()
    known = ctx.reads.get(real)
    if known and _repeats(known, args) and is_current(known, info):
        return _unchanged(path, known)
    return _read_media(path, real, args, ctx) or _read_text(path, real, args, ctx)


def _repeats(known: ReadMark, args: ReadInput) -> bool:
    same = (known.offset, known.limit) == (args.offset, args.limit) and args.pages is None
    return same and (known.full or _paged(args))


def _unchanged(path: Path, known: ReadMark) -> ToolResult:
    structured = {"type": "file_unchanged", "file": {"filePath": str(path)}}
    if known.seeded:
        structured["source"] = "seeded"
    text = f"{path} has not changed since it was read; what was shown then still holds."
    return ToolResult(text, structured)


def _read_media(path: Path, real: Path, args: ReadInput, ctx: ToolContext) -> ToolResult | None:
    """The result for an image, PDF file or notebook; None for a file to be read as text."""
    with open_real(real) as file:
        info = os.fstat(file.fileno())
        kind = media_type(path, file.read(64))
        if kind is None or (kind == NOTEBOOK and _paged(args)):
            return None
        limit = size_limit(kind)
        if info.st_size > limit:
            raise ToolError(f"{path} is larger than {limit >> 20} MB; it is not opened.")
        file.seek(0)
        data = file.read(limit)
    wanted = Wanted(args.pages, int(_token_cap(ctx) * CHARS_PER_TOKEN), ctx.spill)
    shown = show_media(path, kind, data, wanted)
    if shown is None:
        return None
    mark = ReadMark(real, info.st_mtime_ns, info.st_size, shown.full, args.offset, args.limit)
    return ToolResult(shown.content, shown.structured, (after_read(ctx.reads.get(real), mark),))


def _paged(args: ReadInput) -> bool:
    return args.offset is not None or args.limit is not None


def _read_text(path: Path, real: Path, args: ReadInput, ctx: ToolContext) -> ToolResult:
    tokens = _token_cap(ctx)
    with open_real(real) as file:
        info = os.fstat(file.fileno())
        try:
            window = read_window(
                file,
                info.st_size or _UNSIZED,
                max(args.offset or 1, 1),
                args.limit or DEFAULT_LINES,
                int(tokens * CHARS_PER_TOKEN),
            )
        except BinaryFile:
            raise ToolError(
                f"{path} is a binary file. Look at it with a fitting program in Bash."
            ) from None
    if window.capped and _paged(args):
        raise ToolError(
            f"These lines of {path} exceed {tokens} tokens. Ask for fewer with `limit`, "
            "or search with Grep."
        )
    full = window.start == 1 and window.end == window.total
    mark = ReadMark(real, info.st_mtime_ns, info.st_size, full, args.offset, args.limit)
    return ToolResult(
        _shown(path, window), _structured(path, window), (after_read(ctx.reads.get(real), mark),)
    )


def _token_cap(ctx: ToolContext) -> int:
    given = ctx.env.get("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "")
    return int(given) if given.isdecimal() and int(given) > 0 else DEFAULT_TOKENS


def _shown(path: Path, window: Window) -> str:
    if window.total == 0:
        return f"Notice: {path} exists but is empty."
    if not window.lines:
        return f"Notice: {path} has {window.total} lines; there is no line {window.start}."
    numbered = "\n".join(f"{n}\t{line}" for n, line in enumerate(window.lines, window.start))
    notices: list[str] = []
    if window.capped or window.end < window.total:
        more = "" if window.total_exact else "more than "
        kind = "PARTIAL view" if window.capped else "Notice"
        notices.append(
            f"{kind}: lines {window.start}-{window.end} of {more}{window.total}. "
            f"Go on with offset={window.end + 1}."
        )
    if window.cut_lines:
        notices.append(f"Notice: lines cut because of their length: {window.cut_lines}.")
    return "\n\n".join((numbered, *notices))


def _structured(path: Path, window: Window) -> dict[str, object]:
    content = "\n".join(window.lines)
    if window.lines and (window.end < window.total or not window.ends_open):
        content += "\n"
    file: dict[str, object] = {
        "filePath": str(path),
        "content": content,
        "numLines": len(window.lines),
        "startLine": window.start,
        "totalLines": window.total,
    }
    if window.capped:
        file["truncatedByTokenCap"] = True
    return {"type": "text", "file": file}
