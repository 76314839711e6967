"""What a finished command leaves behind: another directory, files read, files changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hames.system.types import JsonObject
from hames.tools.bash_reads import changed, file_read_by, mark_of
from hames.tools.bash_result import Ending, Shown
from hames.tools.context import ToolContext
from hames.tools.effects import Effect, ReadState, SetCwd
from hames.tools.known import change_of
from hames.tools.read_mark import ReadMark

_MOST_NAMES = 10


class Aftermath(NamedTuple):
    """Effects on the session, lines for the model, and members of the output object."""

    effects: tuple[Effect, ...]
    notices: tuple[str, ...]
    hints: JsonObject


def aftermath(
    command: str,
    ending: Ending,
    shown: Shown,
    known: list[ReadMark],
    last_cwd: Path | None,
    *,
    ctx: ToolContext,
) -> Aftermath:
    """`known` are the marks that were current before; `last_cwd` is where the shell ended."""
    effects: list[Effect] = []
    notices: list[str] = []
    hints: JsonObject = {}
    stale = changed(known)
    if stale:
        hints["staleReadFileStateHint"] = _stale_text(stale)
        notices.append(hints["staleReadFileStateHint"])
        effects += [told for path in stale if (told := change_of(path)) is not None]
    if not ending.failed and shown.path is None:
        effects += _reads(command, ctx)
    moved = _moved(last_cwd, ctx)
    if moved is not None:
        if moved == ctx.root and last_cwd != ctx.root.resolve():
            notices.append(f"Shell cwd was reset to {ctx.root}")
        if moved != ctx.cwd:
            effects.append(SetCwd(moved))
    return Aftermath(tuple(effects), tuple(notices), hints)


def _moved(last_cwd: Path | None, ctx: ToolContext) -> Path | None:
    """Where the session goes on; the primary directory when the shell left all of them."""
    if last_cwd is None or last_cwd == ctx.cwd.resolve():
        return None
    if ctx.env.get("CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR") == "1":
        return None
    if last_cwd == ctx.root.resolve():
        return ctx.root
    if last_cwd.is_dir() and _inside(last_cwd, ctx.directories):
        return last_cwd
    return ctx.root


def _inside(path: Path, directories: Sequence[Path]) -> bool:
    return any(path.is_relative_to(directory.resolve()) for directory in directories)


def _reads(command: str, ctx: ToolContext) -> list[Effect]:
    read = file_read_by(command, ctx.cwd)
    mark = None if read is None else mark_of(read.path, whole=read.whole)
    if mark is None:
        return []
    before = ctx.reads.get(mark.path)
    if before is not None and (before.full or not mark.full):
        same = (before.mtime_ns, before.size) == (mark.mtime_ns, mark.size)
        return [] if same else [ReadState(mark)]
    return [ReadState(mark)]


def _stale_text(paths: list[Path]) -> str:
    names = ", ".join(str(path) for path in paths[:_MOST_NAMES])
    more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
    return f"Changed since you read them: {names}{more}. Read again before you edit."
