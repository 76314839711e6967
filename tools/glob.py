"""Glob: files by the form of their path, newest first."""

import asyncio
import os
import time
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from hames.system.text import visible
from hames.system.types import JsonObject
from hames.tools.base import Tool, ToolError, ToolResult
from hames.tools.context import ToolContext
from hames.tools.grep_results import Names, display_path, path_filter
from hames.tools.ripgrep import Search, run_search, search_place

MOST_FILES = 100
_SECONDS = 20.0
_MAGIC = frozenset("*?[{")


class GlobInput(BaseModel):
    """The input of Glob."""

    model_config = ConfigDict(extra="forbid")

    pattern: str = Field(description="Glob such as **/*.py or src/**/*.{ts,tsx}", min_length=1)
    path: str | None = Field(
        default=None, description="Directory to look in (default: working directory)"
    )


class Glob(Tool[GlobInput]):
    """Finds files by glob."""

    name = "Glob"
    input_model = GlobInput
    read_only = True

    def timeout(self, args: GlobInput) -> float | None:
        return None

    def summary(self, args: GlobInput) -> str:
        return f"{args.pattern} in {args.path}" if args.path else args.pattern

    async def run(self, args: GlobInput, ctx: ToolContext) -> ToolResult:
        if "\0" in args.pattern:
            raise ToolError("The pattern holds a NUL byte.")
        begun = time.monotonic()
        folder, pattern = _anchor(args.pattern, args.path, ctx.cwd)
        names = Names(path_filter(folder, ctx.ports.denied))
        complete = await _search(folder, pattern, names, ctx) if folder.is_dir() else True
        paths = await asyncio.to_thread(_newest_first, names.found(), folder)
        shown = [_text(path) for path in paths[:MOST_FILES]]
        truncated = len(paths) > len(shown) or not complete
        structured: JsonObject = {
            "durationMs": round((time.monotonic() - begun) * 1000),
            "numFiles": len(shown),
            "filenames": shown,
            "truncated": truncated,
            "totalMatches": len(paths),
            "countIsComplete": complete,
        }
        return ToolResult(_content(shown, len(paths), complete), structured)


def _anchor(pattern: str, path: str | None, cwd: Path) -> tuple[Path, str]:
    """The folder to look in and the rest of the pattern: leading plain names are walked into."""
    folder, target = search_place(path, cwd)
    if target != "./":
        raise ToolError(f"{folder / target} is a file: Glob looks in directories.")
    if pattern.startswith("/"):
        folder = Path("/")
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    while len(parts) > 1 and not _MAGIC & set(parts[0]) and "\\" not in parts[0]:
        folder = folder / parts.pop(0)
    if ".." in parts:
        raise ToolError("`..` stands only at the start of a pattern; give a path instead.")
    if not parts:
        raise ToolError(f"The pattern {pattern!r} names no file.")
    return folder, "/".join(parts)


async def _search(folder: Path, pattern: str, names: Names, ctx: ToolContext) -> bool:
    enough = asyncio.Event()

    def sink(data: bytes) -> None:
        names.feed(data)
        if names.full:
            enough.set()

    options = ["--files", f"--glob=/{pattern}"]
    if ctx.env.get("CLAUDE_CODE_GLOB_NO_IGNORE", "").lower() in ("false", "0"):
        options.append("--no-require-git")
    else:
        options.append("--no-ignore")
    if ctx.env.get("CLAUDE_CODE_GLOB_HIDDEN", "").lower() in ("false", "0"):
        options.append("--no-hidden")
    search = Search(folder, options)
    seconds = _timeout(ctx.env)
    return await run_search(search, sink, env=ctx.env, timeout=seconds, enough=enough)


def _timeout(env: Mapping[str, str]) -> float:
    try:
        seconds = float(env.get("CLAUDE_CODE_GLOB_TIMEOUT_SECONDS", ""))
    except ValueError:
        return _SECONDS
    return seconds if 0 < seconds < float("inf") else _SECONDS


def _newest_first(names: list[bytes], folder: Path) -> list[Path]:
    aged = sorted((-_changed(path), path) for path in (folder / display_path(n) for n in names))
    return [path for _, path in aged]


def _changed(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0


def _text(path: Path) -> str:
    return visible(os.fsencode(path).decode("utf-8", "replace"))


def _content(shown: list[str], total: int, complete: bool) -> str:
    lines = shown or ["No files found"]
    if not complete:
        note = f"[Ended early: the newest {len(shown)} of the files seen. Narrow the search.]"
    elif total > len(shown):
        note = f"[The newest {len(shown)} of {total} files. Narrow the pattern or path for others.]"
    else:
        return "\n".join(lines)
    return "\n".join([*lines, note])
