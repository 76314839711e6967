"""Frames of AWS: any portions, any header types, no damage unnoticed."""

import base64
import json
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.harness.models.aws_events import FrameDecoder
from hames.harness.models.port import TransportError
from support.fake_api.clouds import aws_frame

CHUNK = {":message-type": "event", ":event-type": "chunk", ":content-type": "application/json"}


def chunk(event: dict[str, object]) -> bytes:
    data = base64.b64encode(json.dumps(event).encode()).decode()
    return aws_frame(CHUNK, json.dumps({"bytes": data}).encode())


EVENTS: list[dict[str, object]] = [{"type": "ping"}, {"type": "new", "text": "Hällo 🌍"}]
STREAM = b"".join(chunk(event) for event in EVENTS)


@pytest.mark.property
@given(st.lists(st.integers(0, len(STREAM)), max_size=8))
def test_frames_may_be_cut_anywhere(cuts: list[int]) -> None:
    decoder = FrameDecoder()
    places = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in zip(places, places[1:], strict=False)]
    assert [event for piece in pieces for event in decoder.feed(piece)] == EVENTS


@pytest.mark.property
@given(st.integers(0, len(STREAM) - 1), st.integers(1, 255))
def test_a_changed_byte_never_yields_another_event(place: int, change: int) -> None:
    damaged = bytearray(STREAM)
    damaged[place] ^= change
    decoder = FrameDecoder()
    found: list[object] = []
    try:
        found = list(decoder.feed(bytes(damaged)))
    except TransportError as error:
        assert error.reason == "garbage"
    assert found in ([], EVENTS[:1])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", "rate_limit_error"),
        ("serviceUnavailableException", "overloaded_error"),
        ("modelTimeoutException", "timeout_error"),
        ("validationException", "invalid_request_error"),
        ("internalServerException", "api_error"),
    ],
)
def test_an_exception_becomes_an_error_event(name: str, kind: str) -> None:
    headers = {":message-type": "exception", ":exception-type": name}
    frame = aws_frame(headers, b'{"message":"Too many"}')
    error = {"type": kind, "message": "Too many"}
    assert FrameDecoder().feed(frame) == [{"type": "error", "error": error}]


def test_an_error_without_a_body_has_its_text_in_the_headers() -> None:
    headers = {":message-type": "error", ":error-code": "X", ":error-message": "Broken"}
    error = {"type": "api_error", "message": "Broken"}
    assert FrameDecoder().feed(aws_frame(headers, b"")) == [{"type": "error", "error": error}]


def test_frames_of_other_kinds_are_skipped() -> None:
    frame = aws_frame({":message-type": "event", ":event-type": "initial-response"}, b"{}")
    assert FrameDecoder().feed(frame + chunk(EVENTS[0])) == EVENTS[:1]


def test_headers_of_other_types_are_stepped_over() -> None:
    head = b"\x01a\x00" + b"\x01b\x04" + b"\0\0\0\1" + b"\x01c\x06\0\2xy"
    named = b"".join(
        bytes([len(k)]) + k.encode() + b"\x07" + struct.pack(">H", len(v)) + v.encode()
        for k, v in CHUNK.items()
    )
    data = base64.b64encode(b'{"type":"ping"}').decode()
    payload = json.dumps({"bytes": data}).encode()
    size = 16 + len(head + named) + len(payload)
    prelude = struct.pack(">II", size, len(head + named))
    prelude += struct.pack(">I", zlib.crc32(prelude))
    message = prelude + head + named + payload
    frame = message + struct.pack(">I", zlib.crc32(message))
    assert FrameDecoder().feed(frame) == EVENTS[:1]


@pytest.mark.parametrize(
    "frame",
    [
        b"data: {}\n\n" * 2,
        aws_frame(CHUNK, b'{"bytes":"%%%"}'),
        aws_frame(CHUNK, b"nothing"),
        aws_frame(CHUNK, json.dumps({"bytes": base64.b64encode(b"[]").decode()}).encode()),
    ],
    ids=["sse", "base64", "json", "list"],
)
def test_other_data_is_garbage(frame: bytes) -> None:
    with pytest.raises(TransportError, match="stream"):
        FrameDecoder().feed(frame)
