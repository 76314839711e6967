"""Paths of tool inputs made absolute, and the ones that no file tool touches."""

import os
import re
import unicodedata
from pathlib import Path

from hames.tools.context import ToolContext
from hames.tools.result import ToolError

_WINDOWS = re.compile(r"^([A-Za-z]:[\\/]|\\\\)")
_SECRET = re.compile(r"^/proc/(.+/)?(environ|mem|kcore|fd(/.*)?|map_files(/.*)?)$|^/dev/fd(/|$)")
_STREAMS = ("/dev/stdin", "/dev/stdout", "/dev/stderr")


def absolute_path(text: str, cwd: Path) -> Path:
    """The path a tool input names, as the permission check reads it: `~` is the home folder,
    `..` goes up from where links lead to.

    Raises ToolError for what cannot be a path on this machine.
    """
    if not text.strip():
        raise ToolError("The path is empty.")
    if "\0" in text:
        raise ToolError("The path holds a NUL character.")
    if _WINDOWS.match(text):
        raise ToolError(f"{text} is a Windows path; give the path as this machine spells it.")
    path = cwd / _at_home(text)
    if ".." in path.parts:
        path = Path(os.path.realpath(path.parent)) / path.name
    return Path(os.path.normpath(path)) if path.name != ".." else Path(os.path.realpath(path))


def _at_home(text: str) -> str:
    """`~` and `~/x` expanded; names of other users are not, as permission rules know none."""
    home = os.path.expanduser("~")  # noqa: PTH111 - never raises
    return home + text[1:] if text == "~" or text.startswith("~/") else text


def real_path(path: Path, ctx: ToolContext) -> Path:
    """Where the path ends up after all links.

    Raises ToolError for memory and descriptor files, and where a deny rule covers the end: links
    may have changed since the call was judged.
    """
    try:
        real = Path(os.path.realpath(path))
    except OSError as error:
        raise ToolError(problem(path, error)) from error
    for spelling in (str(path), str(real)):
        if _SECRET.match(spelling) or spelling in _STREAMS:
            raise ToolError(f"{path} exposes a process (memory, environment, open files): refused.")
    if ctx.ports.denied(real):
        raise ToolError(f"{path} is covered by a Read deny rule: it is neither read nor changed.")
    return real


def real_for_writing(path: Path, ctx: ToolContext) -> Path:
    """As `real_path`, for a file to be written; a path that is itself a link is refused."""
    if path.is_symlink():
        target = os.path.realpath(path)
        raise ToolError(f"{path} is a link to {target}. Give the path of the file itself.")
    return real_path(path, ctx)


def lock_key(text: str) -> str | None:
    """The exclusion key of a file that a call writes; None when it is no path."""
    if not text or "\0" in text:
        return None
    return f"file:{os.path.realpath(_at_home(text))}"


def problem(path: Path, error: OSError) -> str:
    """What went wrong with a file, for the model."""
    reason = error.strerror or str(error)
    return f"{path}: {reason[:1].lower()}{reason[1:]}"


def missing(path: Path, cwd: Path) -> str:
    """Says that a file does not exist, with the nearest name in its folder if there is one."""
    text = f"File does not exist: {path} (the working directory is {cwd})."
    similar = _similar(path)
    return f"{text} Did you mean {similar}?" if similar else text


def _similar(path: Path) -> Path | None:
    """A sibling whose name differs only in letter case, Unicode form or suffix."""
    same_stem: Path | None = None
    try:
        with os.scandir(path.parent) as entries:
            for number, entry in enumerate(entries):
                sibling = path.parent / entry.name
                if number >= 10_000:
                    break
                if _folded(sibling.name) == _folded(path.name):
                    return sibling
                if same_stem is None and sibling.stem == path.stem:
                    same_stem = sibling
    except OSError:
        return None
    return same_stem


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
