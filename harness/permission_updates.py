"""Carries out permission updates of dialogs, clients and hooks, all or none."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hames.harness.modes import refuses_mode
from hames.harness.record import Record
from hames.settings.destinations import SettingsWriter
from hames.settings.permissions.rule_text import RuleSource, RuleText
from hames.settings.permissions.update import (
    BadUpdate,
    DirectoryUpdate,
    ModeUpdate,
    PermissionUpdate,
    RuleUpdate,
    parse_updates,
    update_json,
)
from hames.settings.snapshot import Snapshot
from hames.system.errors import ConfigError
from hames.system.types import JsonObject


class Updates(NamedTuple):
    """Applies updates to a session and, where they say so, to settings files.

    What goes to a file counts in this session at once, whatever becomes of the file.
    """

    writer: SettingsWriter
    may_bypass: bool

    async def apply(
        self, raw: Sequence[JsonObject], record: Record, snapshot: Snapshot
    ) -> str | None:
        """Apply all updates, or none when one is malformed; a problem for people, if any."""
        try:
            updates = parse_updates(list(raw))
        except BadUpdate as bad:
            return f"No permission update was applied: {bad}"
        drafts = [draft for update in updates for draft in self._drafts(update, snapshot)]
        if drafts:
            record.append(drafts)
        try:
            for update in updates:
                await asyncio.to_thread(self._store, update)
        except ConfigError as error:
            return f"The answer counts for this session but could not be stored: {error}"
        return None

    def _drafts(self, update: PermissionUpdate, snapshot: Snapshot) -> list[JsonObject]:
        """The entries that put the update in force in this session."""
        match update:
            case RuleUpdate():
                return [{"type": "hames-state", "update": update_json(update)}]
            case DirectoryUpdate(type="addDirectories"):
                return [{"type": "hames-state", "directory": path} for path in update.directories]
            case DirectoryUpdate():
                return [
                    {"type": "hames-state", "directoryRemoved": path} for path in update.directories
                ]
            case ModeUpdate(mode):
                mode = "default" if mode == "manual" else mode
                refused = refuses_mode(mode, snapshot, may_bypass=self.may_bypass)
                if mode == "auto" or refused is not None:
                    return []
                return [{"type": "permission-mode", "permissionMode": mode}]

    def _store(self, update: PermissionUpdate) -> None:
        """Write the update to its settings file. Raises ConfigError."""
        match update.destination:
            case "session" | "cliArg":
                return
            case destination:
                pass
        match update:
            case RuleUpdate(type="addRules"):
                self.writer.add_rules(destination, update.behavior, map(str, update.rules))
            case RuleUpdate(type="replaceRules"):
                self.writer.replace_rules(destination, update.behavior, map(str, update.rules))
            case RuleUpdate():
                self.writer.remove_rules(destination, update.behavior, map(str, update.rules))
            case DirectoryUpdate(type="addDirectories"):
                self.writer.add_directories(destination, update.directories)
            case DirectoryUpdate():
                self.writer.remove_directories(destination, update.directories)
            case ModeUpdate(mode):
                if mode not in ("bypassPermissions", "auto"):
                    key = ("permissions", "defaultMode")
                    self.writer.set_value(destination, key, mode)


def session_rules(updates: Sequence[JsonObject], root: Path) -> list[RuleText]:
    """The rules that the updates of a session leave in force, oldest first."""
    source = RuleSource("session", root)
    rules: list[RuleText] = []
    for update in parse_updates(list(updates)):
        if not isinstance(update, RuleUpdate):
            continue
        named = [RuleText(update.behavior, str(rule), source) for rule in update.rules]
        if update.type == "replaceRules":
            rules = [rule for rule in rules if rule.behavior != update.behavior]
        if update.type == "removeRules":
            rules = [rule for rule in rules if rule not in named]
        else:
            rules += named
    return rules
