"""Grep: contents of files searched with ripgrep or its stand-in."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from hames.system.text import visible
from hames.system.types import JsonObject
from hames.tools.base import Tool, ToolError, ToolResult
from hames.tools.context import ToolContext
from hames.tools.grep_results import Blocks, Counts, FileLines, Names, path_filter
from hames.tools.page import Page, page_of
from hames.tools.ripgrep import Search, run_search, search_place

_SECONDS = 30.0
_LINE_COLUMNS = 500
_HEAD_LIMIT = 250


class GrepInput(BaseModel):
    """The input of Grep."""

    model_config = ConfigDict(extra="forbid")

    pattern: str = Field(description="Regular expression in ripgrep's syntax")
    path: str | None = Field(
        default=None, description="File or directory to search (default: working directory)"
    )
    glob: str | None = Field(default=None, description="Only files that match, e.g. *.{ts,tsx}")
    type: str | None = Field(default=None, description="Only files of this type, e.g. py, rust")
    output_mode: Literal["content", "files_with_matches", "count"] = Field(
        default="files_with_matches",
        description="Matching lines, paths of matching files, or matching lines per file",
    )
    ignore_case: bool = Field(default=False, alias="-i", description="Ignore case")
    line_numbers: bool = Field(default=True, alias="-n", description="Line numbers (content)")
    only_matching: bool = Field(
        default=False, alias="-o", description="Only the matching parts (content)"
    )
    after: int | None = Field(
        default=None, alias="-A", ge=0, description="Lines after each match (content)"
    )
    before: int | None = Field(
        default=None, alias="-B", ge=0, description="Lines before each match (content)"
    )
    around: int | None = Field(
        default=None, alias="-C", ge=0, description="Lines around each match (content)"
    )
    context: int | None = Field(default=None, ge=0, description="The same as -C")
    head_limit: int = Field(
        default=_HEAD_LIMIT, ge=0, description="First N lines or entries (0: all)"
    )
    offset: int = Field(default=0, ge=0, description="Lines or entries to skip first")
    multiline: bool = Field(
        default=False, description="Patterns span lines and . matches line ends"
    )


class Grep(Tool[GrepInput]):
    """Searches file contents and pages through what it finds."""

    name = "Grep"
    input_model = GrepInput
    read_only = True

    def timeout(self, args: GrepInput) -> float | None:
        return None

    def summary(self, args: GrepInput) -> str:
        files = " ".join(name for name in (args.path, args.glob, args.type) if name)
        return f"{args.pattern} in {files}" if files else args.pattern

    async def run(self, args: GrepInput, ctx: ToolContext) -> ToolResult:
        for text in (args.pattern, args.glob or "", args.type or ""):
            if "\0" in text:
                raise ToolError("The pattern, glob or type holds a NUL byte.")
        folder, target = search_place(args.path, ctx.cwd)
        search = Search(folder, search_options(args), target)
        match args.output_mode:
            case "content":
                return await _content(args, search, ctx)
            case "count":
                return await _count(args, search, ctx)
            case "files_with_matches":
                return await _files(args, search, ctx)


def search_options(args: GrepInput) -> list[str]:
    """ripgrep's options for an input."""
    options = ["--no-require-git", f"--regexp={args.pattern}"]
    if args.glob:
        options.append(f"--glob={args.glob}")
    if args.type:
        options.append(f"--type={args.type}")
    if args.ignore_case:
        options.append("--ignore-case")
    if args.multiline:
        options += ["--multiline", "--multiline-dotall"]
    match args.output_mode:
        case "content":
            return options + _content_options(args)
        case "count":
            return [*options, "--count", "--with-filename"]
        case "files_with_matches":
            return [*options, "--files-with-matches"]


def _content_options(args: GrepInput) -> list[str]:
    options = ["--heading", "--with-filename", "--line-number"]
    options += [f"--max-columns={_LINE_COLUMNS}", "--max-columns-preview"]
    if args.only_matching:
        return [*options, "--only-matching"]
    around = args.around if args.around is not None else args.context
    for name, lines in (("before", args.before), ("after", args.after)):
        wanted = lines if lines is not None else around
        if wanted:
            options.append(f"--{name}-context={wanted}")
    return options


async def _search(search: Search, into: Names | Blocks, ctx: ToolContext) -> bool:
    """Fill `into`; whether that is everything."""
    enough = asyncio.Event()

    def sink(data: bytes) -> None:
        into.feed(data)
        if into.full:
            enough.set()

    return await run_search(search, sink, env=ctx.env, timeout=_SECONDS, enough=enough)


async def _files(args: GrepInput, search: Search, ctx: ToolContext) -> ToolResult:
    names = Names(path_filter(search.folder, ctx.ports.denied))
    complete = await _search(search, names, ctx)
    found = await asyncio.to_thread(names.found)
    page = page_of(found, args.offset, args.head_limit)
    shown = list(map(_names(search.folder, ctx.cwd), page.items))
    structured: JsonObject = {
        "mode": args.output_mode,
        "numFiles": len(shown),
        "filenames": shown,
        **({"totalFiles": len(found)} if complete else {}),
        **page.applied(),
    }
    if not found:
        return ToolResult(_none("No files found", complete), structured)
    lines = [f"Found {_plural(len(found), 'file')}", *shown] if shown else []
    return ToolResult(_text(lines, page, complete), structured)


async def _count(args: GrepInput, search: Search, ctx: ToolContext) -> ToolResult:
    counts = Counts(path_filter(search.folder, ctx.ports.denied))
    complete = await _search(search, counts, ctx)
    found = await asyncio.to_thread(counts.counted)
    page = page_of(found, args.offset, args.head_limit)
    as_text = _names(search.folder, ctx.cwd)
    shown = [(as_text(name), count) for name, count in page.items]
    lines = [f"{name}:{count}" for name, count in shown]
    total = sum(count for _, count in found)
    structured: JsonObject = {
        "mode": args.output_mode,
        "numFiles": len(found),
        "filenames": [name for name, _ in shown],
        "content": "\n".join(lines),
        "numMatches": total,
        **page.applied(),
    }
    if not found:
        return ToolResult(_none("No matches found", complete), structured)
    if lines:
        lines.append(f"{_plural(total, 'matching line')} in {_plural(len(found), 'file')}")
    return ToolResult(_text(lines, page, complete), structured)


async def _content(args: GrepInput, search: Search, ctx: ToolContext) -> ToolResult:
    need = args.offset + args.head_limit if args.head_limit else None
    blocks = Blocks(path_filter(search.folder, ctx.ports.denied), need)
    complete = await _search(search, blocks, ctx)
    rows = await asyncio.to_thread(_rows, blocks.found(), args, search.folder, ctx.cwd)
    page = page_of(rows, args.offset, args.head_limit, total=blocks.total)
    lines = [line for _, line in page.items]
    names = list(dict.fromkeys(name for name, _ in page.items))
    structured: JsonObject = {
        "mode": args.output_mode,
        "numFiles": len(names),
        "filenames": names,
        "content": "\n".join(lines),
        "numLines": len(lines),
        **({"totalLines": blocks.total} if complete else {}),
        **page.applied(),
    }
    if not rows:
        return ToolResult(_none("No matches found", complete), structured)
    return ToolResult(_text(lines, page, complete), structured)


def _rows(
    found: list[FileLines], args: GrepInput, folder: Path, cwd: Path
) -> list[tuple[str, str]]:
    """File and shown line of everything that can be on the page."""
    need = args.offset + args.head_limit if args.head_limit else None
    rows: list[tuple[str, str]] = []
    as_text = _names(folder, cwd)
    for block in found:
        name = as_text(block.path)
        left = None if need is None else need - len(rows)
        rows += [(name, line) for line in content_lines(block, name, args.line_numbers, left)]
    return rows


def content_lines(block: FileLines, name: str, numbered: bool, most: int | None) -> list[str]:
    """The first lines of one file as they are shown: `name:12:text`, context with `-`."""
    body = block.body
    if most is not None:
        body = b"\n".join(body.split(b"\n", most)[:most])
    shown: list[str] = []
    for raw in visible(body.decode("utf-8", "replace")).split("\n"):
        line = raw.removesuffix("\\r")
        number, mark, text = _parts(line)
        if not mark:
            shown.append(line if line == "--" else f"{name}: {line}")
        elif numbered:
            shown.append(f"{name}{mark}{number}{mark}{text}")
        else:
            shown.append(f"{name}{mark}{text}")
    return shown


def _parts(line: str) -> tuple[str, str, str]:
    """Number, `:` or `-`, and text; empty strings for a line that is none."""
    digits = len(line) - len(line.lstrip("0123456789"))
    if not digits or line[digits : digits + 1] not in (":", "-"):
        return "", "", ""
    return line[:digits], line[digits], line[digits + 1 :]


def _names(folder: Path, cwd: Path) -> Callable[[bytes], str]:
    """How found paths are shown: relative to the working directory when they lie below it."""
    base = str(folder.relative_to(cwd) if folder.is_relative_to(cwd) else folder)
    prefix = "" if base == "." else base.rstrip("/") + "/"

    def shown(name: bytes) -> str:
        return visible(prefix + name.removeprefix(b"./").decode("utf-8", "replace"))

    return shown


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _none(text: str, complete: bool) -> str:
    return text if complete else f"{text} before the search was ended: narrow path or glob."


def _text(lines: list[str], page: Page[object], complete: bool) -> str:
    if not lines:
        return "No entries at this offset"
    notes = [page.note()] if page.note() else []
    if not complete:
        notes.append("[The search was ended early, so there may be more: narrow path or glob.]")
    return "\n".join([*lines, *notes])
