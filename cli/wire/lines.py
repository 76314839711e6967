"""Messages as lines: compact JSON, one per line, below the limit of their readers."""

import json
from typing import Any

from hames.system.text import clean
from hames.system.types import JsonObject, is_list, is_object

MAX_LINE = 1_000_000
"""Characters; readers give up at 1 MiB."""

_FRAME = 10_000
"""Characters kept free for the message around a list."""

_LONG = 20_000


def line_of(message: JsonObject, *, shorten: bool = True) -> str:
    """The message as one line with its newline; what makes it too long is cut and says so.

    With `shorten` off it stays whole, however long it is.
    """
    text = _encode(message)
    if not shorten:
        return text + "\n"
    if len(text) >= MAX_LINE and "tool_use_result" in message:
        text = _encode({**message, "tool_use_result": {"truncated": True}})
        message = {**message, "tool_use_result": {"truncated": True}}
    limit = _LONG
    while len(text) >= MAX_LINE and limit >= 10:
        text = _encode(_shortened(message, limit))
        limit //= 4
    return text + "\n"


def parts_below_limit(entries: list[JsonObject]) -> list[list[JsonObject]]:
    """The entries in order, in parts that fit into one line each; a long one stands alone."""
    parts: list[list[JsonObject]] = []
    room = 0
    for entry in entries:
        size = len(_encode(entry)) + 1
        if size > room:
            parts.append([])
            room = MAX_LINE - _FRAME
        parts[-1].append(entry)
        room -= size
    return parts


def _encode(message: Any) -> str:
    return clean(json.dumps(message, ensure_ascii=False, separators=(",", ":")))


def _shortened(value: Any, limit: int) -> Any:
    """The value with every long text cut; base64 data is replaced, as half of it is useless."""
    if isinstance(value, str):
        note = f"[{len(value)} characters, cut]"
        return value if len(value) <= limit else value[:limit] + note
    if is_list(value):
        return [_shortened(item, limit) for item in value]
    if is_object(value):
        return {key: _shortened(item, limit) for key, item in value.items()}
    return value
