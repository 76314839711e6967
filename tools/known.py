"""What the model knows of a file, and whether that is enough to change it."""

import os
from pathlib import Path

from hames.tools.context import ToolContext
from hames.tools.effects import ReadState, Told
from hames.tools.read_mark import ReadMark
from hames.tools.result import ToolError


def is_current(mark: ReadMark, info: os.stat_result) -> bool:
    """Whether the file is still as it was when the mark was made."""
    return (mark.mtime_ns, mark.size) == (info.st_mtime_ns, info.st_size)


def change_of(path: Path) -> Told | None:
    """What the model knows once it was told that the file changed; None when it is gone."""
    try:
        return Told(f"file:{path}", str(path.stat().st_mtime_ns))
    except OSError:
        return None


def after_read(known: ReadMark | None, now: ReadMark) -> ReadState:
    """The mark after a read: a page of a file that is known in full does not make it less known."""
    if known and known.full and (known.mtime_ns, known.size) == (now.mtime_ns, now.size):
        return ReadState(known)
    return ReadState(now)


def after_change(real: Path, info: os.stat_result, *, full: bool) -> ReadState:
    """The mark after hames itself wrote the file."""
    return ReadState(ReadMark(real, info.st_mtime_ns, info.st_size, full=full))


def full_knowledge(path: Path, real: Path, info: os.stat_result, ctx: ToolContext) -> bool:
    """Whether the model has seen all of the file as it is now.

    If not, the call may go on only where a read would need no prompt: ToolError otherwise.
    Notebooks must have been read in any case.
    """
    mark = ctx.reads.get(real)
    if mark and mark.full and is_current(mark, info):
        return True
    if path.suffix == ".ipynb" or not ctx.ports.may_read(path):
        raise ToolError(unread(path, mark))
    return False


def unread(path: Path, mark: ReadMark | None) -> str:
    """Asks for a read, saying why the earlier one is not enough."""
    if mark is None:
        return f"{path} has not been read in this conversation. Read it first."
    if not mark.full:
        return f"Only a part of {path} has been read. Read all of it first."
    return f"{path} has changed since it was read. Read it again first."
