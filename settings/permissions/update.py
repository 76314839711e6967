"""Changes of permissions that a dialog, a client or a hook asks for, read all or nothing."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from hames.settings.permissions.rule_text import Behavior
from hames.system.types import JsonObject

Destination = Literal["session", "localSettings", "projectSettings", "userSettings", "cliArg"]
RuleChange = Literal["addRules", "replaceRules", "removeRules"]
DirectoryChange = Literal["addDirectories", "removeDirectories"]

_DESTINATIONS = ("session", "localSettings", "projectSettings", "userSettings", "cliArg")
_BEHAVIORS = ("allow", "ask", "deny")
_MODES = ("default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions")


@dataclass(frozen=True, slots=True)
class RuleValue:
    """A rule as the wire spells it; no content means the whole tool."""

    tool: str
    content: str | None = None

    def __str__(self) -> str:
        return self.tool if self.content is None else f"{self.tool}({self.content})"


class RuleUpdate(NamedTuple):
    """Add, replace or remove rules of one list."""

    type: RuleChange
    rules: tuple[RuleValue, ...]
    behavior: Behavior
    destination: Destination


class ModeUpdate(NamedTuple):
    """Switch the permission mode (wire value)."""

    mode: str
    destination: Destination


class DirectoryUpdate(NamedTuple):
    """Add or remove working directories."""

    type: DirectoryChange
    directories: tuple[str, ...]
    destination: Destination


PermissionUpdate = RuleUpdate | ModeUpdate | DirectoryUpdate


class BadUpdate(ValueError):
    """An update that cannot be understood; the text names the entry and the field."""


def parse_updates(raw: object) -> tuple[PermissionUpdate, ...]:
    """Read a list of updates. One bad entry voids the list: raises BadUpdate."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise BadUpdate("permission updates must be a list")
    return tuple(
        _parse(entry, f"permission update {index}")
        for index, entry in enumerate(cast("list[object]", raw))
    )


def _parse(entry: object, where: str) -> PermissionUpdate:
    if not isinstance(entry, dict):
        raise BadUpdate(f"{where} must be an object")
    given = cast("dict[str, Any]", entry)
    destination = cast("Destination", _one_of(given, "destination", _DESTINATIONS, where))
    kind = given.get("type")
    match kind:
        case "addRules" | "replaceRules" | "removeRules":
            behavior = cast("Behavior", _one_of(given, "behavior", _BEHAVIORS, where))
            return RuleUpdate(kind, _rules(given, where), behavior, destination)
        case "setMode":
            return ModeUpdate(_one_of(given, "mode", _MODES, where), destination)
        case "addDirectories" | "removeDirectories":
            return DirectoryUpdate(kind, _directories(given, where), destination)
        case _:
            raise BadUpdate(f"{where}: `type` is missing or unknown")


def _one_of(given: dict[str, Any], name: str, allowed: tuple[str, ...], where: str) -> str:
    value = given.get(name)
    if value not in allowed:
        raise BadUpdate(f"{where}: `{name}` must be one of {', '.join(allowed)}")
    return str(value)


def _rules(given: dict[str, Any], where: str) -> tuple[RuleValue, ...]:
    rules = given.get("rules")
    if not isinstance(rules, list):
        raise BadUpdate(f"{where}: `rules` must be a list")
    return tuple(_rule(rule, where) for rule in cast("list[object]", rules))


def _rule(rule: object, where: str) -> RuleValue:
    given = cast("dict[str, Any]", rule) if isinstance(rule, dict) else {}
    tool = given.get("toolName")
    if not isinstance(tool, str) or not tool:
        raise BadUpdate(f"{where}: a rule needs a `toolName`")
    if "ruleContent" not in given:
        return RuleValue(tool)
    content = given["ruleContent"]
    if not isinstance(content, str):
        raise BadUpdate(f"{where}: `ruleContent` must be a string; leave it out for the whole tool")
    return RuleValue(tool, content)


def _directories(given: dict[str, Any], where: str) -> tuple[str, ...]:
    raw = given.get("directories")
    directories = cast("list[object]", raw) if isinstance(raw, list) else [None]
    if not all(isinstance(item, str) and item for item in directories):
        raise BadUpdate(f"{where}: `directories` must be a list of paths")
    return tuple(map(str, directories))


def update_json(update: PermissionUpdate) -> JsonObject:
    """An update as the wire spells it."""
    match update:
        case RuleUpdate():
            rules = [
                {"toolName": rule.tool}
                if rule.content is None
                else {"toolName": rule.tool, "ruleContent": rule.content}
                for rule in update.rules
            ]
            return {
                "type": update.type,
                "rules": rules,
                "behavior": update.behavior,
                "destination": update.destination,
            }
        case ModeUpdate():
            return {"type": "setMode", "mode": update.mode, "destination": update.destination}
        case DirectoryUpdate():
            return {
                "type": update.type,
                "directories": list(update.directories),
                "destination": update.destination,
            }
