"""The plan of sending an answer: which bytes, and which faults at which place."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from support.fake_api.stream import encode
from support.fake_api.turns import Delivery, Gate, Position


@dataclass(frozen=True, slots=True)
class Send:
    """Write these bytes as one chunk."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Wait until the test releases the gate."""

    gate: Gate


@dataclass(frozen=True, slots=True)
class End:
    """Leave the connection: `reset`, `close`, or `stall` until the client goes away."""

    how: str


Action = Send | Pause | WaitFor | End
Frame = Callable[[Mapping[str, Any]], bytes]
"""How one event stands on the wire."""


def _offset(events: Sequence[bytes], position: Position) -> int:
    if isinstance(position, int):
        return sum(len(event) for event in events[:position])
    return int(sum(len(event) for event in events) * position)


def _boundary(events: Sequence[bytes], position: Position) -> int:
    """The end of the last whole event before `position`."""
    limit, end = _offset(events, position), 0
    for event in events:
        if end + len(event) > limit:
            break
        end += len(event)
    return end


def plan(events: Sequence[bytes], delivery: Delivery, frame: Frame = encode) -> Iterator[Action]:
    """What to do, in order; without an `End` the body then ends as HTTP wants it."""
    if delivery.garbage is not None:
        yield Send(delivery.garbage)
        return
    if delivery.doubled:
        events = [copy for event in events for copy in (event, event)]
    stop, ending = _stop(events, delivery, frame)
    gate_at = _offset(events, delivery.hold[0]) if delivery.hold else None
    at = 0
    for size in _sizes(events, delivery):
        end = min(at + size, stop)
        if delivery.hold and gate_at is not None and at <= gate_at <= end:
            yield from _sent(events, at, gate_at)
            yield WaitFor(delivery.hold[1])
            at, gate_at = gate_at, None
        yield from _sent(events, at, end)
        at = end
        if at >= stop:
            break
        if delivery.delay:
            yield Pause(delivery.delay)
    yield from ending


def _sizes(events: Sequence[bytes], delivery: Delivery) -> Iterator[int]:
    if delivery.fragment is None:
        yield from (len(event) for event in events)
        return
    total = sum(len(event) for event in events)
    for start in range(0, total, delivery.fragment):
        yield min(delivery.fragment, total - start)


def _sent(events: Sequence[bytes], start: int, end: int) -> Iterator[Action]:
    if end > start:
        yield Send(b"".join(events)[start:end])


def _stop(events: Sequence[bytes], delivery: Delivery, frame: Frame) -> tuple[int, list[Action]]:
    """Where the good bytes end, and what follows them."""
    if delivery.cut is not None:
        return _offset(events, delivery.cut), [End("reset")]
    if delivery.close is not None:
        return _offset(events, delivery.close), [End("close")]
    if delivery.stall is not None:
        return _offset(events, delivery.stall), [End("stall")]
    if delivery.short is not None:
        return _offset(events, delivery.short), []
    if delivery.failed is not None:
        after, kind, message = delivery.failed
        event = {"type": "error", "error": {"type": kind, "message": message}}
        return _boundary(events, after), [Send(frame(event))]
    return sum(len(event) for event in events), []


def json_bytes(value: object) -> bytes:
    """A JSON body as the API spells it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )
