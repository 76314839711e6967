"""Checks a file's values against the catalog and keeps what is good, entry by entry."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from hames.settings.jsontext import Step
from hames.settings.parse import describe
from hames.system.types import JsonObject, is_list, is_object

Entry = Mapping[str, Any]
"""One key of the catalog: `type`, limits, `items`, `values`, `properties` and facts."""

_DROP = object()
_NAMES = {
    "boolean": "true or false",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "an object",
}


class Problem(NamedTuple):
    """One bad entry; `locks` when it may have held a protection that is now missing."""

    path: tuple[Step, ...]
    text: str
    locks: bool = False
    notice: bool = False


def load_catalog() -> Mapping[str, Entry]:
    """The known keys, generated from the models."""
    text = Path(__file__).with_name("catalog.json").read_text(encoding="utf-8")
    return cast(Mapping[str, Entry], json.loads(text))


def dotted(path: tuple[Step, ...]) -> str:
    """`permissions.allow[2]`"""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def salvage(
    values: JsonObject, catalog: Mapping[str, Entry], *, managed: bool
) -> tuple[JsonObject, list[Problem]]:
    """The good part of an object and what is wrong with the rest; unknown keys pass."""
    checker = _Checker(managed)
    return checker.members(values, catalog, ()), checker.problems


class _Checker:
    """Walks one file; `problems` grows on the way."""

    def __init__(self, managed: bool) -> None:
        self.problems: list[Problem] = []
        self._managed = managed

    def members(
        self, values: JsonObject, entries: Mapping[str, Entry], path: tuple[Step, ...]
    ) -> JsonObject:
        kept: JsonObject = {}
        for name, value in values.items():
            entry = entries.get(name)
            good = value if entry is None else self.value(value, entry, (*path, name))
            if good is not _DROP:
                kept[name] = good
        return kept

    def value(self, value: Any, entry: Entry, path: tuple[Step, ...]) -> Any:
        """The value, its good part, the entry's `broken` value, or _DROP."""
        kind = entry.get("type")
        if kind == "object" and is_object(value):
            return self._object(value, entry, path)
        if kind == "array" and is_list(value):
            return self._array(value, entry, path)
        if kind == "array" and isinstance(value, str) and entry.get("guard"):
            self.problems.append(Problem(path, "expected a list; taken as a list of one"))
            return self._array([value], entry, path)
        wrong = mismatch(value, entry)
        return value if wrong is None else self._bad(wrong, entry, path)

    def _object(self, value: JsonObject, entry: Entry, path: tuple[Step, ...]) -> JsonObject:
        if "properties" in entry:
            return self.members(value, entry["properties"], path)
        inner = entry.get("values")
        if inner is None:
            return value
        kept: JsonObject = {}
        for name, item in value.items():
            good = self._text(item, inner, (*path, name))
            if good is not _DROP:
                kept[name] = good
        return kept

    def _text(self, item: Any, entry: Entry, path: tuple[Step, ...]) -> Any:
        """Numbers and switches in a map of strings (`env`) count as their text."""
        plain = entry.get("type") == "string" and "enum" not in entry
        if plain and isinstance(item, bool | int | float):
            text = json.dumps(item)
            self.problems.append(Problem(path, f'read as the string "{text}"', notice=True))
            return text
        return self.value(item, entry, path)

    def _array(self, value: list[Any], entry: Entry, path: tuple[Step, ...]) -> list[Any]:
        inner: Entry = entry.get("items") or {}
        if entry.get("guard"):
            inner = {**inner, "guard": True}
        kept: list[Any] = []
        for index, item in enumerate(value):
            good = self.value(item, inner, (*path, index))
            if good is not _DROP:
                kept.append(good)
        most = entry.get("maxItems")
        if most is not None and len(kept) > most:
            self.problems.append(Problem(path, f"only the first {most} count"))
            kept = kept[:most]
        return kept

    def _bad(self, wrong: str, entry: Entry, path: tuple[Step, ...]) -> Any:
        broken = entry.get("broken")
        if broken is None and self._managed:
            broken = entry.get("brokenManaged")
        if broken is not None:
            self.problems.append(Problem(path, f"{wrong}; taken as {json.dumps(broken)}"))
            return broken
        self.problems.append(Problem(path, f"{wrong}; left out", bool(entry.get("guard"))))
        return _DROP


def mismatch(value: object, entry: Entry) -> str | None:
    """What is wrong with a scalar (or the kind of a container), None when nothing is."""
    if "anyOf" in entry:
        wrongs = [mismatch(value, option) for option in entry["anyOf"]]
        return None if None in wrongs else " or ".join(str(wrong) for wrong in wrongs)
    kind = entry.get("type")
    if kind is None:
        return None
    if not _KINDS[kind](value):
        return f"expected {_expected(entry)}, found {describe(value)}"
    if "enum" in entry and value not in entry["enum"]:
        return f"expected {_expected(entry)}, found {json.dumps(value)}"
    return _limit(value, entry) if isinstance(value, int | float) else None


def _limit(value: float, entry: Entry) -> str | None:
    if "minimum" in entry and value < entry["minimum"]:
        return f"must be at least {entry['minimum']}"
    if "maximum" in entry and value > entry["maximum"]:
        return f"must be at most {entry['maximum']}"
    if "exclusiveMinimum" in entry and value <= entry["exclusiveMinimum"]:
        return f"must be more than {entry['exclusiveMinimum']}"
    return None


def _expected(entry: Entry) -> str:
    if "enum" in entry:
        return "one of " + ", ".join(json.dumps(value) for value in entry["enum"])
    return _NAMES[entry["type"]]


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KINDS: Mapping[str, Callable[[object], bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": _is_number,
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
