"""Where the parts of a JSON text stand, so that one can be replaced and the rest kept."""

import json
import re

from hames.system.encoding import Span

_SPACE = re.compile(r"[ \t\n\r]*")
_decode = json.JSONDecoder(strict=False).raw_decode


def member_spans(text: str, start: int = 0) -> dict[str, Span]:
    """The values of the object at `start`, by key. The text must be valid JSON."""
    spans: dict[str, Span] = {}
    at = _next(text, _next(text, start) + 1)
    while text[at] != "}":
        key, at = _decode(text, at)
        spans[key] = span = _value(text, _next(text, at) + 1)
        at = _after(text, span)
    return spans


def element_spans(text: str, start: int) -> list[Span]:
    """The elements of the array at `start`. The text must be valid JSON."""
    spans: list[Span] = []
    at = _next(text, start + 1)
    while text[at] != "]":
        spans.append(_value(text, at))
        at = _after(text, spans[-1])
    return spans


def _next(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int) -> Span:
    start = _next(text, at)
    return start, _decode(text, start)[1]


def _after(text: str, span: Span) -> int:
    """Where the next member begins, or the closing bracket stands."""
    at = _next(text, span[1])
    return _next(text, at + 1) if text[at] == "," else at
