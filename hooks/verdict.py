"""Prompt and agent hooks: the text they ask with, and what their yes or no means per event."""

import json
import re

from hames.hooks.event_table import EVENTS
from hames.hooks.events import HookEvent
from hames.hooks.result import HookResult, Permission
from hames.hooks.spec import Prompt
from hames.system.types import JsonObject, is_list, is_object

_NO_EFFECT = frozenset({"PermissionRequest", "PermissionDenied"})
_ENDS_TURN = frozenset({"PostToolBatch", "UserPromptSubmit", "UserPromptExpansion"})
_ENDS_UNLESS_CONTINUED = frozenset({"PreToolUse", "PostToolUse", "TeammateIdle"})
_PLACEHOLDER = re.compile(r"\\\$|\$ARGUMENTS\b")
_PATH = re.compile(r"\$\{([\w.\-]+)\}")


def judged(handler: Prompt, event: HookEvent, text: str) -> HookResult | None:
    """The effect of the model's `{"ok", "reason"?, "impossible"?}`; None when it is not one."""
    verdict = _verdict(text)
    if verdict is None:
        return None
    if verdict["ok"] or event.name in _NO_EFFECT:
        return HookResult()
    if verdict.get("impossible") is True and event.name in ("Stop", "SubagentStop"):
        return HookResult()
    reason = str(verdict.get("reason") or "the check did not pass")
    ends = event.name in _ENDS_TURN or (
        event.name in _ENDS_UNLESS_CONTINUED and not handler.continue_on_block
    )
    blocked = EVENTS[event.name].blocks
    return HookResult(
        blocked=blocked,
        reason=reason if blocked else "",
        permission=Permission("deny", reason) if event.name == "PreToolUse" else None,
        stop=ends,
        stop_reason=reason if ends else "",
        system_message=f"{event.label} hook ended the turn: {reason}" if ends else "",
    )


def _verdict(text: str) -> JsonObject | None:
    """The first object with a boolean `ok`; models like to wrap it in prose or a fence."""
    decoder = json.JSONDecoder()
    for found in re.finditer(r"\{", text[:65_536]):
        try:
            value, _ = decoder.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            continue
        if is_object(value) and isinstance(value.get("ok"), bool):
            return value
    return None


def filled_prompt(text: str, given: JsonObject) -> str:
    """`$ARGUMENTS` replaced by the input, or the input appended; `\\$` is a plain dollar sign."""
    arguments = json.dumps(given, ensure_ascii=False)
    seen = False

    def replaced(found: re.Match[str]) -> str:
        nonlocal seen
        if found.group() == "\\$":
            return "$"
        seen = True
        return arguments

    result = _PLACEHOLDER.sub(replaced, text)
    return result if seen else f"{result}\n\n{arguments}"


def filled_arguments(arguments: str, given: JsonObject) -> JsonObject:
    """The arguments of an MCP tool hook with every `${path.to.field}` of the input replaced."""
    return {key: _filled(value, given) for key, value in json.loads(arguments).items()}


def _filled(value: object, given: JsonObject) -> object:
    if isinstance(value, str):
        return _PATH.sub(lambda found: _text_at(given, found.group(1)), value)
    if is_object(value):
        return {key: _filled(member, given) for key, member in value.items()}
    if is_list(value):
        return [_filled(member, given) for member in value]
    return value


def _text_at(given: JsonObject, path: str) -> str:
    """The member at a dotted path as text; empty when there is none."""
    at: object = given
    for name in path.split("."):
        at = at.get(name) if is_object(at) else None
    if at is None:
        return ""
    return at if isinstance(at, str) else json.dumps(at, ensure_ascii=False)
