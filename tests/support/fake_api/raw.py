"""A request body as text spans: what the API reads, without losing a byte of what was sent."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False)
_MARK = "cache_control"


class Member(NamedTuple):
    """One member of an object: its key and the offsets of key and value in the text."""

    key: str
    key_start: int
    start: int
    end: int


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def members(text: str, start: int = 0) -> list[Member]:
    """The members of the JSON object at `start`; ValueError when there is none."""
    found: list[Member] = []
    at = _skip(text, start)
    if text[at : at + 1] != "{":
        raise ValueError("not an object")
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, key_end = _DECODER.raw_decode(text, at)
        colon = _skip(text, key_end)
        value = _skip(text, colon + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(Member(key, at, value, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return found


def elements(text: str, start: int) -> list[tuple[int, int]]:
    """Start and end of every element of the JSON array at `start`; [] for another value."""
    found: list[tuple[int, int]] = []
    at = _skip(text, start)
    if text[at : at + 1] != "[":
        return found
    at = _skip(text, at + 1)
    while text[at : at + 1] not in ("]", ""):
        _, end = _DECODER.raw_decode(text, at)
        found.append((at, end))
        at = _skip(text, end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
    return found


def _mark_spans(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Spans of the cache marks of a block and of the blocks in its `content`, commas included."""
    if text[start : start + 1] != "{":
        return
    parts = members(text, start)
    for index, part in enumerate(parts):
        if part.key == _MARK:
            if index:
                yield parts[index - 1].end, part.end
            elif len(parts) > 1:
                yield part.key_start, parts[1].key_start
            else:
                yield part.key_start, part.end
        elif part.key == "content":
            for inner, _ in elements(text, part.start):
                yield from _mark_spans(text, inner)


def without_marks(text: str) -> str:
    """A tool, block, message or array of them, every cache mark cut out, other bytes kept."""
    if f'"{_MARK}"' not in text:
        return text
    starts = [s for s, _ in elements(text, 0)] if text.startswith("[") else [0]
    kept: list[str] = []
    at = 0
    for start in starts:
        for begin, end in _mark_spans(text, start):
            kept.append(text[at:begin])
            at = end
    return "".join((*kept, text[at:]))


@dataclass(frozen=True, slots=True)
class RawBody:
    """The parts of a body that the prefix law compares, as sent but without cache marks."""

    tools: str
    system: str
    messages: tuple[str, ...]


def read_raw(raw: bytes) -> RawBody:
    """Cut a body into its parts; ValueError when it is no JSON object in UTF-8."""
    text = raw.decode("utf-8")
    parts = {part.key: part for part in members(text)}

    def value(key: str) -> str:
        part = parts.get(key)
        return without_marks(text[part.start : part.end]) if part else ""

    listed = parts.get("messages")
    spans = elements(text, listed.start) if listed else []
    return RawBody(
        tools=value("tools"),
        system=value("system"),
        messages=tuple(without_marks(text[start:end]) for start, end in spans),
    )


def block_texts(message: str) -> list[str]:
    """The raw blocks of one raw message; a string content counts as one block."""
    for part in members(message):
        if part.key == "content":
            spans = elements(message, part.start)
            return [message[s:e] for s, e in spans] or [message[part.start : part.end]]
    return []
