"""What a tool call touches. Paths are resolved here, once; everything after is pure."""

import errno
import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hames.settings.permissions.names import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS

SubjectKind = Literal["path", "command", "url", "name"]
Access = Literal["read", "write", "run", "use"]

_BRACED_ROOT = re.compile(r"[{,][/~]")
_MISSING = {errno.ENOENT, errno.ENOTDIR}


class Subject(NamedTuple):
    """One thing a call touches.

    For a path `value` is absolute and free of `.` and `..`; `real` is where it really lies,
    a file that does not exist yet included, or None when that cannot be told (a link loop).
    """

    kind: SubjectKind
    value: str
    access: Access
    real: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The path as named and as it lies, without repetition."""
        return (self.value,) if self.real in (None, self.value) else (self.value, str(self.real))


def real_path(path: str) -> str | None:
    """The path with every link resolved; None for loops and what cannot be looked at."""
    try:
        os.stat(path)  # noqa: PTH116 - a Path here costs more than the call
    except OSError as error:
        if error.errno not in _MISSING:
            return None
    except ValueError:
        return None
    return os.path.realpath(path)


class Resolver:
    """Resolves many paths of one call; folders are looked at once."""

    def __init__(self) -> None:
        self._folders: dict[str, str | None] = {}

    def real(self, path: str) -> str | None:
        """As `real_path`."""
        folder, _, name = path.rpartition("/")
        if name in ("", ".", "..") or "/.." in folder or "//" in path:
            return real_path(path)
        if folder not in self._folders:
            self._folders[folder] = real_path(folder or "/")
        parent = self._folders[folder]
        if parent is None:
            return None
        joined = posixpath.join(parent, name)
        try:
            linked = os.path.islink(joined)  # noqa: PTH114 - a Path here costs more than the call
        except ValueError:
            return None
        return real_path(joined) if linked else joined


def path_subject(
    given: str, access: Access, cwd: str, home: str, resolver: Resolver | None = None
) -> Subject:
    """A path argument; relative ones start at `cwd`, `~` is `home`."""
    if given == "~" or given.startswith("~/"):
        given = home + given[1:]
    joined = posixpath.join(cwd, given)
    value = posixpath.normpath(joined)
    if value.startswith("//"):
        value = value[1:]
    real = real_path(joined) if resolver is None else resolver.real(joined)
    return Subject("path", value, access, real)


def named_subjects(
    name: str, given: Mapping[str, Any], cwd: Path, home: Path | None = None
) -> list[Subject]:
    """The subjects of a call by the public name of its tool; unknown names give the bare name."""
    at = str(home) if home is not None else posixpath.expanduser("~")
    if name in READ_TOOLS:
        path = str(given.get(READ_TOOLS[name]) or cwd)
        subjects = [path_subject(path, "read", str(cwd), at)]
        if name == "Glob":
            subjects.extend(_pattern_subjects(str(given.get("pattern") or ""), subjects[0], at))
        return subjects
    if name in EDIT_TOOLS:
        return [path_subject(str(given.get(EDIT_TOOLS[name]) or cwd), "write", str(cwd), at)]
    if name in SHELL_TOOLS:
        return [Subject("command", str(given.get("command", "")), "run")]
    if name == "WebFetch":
        return [Subject("url", str(given.get("url", "")), "read")]
    if name == "EnterWorktree" and given.get("path"):
        return [path_subject(str(given["path"]), "read", str(cwd), at)]
    return [Subject("name", name, "use")]


def _pattern_subjects(pattern: str, base: Subject, home: str) -> list[Subject]:
    """The folders that a Glob pattern reaches when it leaves its base folder."""
    leaves = pattern.startswith(("/", "~")) or ".." in pattern
    if "{" in pattern and (leaves or _BRACED_ROOT.search(pattern)):
        return [path_subject("/", "read", base.value, home)]
    if not leaves:
        return []
    names = pattern.split("/")
    size = next((i for i, name in enumerate(names) if any(c in name for c in "*?[")), len(names))
    literal = "/".join(names[:size])
    if ".." in names[size:] or (pattern.startswith("/") and not literal):
        literal = "/"
    return [path_subject(literal, "read", base.value, home)]
