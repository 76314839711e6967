"""Commands that read whole folders: whether a denied file lies below, looked up on disk."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from hames.settings.permissions.bash_script import Part

MAX_ENTRIES = 3000
"""Files and folders that are looked at for one command; of a larger tree only the nearest."""

TOO_MANY = ""
"""Instead of a path: the tree is too large to tell."""


def denied_below(parts: Iterable[Part], denied: Callable[[str], bool]) -> str | None:
    """The first denied file that a part reads along with its folder; TOO_MANY, or None."""
    for part in parts:
        for touch in part.touches:
            if touch.file.deep:
                for subject in touch.subjects:
                    found = _search(subject.real or subject.value, touch.file.deep, denied)
                    if found is not None:
                        return found
    return None


def _search(
    folder: str, deep: Literal["all", "visible"], denied: Callable[[str], bool]
) -> str | None:
    for count, path in enumerate(_walk(folder, deep)):
        if count >= MAX_ENTRIES:
            return TOO_MANY
        if denied(path):
            return path
    return None


def _walk(folder: str, deep: Literal["all", "visible"]) -> Iterator[str]:
    """Everything below a folder, the nearest first; links are not followed."""
    level = [folder]
    while level:
        below: list[str] = []
        for current in level:
            for entry in _entries(current):
                if deep == "visible" and entry.name.startswith("."):
                    continue
                yield entry.path
                if entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
        level = below


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (OSError, ValueError):
        return []
