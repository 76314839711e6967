"""The effective settings of a session at one moment, immutable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from hames.settings.check import Entry
from hames.settings.layers import Layer, Positions
from hames.settings.merge import lookup
from hames.settings.permissions.rule_text import RuleText, SourceKind
from hames.settings.warnings import SettingsWarning
from hames.system.types import JsonObject, is_list


class Origin(NamedTuple):
    """A file that gives (a part of) an effective value; `line` is 1-based when known."""

    scope: SourceKind
    path: Path | None
    line: int | None


class HookBlock(NamedTuple):
    """The raw `hooks` object of one source: event name to a list of matcher groups."""

    scope: SourceKind
    path: Path | None
    hooks: JsonObject


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What all settings files say together, after checks and trust.

    `directories` are the additional working directories, absolute and not resolved. `env` is
    what settings set, not the process environment. `hooks` may run as they are: trust,
    `disableAllHooks` and `allowManagedHooksOnly` are applied. `files` are all places looked at,
    for a watcher. `trusted` is recorded or session trust.
    """

    cwd: Path
    values: JsonObject
    layers: tuple[Layer, ...]
    catalog: Mapping[str, Entry]
    rules: tuple[RuleText, ...] = ()
    directories: tuple[Path, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    hooks: tuple[HookBlock, ...] = ()
    warnings: tuple[SettingsWarning, ...] = ()
    files: tuple[Path, ...] = ()
    trusted: bool = False

    @property
    def locked(self) -> bool:
        """Whether a file may hold protections that nobody could read: ask for every change."""
        return any(warning.kind == "locked" for warning in self.warnings)

    @property
    def model(self) -> str | None:
        """The `model` key; flags and variables come before it."""
        return self.text("model")

    @property
    def default_mode(self) -> str:
        """The mode that settings start a session in, never `auto` or `manual`."""
        mode = self.text("permissions.defaultMode") or "default"
        if mode in ("auto", "manual"):
            return "default"
        loose = self.locked or (mode == "bypassPermissions" and self.bypass_disabled)
        return "default" if loose and mode != "plan" else mode

    @property
    def bypass_disabled(self) -> bool:
        """Whether bypass mode and its flag are refused."""
        return self.text("permissions.disableBypassPermissionsMode") == "disable"

    def value(self, key: str) -> Any:
        """The value of a dotted key, else its default; KeyError for a key nobody declared."""
        entry = self.entry(key)
        found = lookup(self.values, key)
        return entry.get("default") if found is None else found

    def flag(self, key: str) -> bool:
        """A switch; one without value and default is off."""
        return self.value(key) is True

    def text(self, key: str) -> str | None:
        """A string, None when it is not set."""
        found = self.value(key)
        return found if isinstance(found, str) else None

    def number(self, key: str) -> float | None:
        """A number, None when it is not set."""
        found = self.value(key)
        return found if isinstance(found, int | float) and not isinstance(found, bool) else None

    def strings(self, key: str) -> tuple[str, ...] | None:
        """A list of strings; None, unlike an empty list, means that it is not set."""
        found = self.value(key)
        return tuple(found) if is_list(found) else None

    def entry(self, key: str) -> Entry:
        """What the catalog knows of a dotted key: tier, scope, default, kind."""
        found: Entry = {"properties": self.catalog}
        for step in key.split("."):
            found = found["properties"][step]
        return found

    def origin(self, key: str) -> tuple[Origin, ...]:
        """Where an effective value comes from, strongest last; a scalar has one origin."""
        path = tuple(key.split("."))
        holders = [layer for layer in self.layers if lookup(layer.values, key) is not None]
        if not isinstance(lookup(self.values, key), list | dict):
            effective = lookup(self.values, key)
            holders = [h for h in holders if lookup(h.values, key) == effective][-1:]
        return tuple(
            Origin(layer.scope, layer.path, Positions(layer.text).line(path)) for layer in holders
        )
