"""A shell command made ready for a decision: parsed, located, its files resolved on disk."""

import os
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hames.settings.permissions.bash_flow import Located, Place, Places, cd_target, locate
from hames.settings.permissions.bash_parse import parse
from hames.settings.permissions.bash_paths import FileWord, file_words, redirect_words
from hames.settings.permissions.bash_tree import Command, Unreadable
from hames.settings.permissions.bash_word import Word
from hames.settings.permissions.bash_wrappers import Stripped, base_name, inner_starts, strip
from hames.settings.permissions.globs import parse_segment
from hames.settings.permissions.overlap import Tokens, glob_segments
from hames.settings.permissions.protected import visible_protected
from hames.settings.permissions.subject import Access, Resolver, Subject, path_subject

_MAX_GLOB_ENTRIES = 4000


class Touch(NamedTuple):
    """A file that a command names.

    `subjects` is where it may lie; empty when that is not known. For an unquoted glob
    `patterns` holds its absolute segments, and `subjects` the folder it starts in and the
    links and protected files that it matches now. `certain` is false for redirections that a
    `cd` may move.
    """

    spelled: str
    file: FileWord
    subjects: tuple[Subject, ...] = ()
    patterns: tuple[tuple[Tokens, ...], ...] = ()
    certain: bool = True

    @property
    def access(self) -> Access:
        """How rules see it; a mention counts as a read."""
        return "write" if self.file.access == "write" else "read"


class Part(NamedTuple):
    """One simple command with everything that is judged about it."""

    command: Command
    stripped: Stripped
    places: Places
    inner: bool
    touches: tuple[Touch, ...] = ()

    @property
    def text(self) -> str:
        """The command as it was written, for people."""
        whole = self.stripped.texts[0] if self.stripped.texts else ""
        targets = (f"{r.operator} {r.target.raw}" for r in self.command.redirects)
        variable = self.command.loop_variable
        return " ".join([whole or (f"for {variable}" if variable else ""), *targets]).strip()


class Script(NamedTuple):
    """A whole command line; `unreadable` says why it could not be taken apart."""

    text: str
    parts: tuple[Part, ...] = ()
    unreadable: Unreadable | None = None


@dataclass(slots=True)
class _Disk:
    """The folders that relative words start in, and the file system."""

    home: str
    resolver: Resolver = field(default_factory=Resolver)

    def touch(self, file: FileWord, places: Places) -> Touch:
        word = file.word
        value = word.value(self.home)
        if value is not None:
            return self._known(file, value, places)
        pattern = word.glob(self.home) if "glob" in word.kinds else None
        if pattern is not None and places is not None:
            return self._glob(file, pattern, places)
        return Touch(word.raw, file)

    def _known(self, file: FileWord, value: str, places: Places) -> Touch:
        raw = file.word.raw
        absolute = value.startswith("/")
        if places is None and not absolute:
            return Touch(raw, file, certain=False)
        where = (Place("/"),) if absolute or places is None else places
        access: Access = "write" if file.access == "write" else "read"
        subjects = tuple(
            path_subject(value or ".", access, place.path, self.home, self.resolver)
            if not value.startswith("~")
            else path_subject("./" + value, access, place.path, self.home, self.resolver)
            for place in where
        )
        certain = absolute or not any(place.moved for place in where)
        if not certain and len(where) == 1:
            certain = posixpath.isdir(where[0].path)
        return Touch(raw, file, subjects, certain=certain)

    def _glob(self, file: FileWord, pattern: str, places: tuple[Place, ...]) -> Touch:
        access: Access = "write" if file.access == "write" else "read"
        subjects: list[Subject] = []
        patterns: list[tuple[Tokens, ...]] = []
        for place in places:
            names = pattern.split("/")
            size = next(
                index for index, name in enumerate(names) if set(_unescaped(name)) & set("*?[")
            )
            literal = "/".join(_plain(name) for name in names[:size])
            if pattern.startswith("/") and not literal:
                literal = "/"
            base = path_subject(literal or ".", access, place.path, self.home, self.resolver)
            subjects.append(base)
            rest = [name for name in names[size:] if name]
            if ".." in rest:
                return Touch(file.word.raw, file)
            above = glob_segments([_escaped(name) for name in base.value.split("/") if name])
            patterns.append((*above, *glob_segments(rest)))
            links = list(self._notable(base.value, rest))
            if len(links) > _MAX_GLOB_ENTRIES:
                return Touch(file.word.raw, file)
            subjects.extend(
                path_subject(link, access, place.path, self.home, self.resolver) for link in links
            )
        return Touch(file.word.raw, file, tuple(subjects), tuple(patterns))

    def _notable(self, folder: str, names: Sequence[str]) -> Iterator[str]:
        """The links and protected files that a glob matches now; past the limit it is unknown."""
        budget = _MAX_GLOB_ENTRIES
        waiting = [(folder, 0)]
        while waiting:
            current, depth = waiting.pop()
            segment = parse_segment(names[depth])
            for entry in _entries(current):
                budget -= 1
                if budget < 0:
                    yield from [current] * (_MAX_GLOB_ENTRIES + 1)
                    return
                if segment is not None and not segment.matches(entry.name):
                    continue
                if entry.is_symlink() or visible_protected(entry.name):
                    yield entry.path
                if depth + 1 < len(names) and entry.is_dir():
                    waiting.append((entry.path, depth + 1))


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (OSError, ValueError):
        return []


def _unescaped(name: str) -> Iterator[str]:
    """The characters of a glob segment that are not escaped."""
    at = 0
    while at < len(name):
        if name[at] == "\\":
            at += 2
            continue
        yield name[at]
        at += 1


def _plain(name: str) -> str:
    found, at = list[str](), 0
    while at < len(name):
        at += name[at] == "\\"
        found.append(name[at : at + 1])
        at += 1
    return "".join(found)


def _escaped(name: str) -> str:
    return "".join("\\" + char if char in "*?[]\\" else char for char in name)


def look_into(command: object, cwd: str, home: str) -> Script:
    """Parse a command and resolve the files it names. Never raises."""
    if not isinstance(command, str):
        return Script("", unreadable=Unreadable("it is no text"))
    tree = parse(command)
    if isinstance(tree, Unreadable):
        return Script(command, unreadable=tree)
    disk = _Disk(home)
    parts = tuple(_part(found, disk) for found in locate(tree, cwd, home))
    return Script(command, parts)


def _part(found: Located, disk: _Disk) -> Part:
    command = found.command
    files = list(redirect_words(command.redirects))
    for words in _commands_inside(command):
        files.extend(file_words(words))
    touches = tuple(disk.touch(file, found.places) for file in dict.fromkeys(files))
    stripped = strip(command)
    if stripped.name == "cd":
        touches = (*touches, *_folder(stripped.core, found.places, disk))
    return Part(command, stripped, found.places, found.inner, touches)


def _commands_inside(command: Command) -> Iterator[Sequence[Word]]:
    """The command and those inside its wrappers."""
    starts = inner_starts(command.words)
    wrapped = [start for start in starts if not _is_wrapper(command.words, start, starts)]
    for start in wrapped:
        yield command.words[start:]


def _is_wrapper(words: Sequence[Word], start: int, starts: Sequence[int]) -> bool:
    """Whether a later command begins inside this one, so that its words are not its files."""
    return start != max(starts) and base_name(words[start]) not in ("find", "fd", "fdfind")


def _folder(core: Sequence[Word], places: Places, disk: _Disk) -> tuple[Touch, ...]:
    target = cd_target(core, disk.home)
    if target is None or places is None:
        return ()
    word = core[-1]
    subjects = tuple(
        path_subject(target, "read", place.path, disk.home, disk.resolver) for place in places
    )
    return (Touch(word.raw, FileWord(word, "read"), subjects),)
