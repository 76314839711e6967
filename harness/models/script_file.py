"""The file of a scripted model: assistant turns as JSON, checked when it is read."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hames.harness.errors import ConfigError
from hames.system.types import JsonObject, as_object, is_list, is_object

_TURN_KEYS = frozenset({"content", "stop_reason", "usage", "expect", "delay_ms", "error"})
_EXPECT_KEYS = frozenset({"contains", "tools"})


@dataclass(frozen=True, slots=True)
class ScriptError:
    """An error to answer with; a `status` of None makes it an `error` event."""

    kind: str
    message: str
    status: int | None
    retry_after: float | None


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """One prepared answer. `contains` and `tools` are what the request must hold."""

    blocks: tuple[JsonObject, ...]
    stop_reason: str
    usage: JsonObject
    contains: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    delay: float = 0.0
    error: ScriptError | None = None


def read_script(path: Path, cwd: Path) -> list[ScriptTurn]:
    """The turns of a file, placeholders filled in. Raises ConfigError that names the place."""
    try:
        script = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid JSON: {error}") from None
    turns = script.get("turns") if is_object(script) else None
    if not is_list(turns):
        raise ConfigError(f'{path}: write it as {{"turns": [{{"content": "..."}}]}}')
    values = {"${cwd}": str(cwd), "${python}": sys.executable}
    filled: list[Any] = [_fill(turn, values) for turn in turns]
    return [_turn(turn, f"{path}: turns[{number}]") for number, turn in enumerate(filled)]


def replay_turns(entries: Iterable[JsonObject]) -> list[ScriptTurn]:
    """The assistant turns of a transcript's entries; lines of one response become one turn."""
    found: dict[str, list[JsonObject]] = {}
    for number, entry in enumerate(entries):
        message = as_object(entry.get("message"))
        skipped = entry.get("isSidechain") or entry.get("isApiErrorMessage")
        if entry.get("type") == "assistant" and message is not None and not skipped:
            found.setdefault(str(message.get("id") or number), []).append(message)
    return [_replayed(messages) for messages in found.values()]


def _replayed(messages: list[JsonObject]) -> ScriptTurn:
    blocks = [block for message in messages for block in message.get("content", [])]
    reasons = [reason for message in messages if (reason := message.get("stop_reason"))]
    usage = as_object(messages[-1].get("usage")) or {}
    return ScriptTurn(tuple(blocks), reasons[-1] if reasons else _reason(blocks), usage)


def _fill(value: Any, values: dict[str, str]) -> Any:
    if isinstance(value, str):
        for name, text in values.items():
            value = value.replace(name, text)
        return value
    if is_list(value):
        return [_fill(item, values) for item in value]
    if is_object(value):
        return {key: _fill(item, values) for key, item in value.items()}
    return value


def _turn(value: Any, where: str) -> ScriptTurn:
    turn = _object(value, where, _TURN_KEYS)
    expect = _object(turn.get("expect", {}), f"{where}.expect", _EXPECT_KEYS)
    blocks = _blocks(turn.get("content", []), where)
    return ScriptTurn(
        blocks=tuple(blocks),
        stop_reason=_text(turn.get("stop_reason", _reason(blocks)), f"{where}.stop_reason"),
        usage=_object(turn.get("usage", {}), f"{where}.usage"),
        contains=_texts(expect.get("contains", []), f"{where}.expect.contains"),
        tools=_texts(expect.get("tools", []), f"{where}.expect.tools"),
        delay=_number(turn.get("delay_ms", 0), f"{where}.delay_ms") / 1000,
        error=_error(turn["error"], f"{where}.error") if "error" in turn else None,
    )


def _error(value: Any, where: str) -> ScriptError:
    error = _object(value, where, frozenset({"status", "type", "message", "retry_after"}))
    status = error.get("status")
    wait = error.get("retry_after")
    return ScriptError(
        kind=_text(error.get("type", "api_error"), f"{where}.type"),
        message=_text(error.get("message", "scripted error"), f"{where}.message"),
        status=None if status is None else int(_number(status, f"{where}.status")),
        retry_after=None if wait is None else _number(wait, f"{where}.retry_after"),
    )


def _blocks(value: Any, where: str) -> list[JsonObject]:
    if isinstance(value, str):
        return [{"type": "text", "text": value}]
    if not is_list(value):
        raise ConfigError(f"{where}.content: give a text or a list of content blocks")
    blocks: list[JsonObject] = []
    for number, item in enumerate(value):
        place = f"{where}.content[{number}]"
        block = {"type": "text", "text": item} if isinstance(item, str) else _object(item, place)
        if not isinstance(block.get("type"), str):
            raise ConfigError(f"{place}: a content block needs a type")
        if block["type"] == "tool_use" and not isinstance(block.get("name"), str):
            raise ConfigError(f"{place}: a tool_use block needs the name of a tool")
        blocks.append(block)
    return blocks


def _reason(blocks: list[JsonObject]) -> str:
    calls = any(block.get("type") == "tool_use" for block in blocks)
    return "tool_use" if calls else "end_turn"


def _object(value: Any, where: str, keys: frozenset[str] | None = None) -> JsonObject:
    found = as_object(value)
    if found is None:
        raise ConfigError(f"{where}: must be an object")
    for key in found:
        if keys is not None and key not in keys:
            raise ConfigError(f"{where}: unknown key {key!r}; known are {', '.join(sorted(keys))}")
    return found


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{where}: must be a text")
    return value


def _texts(value: Any, where: str) -> tuple[str, ...]:
    items: list[Any] = value if is_list(value) else [value]
    return tuple(_text(item, where) for item in items)


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ConfigError(f"{where}: must be a number >= 0")
    return float(value)
