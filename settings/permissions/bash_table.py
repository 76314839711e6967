"""The command table of `bash_commands.toml`, read on first use."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple


class CommandSpec(NamedTuple):
    """What is known of one command; the file explains the fields."""

    readonly: bool = False
    operands: str = "mention"
    values: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    refuse: frozenset[str] = frozenset()
    instead: frozenset[str] = frozenset()
    most: int | None = None
    special: str | None = None
    globs: bool = True
    any_expansion: bool = False

    @property
    def takes_value(self) -> frozenset[str]:
        """Options whose value may be the next word."""
        return self.values | self.reads | self.writes


class WrapperSpec(NamedTuple):
    """A wrapper that is stripped before allow rules are tested."""

    operands: int
    flags: frozenset[str]
    values: frozenset[str]
    numbers: bool = False


@dataclass(frozen=True, slots=True)
class CommandTable:
    """The whole file."""

    commands: Mapping[str, CommandSpec]
    plain_wrappers: Mapping[str, WrapperSpec]
    exec_wrappers: Mapping[str, int]
    exact_only: frozenset[str]
    find_actions: frozenset[str]
    shells: frozenset[str] = field(default_factory=frozenset[str])


UNKNOWN = CommandSpec()
"""A command that does not stand in the table."""


@lru_cache(maxsize=1)
def command_table() -> CommandTable:
    """The table. Raises OSError when the installation is damaged."""
    raw = tomllib.loads((Path(__file__).parent / "bash_commands.toml").read_text(encoding="utf-8"))
    entries: dict[str, dict[str, Any]] = raw["commands"]
    return CommandTable(
        commands={name: _spec(entries, name) for name in entries},
        plain_wrappers={name: _wrapper(item) for name, item in raw["plain_wrappers"].items()},
        exec_wrappers=raw["exec_wrappers"],
        exact_only=frozenset(raw["exact_only"]["names"]),
        find_actions=frozenset(raw["exact_only"]["find"]),
        shells=frozenset(raw["shells"]["names"]),
    )


def _spec(entries: Mapping[str, dict[str, Any]], name: str) -> CommandSpec:
    entry = entries[name]
    if "like" in entry:
        entry = {**entries[entry["like"]], **entry}
    risky = any(key in entry for key in ("refuse", "most", "special"))
    return CommandSpec(
        readonly=entry.get("readonly", False),
        operands=entry.get("operands", "mention"),
        values=frozenset(entry.get("values", ())),
        reads=frozenset(entry.get("reads", ())),
        writes=frozenset(entry.get("writes", ())),
        pairs=frozenset(entry.get("pairs", ())),
        refuse=frozenset(entry.get("refuse", ())),
        instead=frozenset(entry.get("instead", ())),
        most=entry.get("most"),
        special=entry.get("special"),
        globs=entry.get("globs", not risky),
        any_expansion=entry.get("any_expansion", False),
    )


def _wrapper(item: Mapping[str, Any]) -> WrapperSpec:
    return WrapperSpec(
        item["operands"],
        frozenset(item["flags"]),
        frozenset(item["values"]),
        item.get("numbers", False),
    )


def spec_of(name: str) -> CommandSpec:
    """The entry of a command by its literal name; UNKNOWN when there is none."""
    return command_table().commands.get(name, UNKNOWN)
