"""What a command did to the model's knowledge of files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hames.tools.read_mark import ReadMark
from hames.tools.simple_commands import simple_commands

_WHOLE = frozenset(("cat", "nl", "bat", "batcat"))
_PART = frozenset(("head", "tail", "sed", "grep", "egrep", "fgrep", "rg"))
_PATTERN_FIRST = frozenset(("grep", "egrep", "fgrep", "rg", "sed"))
_META = re.compile(r"[|&;<>()$`{}*?\[\\~\n]")
_PAGE = re.compile(r"\d+(,\d+)?p")
_MOST_MARKS = 500


class ReadByCommand(NamedTuple):
    """The one file that a plain reading command shows; `whole` when it shows all of it."""

    path: Path
    whole: bool


def file_read_by(command: str, cwd: Path) -> ReadByCommand | None:
    """The file of `cat f`, `sed -n '1,9p' f`, `grep x f` and the like, without pipe or redirect."""
    parts = simple_commands(command)
    if parts is None or len(parts) != 1:
        return None
    name, *rest = parts[0].words
    operands = [word for word in rest if not word.startswith("-")]
    if name in _PATTERN_FIRST and operands:
        script = operands.pop(0)
        if name == "sed" and ("-n" not in rest or not _PAGE.fullmatch(script)):
            return None
    elif _META.search(command):
        return None
    if len(operands) > 1 and name in ("head", "tail") and operands[0].isdigit():
        operands.pop(0)
    if name not in _WHOLE | _PART or len(operands) != 1 or _redirects(command):
        return None
    return ReadByCommand(cwd / operands[0], name in _WHOLE and len(rest) == 1)


def _redirects(command: str) -> bool:
    outside = re.sub(r"'[^']*'|\"[^\"$`]*\"", "", command)
    return _META.search(outside) is not None


def mark_of(path: Path, *, whole: bool) -> ReadMark | None:
    """The mark of a regular file as it is now."""
    try:
        real = path.resolve(strict=True)
        found = real.stat()
    except (OSError, RuntimeError):
        return None
    if not real.is_file():
        return None
    return ReadMark(real, found.st_mtime_ns, found.st_size, whole)


def unchanged(reads: Mapping[Path, ReadMark]) -> list[ReadMark]:
    """The marks whose files are as the model knows them (the newest 500 are looked at)."""
    newest = list(reads.values())[-_MOST_MARKS:]
    return [mark for mark in newest if _is_current(mark)]


def changed(marks: list[ReadMark]) -> list[Path]:
    """The files of `marks` that exist and are no longer as known."""
    return [mark.path for mark in marks if mark.path.exists() and not _is_current(mark)]


def _is_current(mark: ReadMark) -> bool:
    try:
        found = mark.path.stat()
    except OSError:
        return False
    return (found.st_mtime_ns, found.st_size) == (mark.mtime_ns, mark.size)
