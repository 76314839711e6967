"""Reads what a hook printed: one JSON object, or plain text."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hames.hooks.event_table import EVENTS, Kind
from hames.hooks.shapes import is_texts, named
from hames.system.text import clean
from hames.system.types import JsonObject, is_list, is_object


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text; `hint` tells the user why it was not read as JSON, when it looks like some."""

    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Broken:
    """A JSON object that is not a hook answer; `problem` names the field."""

    problem: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A valid answer; `hints` name members that nobody reads where they stand."""

    top: JsonObject
    specific: JsonObject
    hints: tuple[str, ...] = ()


_TOP: Mapping[str, Kind] = {
    "continue": "flag",
    "stopReason": "text",
    "suppressOutput": "flag",
    "systemMessage": "text",
    "terminalSequence": "text",
    "reason": "text",
    "hookSpecificOutput": "object",
    "async": "flag",
}
_DECISIONS = ("approve", "block")
_SPECIFIC = frozenset(name for info in EVENTS.values() for name in info.fields) - {"decision"}
_KNOWN = frozenset(_TOP) | _SPECIFIC | {"decision"}
_LOOKED_AT = 65_536
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_answer(stdout: str, event_name: str) -> Answer | Broken | Text:
    """JSON only when the first character is `{` and all of it parses."""
    text = stdout.strip()
    if not text.startswith("{"):
        return Text(text, _buried_json(text))
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Text(text, _buried_json(text) or f"stdout starts like JSON but is none: {error}")
    if not is_object(value):
        return Text(text)
    whole: JsonObject = _without_surrogates(value) if _SURROGATE.search(text) else value
    top = _told(whole)
    problem = next(_problems(top, event_name), None)
    if problem is not None:
        return Broken(problem)
    specific = _told(top.get("hookSpecificOutput", {}))
    return Answer(top, specific, tuple(_misplaced(top, specific, event_name)))


def _told(given: JsonObject) -> JsonObject:
    """The members that are not null: scripts made with jq write null for absent."""
    return {key: member for key, member in given.items() if member is not None}


def _problems(top: JsonObject, event_name: str) -> Iterator[str]:
    """What makes an object no hook answer, in words."""
    yield from _wrong_kinds(top, _TOP, "")
    decision = top.get("decision")
    if decision is not None and decision not in _DECISIONS:
        yield f'decision must be "block", not {json.dumps(decision)}'
    specific = top.get("hookSpecificOutput")
    if not is_object(specific):
        return
    told = specific.get("hookEventName")
    if told is None:
        yield f'hookSpecificOutput.hookEventName is missing: it must be "{event_name}"'
    elif told != event_name:
        yield f'hookSpecificOutput.hookEventName must be "{event_name}", not {json.dumps(told)}'
    fields = EVENTS[event_name].fields
    yield from _wrong_kinds(specific, fields, "hookSpecificOutput.")
    if event_name == "PreModelSwitch" and specific.get("permissionDecision") == "defer":
        yield "hookSpecificOutput.permissionDecision must be allow, deny or ask"


def _wrong_kinds(given: JsonObject, kinds: Mapping[str, Kind], prefix: str) -> Iterator[str]:
    for name, kind in kinds.items():
        value = given.get(name)
        if value is not None:
            wanted = _wanted(kind, value)
            if wanted:
                shown = json.dumps(value)[:60] if isinstance(value, str) else named(value)
                yield f"{prefix}{name} must be {wanted}, not {shown}"


def _wanted(kind: Kind, value: object) -> str:
    """What the value should have been; empty when it is."""
    match kind:
        case "text":
            return "" if isinstance(value, str) else "text"
        case "flag":
            return "" if isinstance(value, bool) else "true or false"
        case "object":
            return "" if is_object(value) else "an object"
        case "texts":
            return "" if is_texts(value) else "a list of texts"
        case "decision":
            return "" if value in ("allow", "deny", "ask", "defer") else "allow, deny, ask or defer"
        case "action":
            return "" if value in ("accept", "decline", "cancel") else "accept, decline or cancel"
        case "request":
            return _wanted_request(value)
        case "any":
            return ""


_REQUEST: Mapping[str, Kind] = {
    "updatedInput": "object",
    "message": "text",
    "interrupt": "flag",
}


def _wanted_request(value: object) -> str:
    if not is_object(value) or value.get("behavior") not in ("allow", "deny"):
        return 'an object whose "behavior" is allow or deny'
    for problem in _wrong_kinds(value, _REQUEST, "decision."):
        return f"well formed ({problem})"
    updates = value.get("updatedPermissions")
    if updates is not None and not (is_list(updates) and all(map(is_object, updates))):
        return "well formed (decision.updatedPermissions must be a list of objects)"
    return ""


def _misplaced(top: JsonObject, specific: JsonObject, event_name: str) -> Iterator[str]:
    """Members that scripts like to put where nobody reads them."""
    for name in top.keys() - _TOP.keys() - {"decision"}:
        proper = camel(name)
        if proper in _SPECIFIC:
            place = f'"hookSpecificOutput": {{"hookEventName": "{event_name}", "{proper}": ...}}'
            yield f'"{name}" is not read there: write {place}'
        elif proper in _KNOWN and proper != name:
            yield f'"{name}" is not read: write "{proper}"'
    for name in specific.keys() - EVENTS[event_name].fields.keys() - {"hookEventName"}:
        proper = camel(name)
        if proper != name and proper in EVENTS[event_name].fields:
            yield f'"{name}" is not read: write "{proper}"'
        elif name in _SPECIFIC:
            yield f'"{name}" has no meaning on {event_name}'
        elif name in _TOP or name == "decision":
            yield f'"{name}" is not read inside hookSpecificOutput: write it beside'


def camel(name: str) -> str:
    """`additional_context` as `additionalContext`."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _buried_json(text: str) -> str:
    """A hint when a hook answer stands among other output."""
    for found in re.finditer(r"^\s*(?=\{)", text[:_LOOKED_AT], re.MULTILINE):
        try:
            value, end = json.JSONDecoder().raw_decode(text, found.end())
        except (ValueError, RecursionError):
            continue
        if is_object(value) and any(camel(str(key)) in _KNOWN for key in value):
            where = "before" if text[: found.start()].strip() else "after"
            if where == "after" and not text[end:].strip():
                return ""
            return f"stdout was read as plain text: there is other output {where} its JSON object"
    return ""


def _without_surrogates(value: Any) -> Any:
    """The value with half characters replaced: no encoder takes them."""
    if isinstance(value, str):
        return clean(value)
    if is_list(value):
        return [_without_surrogates(item) for item in value]
    if is_object(value):
        return {clean(key): _without_surrogates(member) for key, member in value.items()}
    return value
