"""One settings file after reading and checking: its values, its text and where it stands."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hames.settings.check import Entry, Problem, dotted, salvage
from hames.settings.jsontext import Lines, Node, Step, find, scan
from hames.settings.parse import FILE_LIMIT, Document, Unreadable, parse_text, read_document
from hames.settings.permissions.rule_text import SourceKind
from hames.settings.warnings import SettingsWarning, WarningKind
from hames.system.types import JsonObject

_LINES_LIMIT = 256 << 10
"""Characters; larger files get no line numbers, so that they do not slow a start."""

_ALLOWED_IN: Mapping[str, frozenset[SourceKind]] = {
    "managed": frozenset({"managed"}),
    "user": frozenset({"managed", "flag", "user"}),
    "local": frozenset({"managed", "flag", "user", "local"}),
}

_WHO = {
    "managed": "only managed settings may set this",
    "user": "only user settings, --settings and managed settings may set this",
    "local": "project settings may not set this",
}


class Layer(NamedTuple):
    """The usable values of one source; `path` is None for a JSON text on the command line.

    `root` is the directory that a `/path` rule anchors at. `repository` marks content that came
    with the folder and not from its user.
    """

    scope: SourceKind
    path: Path | None
    root: Path
    values: JsonObject
    text: str = ""
    repository: bool = False


class Loaded(NamedTuple):
    """A layer, or None when nothing could be read, with what is to be told."""

    layer: Layer | None
    warnings: tuple[SettingsWarning, ...] = ()


class Positions:
    """Line numbers of keys and entries in a layer's text; None in very large files."""

    def __init__(self, text: str) -> None:
        small = 0 < len(text) <= _LINES_LIMIT
        self._root: Node | None = scan(text) if small else None
        self._lines = Lines(text) if small else None

    def line(self, path: tuple[Step, ...]) -> int | None:
        """The line where the entry at `path` starts, else that of its parent."""
        if self._root is None or self._lines is None:
            return None
        for length in range(len(path), 0, -1):
            member = find(self._root, path[:length])
            if member is not None:
                return self._lines.at(member.start)
        return None

    def lines(self, path: tuple[Step, ...]) -> list[int]:
        """The lines of all entries of the list or object at `path`."""
        member = find(self._root, path)
        if member is None or self._lines is None:
            return []
        return [self._lines.at(entry.start) for entry in member.value.members]


def read_layer(
    scope: SourceKind, path: Path, root: Path, catalog: Mapping[str, Entry]
) -> Loaded | None:
    """One file, None when there is none; a file that nothing can read is a `locked` warning."""
    try:
        document = read_document(path, FILE_LIMIT)
    except Unreadable as error:
        text = f"{error}; until it is fixed every call that is not read-only is asked"
        return Loaded(None, (SettingsWarning("locked", text, path),))
    return None if document is None else make_layer(scope, path, root, document, catalog)


def pinned_layer(
    scope: SourceKind, path: Path, root: Path, text: str | None, catalog: Mapping[str, Entry]
) -> Loaded | None:
    """A file as if it held `text`, which it did before; None when there was no file."""
    if text is None:
        return None
    return make_layer(scope, path, root, parse_text(text), catalog)


def make_layer(
    scope: SourceKind,
    path: Path | None,
    root: Path,
    document: Document,
    catalog: Mapping[str, Entry],
) -> Loaded:
    """The good part of a document, with one warning per bad entry."""
    values, problems = salvage(document.values, catalog, managed=scope == "managed")
    problems += _drop_out_of_scope(values, catalog, scope, ())
    warnings = [SettingsWarning("notice", text, path) for text in document.notices]
    if problems:
        positions = Positions(document.text)
        warnings += [_warning(problem, path, positions) for problem in problems]
    return Loaded(Layer(scope, path, root, values, document.text), tuple(warnings))


def _warning(problem: Problem, path: Path | None, positions: Positions) -> SettingsWarning:
    kind: WarningKind = "locked" if problem.locks else "notice" if problem.notice else "invalid"
    line = positions.line(problem.path)
    return SettingsWarning(kind, problem.text, path, dotted(problem.path), line)


def _drop_out_of_scope(
    values: JsonObject, catalog: Mapping[str, Entry], scope: SourceKind, path: tuple[Step, ...]
) -> list[Problem]:
    """Remove keys that this kind of file may not set; says which."""
    problems: list[Problem] = []
    for name in [name for name in values if name in catalog]:
        entry = catalog[name]
        needed = entry.get("scope")
        if needed is not None and scope not in _ALLOWED_IN[needed]:
            del values[name]
            problems.append(Problem((*path, name), _WHO[needed], notice=True))
        elif "properties" in entry:
            inner: Any = values[name]
            problems += _drop_out_of_scope(inner, entry["properties"], scope, (*path, name))
    return problems
