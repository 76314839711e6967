"""Events that an old transcript would have fired, for trying hooks on real work."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hames.hooks import events, session_events
from hames.hooks.events import HookEvent
from hames.system.types import JsonObject, is_list, is_object

REPLAYABLE = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "PostCompact",
)
"""Events that leave enough in a transcript to be fired again."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event of an old session; `line` is 1-based, `cwd` None when the entry names none."""

    line: int
    event: HookEvent
    cwd: Path | None


@dataclass(slots=True)
class _State:
    """What earlier lines said: open calls by id and the last words of the model."""

    calls: dict[str, tuple[str, JsonObject]]
    last_text: str | None = None
    started: bool = False


def recorded_events(lines: Iterable[str]) -> Iterator[Recorded]:
    """The events of a JSONL transcript in its order; lines that are no entries are skipped."""
    state = _State({})
    number = 0
    cwd: Path | None = None
    for number, line in enumerate(lines, 1):
        entry = _entry(line)
        if entry is None or entry.get("isSidechain") is True:
            continue
        where = entry.get("cwd")
        cwd = Path(where) if isinstance(where, str) else cwd
        for event in _events(entry, state):
            yield Recorded(number, event, cwd)
    if state.last_text is not None:
        yield Recorded(number, events.stop(False, state.last_text), cwd)


def _entry(line: str) -> JsonObject | None:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) else None


def _events(entry: JsonObject, state: _State) -> Iterator[HookEvent]:
    kind = entry.get("type")
    message = entry.get("message")
    if not state.started and kind in ("user", "assistant"):
        state.started = True
        yield events.session_start("startup")
    if kind == "assistant" and is_object(message):
        yield from _of_assistant(_blocks(message), state)
    elif kind == "user" and is_object(message):
        yield from _of_user(entry, message, state)


def _blocks(message: JsonObject) -> list[JsonObject]:
    content = message.get("content")
    return [block for block in content if is_object(block)] if is_list(content) else []


def _of_assistant(blocks: list[JsonObject], state: _State) -> Iterator[HookEvent]:
    for block in blocks:
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            state.last_text = block["text"]
        elif block.get("type") == "tool_use":
            name, given = str(block.get("name", "")), block.get("input")
            call_id = str(block.get("id", ""))
            tool_input: JsonObject = given if is_object(given) else {}
            state.calls[call_id] = (name, tool_input)
            yield events.pre_tool_use(name, tool_input, call_id)
            yield events.permission_request(name, tool_input)


def _of_user(entry: JsonObject, message: JsonObject, state: _State) -> Iterator[HookEvent]:
    if entry.get("isCompactSummary") is True:
        yield session_events.post_compact("auto", str(message.get("content", "")))
        return
    prompt = _prompt(entry, message)
    if prompt is not None:
        if state.last_text is not None:
            yield events.stop(False, state.last_text)
            state.last_text = None
        yield events.user_prompt_submit(prompt)
    for block in _blocks(message):
        if block.get("type") == "tool_result":
            yield from _of_result(block, entry.get("toolUseResult"), state)


def _prompt(entry: JsonObject, message: JsonObject) -> str | None:
    """What was typed; None for injected text, commands and results."""
    content = message.get("content")
    if entry.get("isMeta") is True or not isinstance(content, str):
        return None
    wrapped = content.startswith(("<command-", "<local-command-", "<bash-", "[Request interrupted"))
    return None if wrapped else content


def _of_result(block: JsonObject, structured: Any, state: _State) -> Iterator[HookEvent]:
    call_id = str(block.get("tool_use_id", ""))
    if call_id not in state.calls:
        return
    name, tool_input = state.calls.pop(call_id)
    if block.get("is_error") is True:
        error = structured if isinstance(structured, str) else _text(block.get("content"))
        yield events.post_tool_use_failure(name, tool_input, call_id, error)
    else:
        response = _text(block.get("content")) if structured is None else structured
        yield events.post_tool_use(name, tool_input, response, call_id)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if is_list(content) else []
    return "\n".join(str(part.get("text", "")) for part in parts if is_object(part))
