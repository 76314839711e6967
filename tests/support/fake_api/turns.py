"""Builders of answers: blocks, turns, errors, and the faults of their delivery."""

import dataclasses
import itertools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from support.fake_api.record import RecordedRequest

Block = dict[str, Any]
Position = int | float
"""Where in a stream: an int is a number of whole events, a float a share of its bytes."""

_call_numbers = itertools.count(1)


class Gate:
    """A stop that a test releases; safe from any thread and any loop."""

    def __init__(self) -> None:
        self.reached: Future[None] = Future()
        self.released: Future[None] = Future()

    def release(self) -> None:
        """Let the stream go on."""
        if not self.released.done():
            self.released.set_result(None)

    def wait_reached(self, timeout: float = 10.0) -> None:
        """Block until the server stands at the gate; for tests without a loop of their own."""
        self.reached.result(timeout)


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a rendered answer is sent; every fault is off by default.

    `cut` resets the connection, `close` closes it inside the body, `short` ends the body early but
    properly, `stall` stays silent until the client goes away. `delay` is seconds between events,
    `fragment` bytes per write.
    """

    cut: Position | None = None
    close: Position | None = None
    short: Position | None = None
    stall: Position | None = None
    failed: tuple[Position, str, str] | None = None
    hold: tuple[Position, Gate] | None = None
    delay: float = 0.0
    fragment: int | None = None
    doubled: bool = False
    garbage: bytes | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model. `usage` overrides the computed numbers."""

    blocks: tuple[Block, ...] = ()
    stop_reason: str | None = None
    stop_sequence: str | None = None
    stop_details: Mapping[str, Any] | None = None
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    delivery: Delivery = field(default_factory=Delivery)

    @property
    def reason(self) -> str:
        """The stop reason, by default from the blocks."""
        calls = any(block["type"] == "tool_use" for block in self.blocks)
        return self.stop_reason or ("tool_use" if calls else "end_turn")


@dataclass(frozen=True, slots=True)
class Failure:
    """An error status in place of an answer."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    raw: bytes | None = None


Script = Callable[["RecordedRequest"], "Turn | Failure"]
Reply = Turn | Failure | Script


def text(value: str) -> Block:
    """A text block."""
    return {"type": "text", "text": value}


def tool_use(name: str, input: Mapping[str, Any] | None = None, id: str | None = None) -> Block:
    """A call; the id is made up when not given."""
    made = id or f"toolu_01{next(_call_numbers):022d}"
    return {"type": "tool_use", "id": made, "name": name, "input": dict(input or {})}


def thinking(value: str, signature: str | None = None) -> Block:
    """A thinking block; without a signature the server signs it for its place."""
    return {"type": "thinking", "thinking": value, "signature": signature}


def redacted_thinking() -> Block:
    """A redacted block, signed by the server."""
    return {"type": "redacted_thinking", "data": None}


def turn(*blocks: Block | str, **options: Any) -> Turn:
    """An answer; a string is a text block; options are the other fields of `Turn`."""
    return Turn(tuple(text(b) if isinstance(b, str) else b for b in blocks), **options)


def refused(category: str | None = "cyber", explanation: str | None = None) -> Turn:
    """A refusal by the classifiers, partial text included."""
    details = {"type": "refusal", "category": category, "explanation": explanation}
    return turn("I", stop_reason="refusal", stop_details=details)


def error(
    status: int,
    type: str = "api_error",
    message: str = "Internal server error",
    retry_after: float | None = None,
    headers: Mapping[str, str] | None = None,
) -> Failure:
    """An error status with the API's error body."""
    extra = dict(headers or {})
    if retry_after is not None:
        extra["retry-after"] = f"{retry_after:g}"
    return Failure(status, type, message, extra)


def overloaded() -> Failure:
    """529."""
    return error(529, "overloaded_error", "Overloaded")


def prompt_too_long(tokens: int = 1_100_000, limit: int = 1_000_000) -> Failure:
    """The 400 of a history that does not fit."""
    message = f"prompt is too long: {tokens} tokens > {limit} maximum"
    return error(400, "invalid_request_error", message)


def html_error(status: int = 502) -> Failure:
    """The error page of a proxy in between."""
    page = b"<html><body><h1>Bad Gateway</h1></body></html>"
    return Failure(status, "", "", {"content-type": "text/html"}, page)


def _with(reply: Turn | None, **changes: Any) -> Turn:
    base = reply or turn("A text that is long enough to be cut somewhere in its middle.")
    return dataclasses.replace(base, delivery=dataclasses.replace(base.delivery, **changes))


def cut(reply: Turn | None = None, *, at: Position = 0.5) -> Turn:
    """The connection is reset at `at`."""
    return _with(reply, cut=at)


def closed(reply: Turn | None = None, *, at: Position = 0.5) -> Turn:
    """The connection is closed inside the chunked body at `at`."""
    return _with(reply, close=at)


def short(reply: Turn | None = None, *, at: Position = 0.5) -> Turn:
    """The body ends properly, but at `at`."""
    return _with(reply, short=at)


def stall(reply: Turn | None = None, *, at: Position = 0.5) -> Turn:
    """Nothing comes after `at`, the connection stays open."""
    return _with(reply, stall=at)


def stream_error(
    reply: Turn | None = None,
    *,
    after: Position = 0.5,
    type: str = "overloaded_error",
    message: str = "Overloaded",
) -> Turn:
    """An `error` event after whole events up to `after`, then the end of the body."""
    return _with(reply, failed=(after, type, message))


def held(reply: Turn | None = None, *, gate: Gate, at: Position = 0.5) -> Turn:
    """The stream waits at `at` until the test releases the gate."""
    return _with(reply, hold=(at, gate))


def slow(reply: Turn | None = None, *, delay: float = 0.02) -> Turn:
    """`delay` seconds between events."""
    return _with(reply, delay=delay)


def fragmented(reply: Turn | None = None, *, size: int = 7) -> Turn:
    """Written `size` bytes at a time, across lines and characters."""
    return _with(reply, fragment=size)


def duplicate_events(reply: Turn | None = None) -> Turn:
    """Every event twice."""
    return _with(reply, doubled=True)


def garbage(data: bytes = b"\x00\xff\xfe event: nonsense\ndata: {not json\n\n") -> Turn:
    """Bytes that are no events, in an event stream."""
    return _with(None, garbage=data)


def wrong_content_type(reply: Turn | None = None, *, content_type: str = "text/html") -> Turn:
    """A good stream under another content type."""
    return _with(reply, content_type=content_type)


def truncated_tool_json(name: str = "Bash", partial: str = '{"command": "ls -l') -> Turn:
    """A call whose input stops in mid-string because of max_tokens."""
    block = {**tool_use(name), "partial_json": partial}
    return turn("Listing.", block, stop_reason="max_tokens")


def partial_json(input: Mapping[str, Any]) -> str:
    """The input JSON as the API streams it."""
    return json.dumps(dict(input), ensure_ascii=False) if input else ""
