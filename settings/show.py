"""Every effective value with the places it comes from, for people and programs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hames.settings.check import Entry
from hames.settings.jsontext import Step
from hames.settings.layers import Layer, Positions
from hames.settings.merge import lookup
from hames.settings.secrets import masked
from hames.settings.snapshot import Origin, Snapshot
from hames.system.types import JsonObject, is_list, is_object

_WITHOUT_EFFECT = "accepted, without effect in hames"
_UNKNOWN = "unknown key, ignored"


@dataclass(frozen=True, slots=True)
class ShownValue:
    """One value: dotted key, masked value, its places (strongest last) and a remark or ""."""

    key: str
    value: Any
    origins: tuple[Origin, ...]
    note: str = ""

    def to_json(self) -> JsonObject:
        """{"key", "value", "origin": [{"scope", "path", "line"}], "note"}"""
        places = [
            {"scope": origin.scope, "path": _text(origin.path), "line": origin.line}
            for origin in self.origins
        ]
        return {"key": self.key, "value": self.value, "origin": places, "note": self.note}


@dataclass(frozen=True, slots=True)
class _Source:
    layer: Layer
    positions: Positions


def shown_values(snapshot: Snapshot) -> tuple[ShownValue, ...]:
    """Objects are taken apart key by key and lists entry by entry."""
    sources = [_Source(layer, Positions(layer.text)) for layer in snapshot.layers]
    found: list[ShownValue] = []
    for name, value in snapshot.values.items():
        entry = snapshot.catalog.get(name)
        for path, leaf in _leaves(value, (name,)):
            shown = masked(leaf, str(path[-1]) if isinstance(path[-1], str) else name)
            note = _note(entry, path)
            found.append(ShownValue(_dotted(path), shown, _origins(sources, path, leaf), note))
    return tuple(found)


def place(origin: Origin) -> str:
    """`project /w/.claude/settings.json:3`"""
    where = str(origin.path) if origin.path else "--settings"
    line = f":{origin.line}" if origin.line is not None else ""
    return f"{origin.scope} {where}{line}"


def _leaves(value: Any, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], Any]]:
    if is_object(value) and value:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif is_list(value) and value:
        for index, item in enumerate(value):
            yield (*path, index), item
    else:
        yield path, value


def _origins(sources: list[_Source], path: tuple[Step, ...], leaf: Any) -> tuple[Origin, ...]:
    """For an entry of a list all files that have it, else the last file with this value."""
    if isinstance(path[-1], int):
        keys = path[:-1]
        found = [_entry_origin(source, keys, leaf) for source in sources]
        return tuple(origin for origin in found if origin is not None)
    for source in reversed(sources):
        if lookup(source.layer.values, _dotted(path)) == leaf:
            return (_origin(source, source.positions.line(path)),)
    return ()


def _entry_origin(source: _Source, keys: tuple[Step, ...], leaf: Any) -> Origin | None:
    held: Any = source.layer.values
    for key in keys:
        held = held.get(str(key)) if is_object(held) else None
    if not is_list(held) or leaf not in held:
        return None
    index = held.index(leaf)
    lines = source.positions.lines(keys)
    known = lines[index] if len(lines) == len(held) else source.positions.line(keys)
    return _origin(source, known)


def _origin(source: _Source, line: int | None) -> Origin:
    return Origin(source.layer.scope, source.layer.path, line)


def _note(entry: Entry | None, path: tuple[Step, ...]) -> str:
    if entry is None:
        return "" if path[0] == "$schema" else _UNKNOWN
    for step in path[1:]:
        properties: Mapping[str, Entry] = entry.get("properties", {})
        if step not in properties:
            break
        entry = properties[str(step)]
    return _WITHOUT_EFFECT if entry.get("tier") == 3 else ""


def _dotted(path: tuple[Step, ...]) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def _text(path: Path | None) -> str | None:
    return str(path) if path else None
