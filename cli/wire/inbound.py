"""Lines of a client as values: user messages, control requests and answers. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

from hames.system.types import JsonObject, is_list, is_object

MAX_LINE = 32_000_000
"""Bytes; what a request to the model may hold at most. Longer lines are skipped."""

_HEAD = 4096
_REQUEST_ID = re.compile(rb'"request_id"\s*:\s*"([^"\\]{1,200})"')
_CONTROL_REQUEST = re.compile(rb'"type"\s*:\s*"control_request"')


class UserMessage(NamedTuple):
    """A message for the model. `query` false joins without a turn, `literal` stays plain text."""

    content: str | list[JsonObject]
    uuid: str | None = None
    origin: JsonObject | None = None
    query: bool = True
    literal: bool = False


class ControlRequest(NamedTuple):
    """The client wants something; `body` holds the fields beside `subtype`."""

    request_id: str
    subtype: str
    body: JsonObject


class ControlAnswer(NamedTuple):
    """The answer to a request of ours: `value`, or the `error` text of a failure."""

    request_id: str
    value: Any = None
    error: str | None = None


class BadLine(NamedTuple):
    """A line that cannot be used; `request_id` is set when it asked for an answer."""

    problem: str
    request_id: str | None = None


class Ignored(NamedTuple):
    """A line without meaning for us."""


Inbound = UserMessage | ControlRequest | ControlAnswer | BadLine | Ignored


class LineSplitter:
    """Bytes in any pieces to whole lines. A line above `limit` comes as its first bytes only."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._too_long = False

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bool]]:
        """The lines that `data` completes, each with whether it was too long."""
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._keep(part)
            yield self._take()
        self._keep(rest)

    def end(self) -> Iterator[tuple[bytes, bool]]:
        """The last line, when it has no newline."""
        if self._size:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        self._size += len(part)
        if self._size > self._limit:
            if not self._too_long:
                self._parts = [b"".join(self._parts)[:_HEAD] or part[:_HEAD]]
            self._too_long = True
        elif part:
            self._parts.append(part)

    def _take(self) -> tuple[bytes, bool]:
        line, too_long = b"".join(self._parts), self._too_long
        self._parts, self._size, self._too_long = [], 0, False
        return line, too_long


def parse_line(line: bytes, *, too_long: bool = False) -> Inbound:
    """The meaning of one line of stdin; never raises."""
    if too_long:
        return _bad(line, f"is longer than {MAX_LINE // 1_000_000} MB and was skipped")
    if not line.strip():
        return Ignored()
    try:
        message: object = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return _bad(line, "is not UTF-8 and was skipped")
    except (ValueError, RecursionError):
        return _bad(line, "is not JSON and was skipped")
    if not is_object(message):
        return _bad(line, "is not a JSON object and was skipped")
    return _parse(message)


def _bad(line: bytes, problem: str) -> BadLine:
    """A bad line; the id of a request is looked up, so that its sender need not wait."""
    head = line[:_HEAD]
    found = _REQUEST_ID.search(head) if _CONTROL_REQUEST.search(head) else None
    return BadLine(problem, found[1].decode("utf-8", "replace") if found else None)


def _parse(message: JsonObject) -> Inbound:
    match message.get("type"):
        case "user":
            return _user(message)
        case "control_request":
            return _request(message)
        case "control_response":
            return _answer(message)
        case "control_cancel_request" | "keep_alive":
            return Ignored()
        case kind:
            return BadLine(f"has the unknown type {str(kind)[:40]!r} and was skipped")


def _user(message: JsonObject) -> Inbound:
    inner = message.get("message")
    content: object = inner.get("content") if is_object(inner) else None
    blocks: list[JsonObject] = []
    if is_list(content):
        blocks = [b for b in content if is_object(b) and isinstance(b.get("type"), str)]
        if len(blocks) != len(content):
            return BadLine("is a user message with a content block without `type`; skipped")
    elif not isinstance(content, str):
        return BadLine("is a user message without `message.content` (text or blocks); skipped")
    origin = message.get("origin")
    human = is_object(origin) and origin.get("kind") == "human"
    return UserMessage(
        content=content if isinstance(content, str) else blocks,
        uuid=_uuid(message.get("uuid")),
        origin={"kind": "human"} if human else None,
        query=message.get("shouldQuery") is not False,
        literal=message.get("client_composed") is True,
    )


def _uuid(value: object) -> str | None:
    """The id of a message; one that is no UUID would make the transcript unreadable for others."""
    try:
        return str(UUID(value)) if isinstance(value, str) else None
    except ValueError:
        return None


def _request(message: JsonObject) -> Inbound:
    request_id, request = message.get("request_id"), message.get("request")
    if not isinstance(request_id, str) or not request_id:
        return BadLine("is a control_request without `request_id`; skipped")
    if not is_object(request) or not isinstance(request.get("subtype"), str):
        return BadLine("has no `request.subtype`", request_id)
    body = {key: value for key, value in request.items() if key != "subtype"}
    return ControlRequest(request_id, request["subtype"], body)


def _answer(message: JsonObject) -> Inbound:
    response = message.get("response")
    request_id = response.get("request_id") if is_object(response) else None
    if not is_object(response) or not isinstance(request_id, str):
        return BadLine("is a control_response without `response.request_id`; skipped")
    if response.get("subtype") == "success":
        return ControlAnswer(request_id, response.get("response"))
    return ControlAnswer(request_id, error=str(response.get("error") or "no reason given"))
