"""Bytes of a stream in any portions -> events."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.harness.models.port import TransportError
from hames.harness.models.sse import MAX_EVENT_BYTES, MAX_NOISE_BYTES, EventDecoder


def decode(*chunks: bytes) -> list[dict[str, Any]]:
    decoder = EventDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)]


@pytest.mark.parametrize(
    ("data", "events"),
    [
        (b'data: {"type":"ping"}\n\n', [{"type": "ping"}]),
        (b'data:{"type":"ping"}\r\n\r\n', [{"type": "ping"}]),
        (b'data: {"type":"ping"}\r\r', [{"type": "ping"}]),
        (b'\xef\xbb\xbfdata: {"type":"ping"}\n\n', [{"type": "ping"}]),
        (b'event: ping\ndata: {"type":"ping"}\n\n', [{"type": "ping"}]),
        (b'event: ping\ndata: {"a":1}\n\n', [{"type": "ping", "a": 1}]),
        (b'data: {"type":\ndata: "ping"}\n\n', [{"type": "ping"}]),
        (b': comment\nid: 7\nretry: 10\nodd\n\ndata: {"type":"a"}\n\n', [{"type": "a"}]),
        (b"data: [DONE]\n\n", []),
        (b"data:\n\n\n\n", []),
        (b'data: {"type":"unfinished"}\n', []),
    ],
)
def test_events_of_a_stream(data: bytes, events: list[dict[str, Any]]) -> None:
    assert decode(data) == events
    assert decode(*(bytes([byte]) for byte in data)) == events


def test_unknown_members_and_types_pass_untouched() -> None:
    event = {"type": "new_thing", "ünï": [1.5, None, {"deep": True}]}
    assert decode(f"data: {json.dumps(event)}\n\n".encode()) == [event]


@pytest.mark.parametrize(
    "data",
    [
        b"data: {not json\n\n",
        b"data: [1]\n\n",
        b'data: "text"\n\n',
        b"data: \xff\xfe\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
    ],
    ids=["broken", "list", "text", "not utf-8", "deep"],
)
def test_data_that_is_no_object_is_garbage(data: bytes) -> None:
    with pytest.raises(TransportError) as caught:
        decode(data)
    assert caught.value.reason == "garbage"


def test_an_endless_line_is_given_up() -> None:
    decoder = EventDecoder()
    chunk = b"data: " + b"x" * (1 << 20)
    with pytest.raises(TransportError):
        for _ in range(MAX_EVENT_BYTES // len(chunk) + 2):
            decoder.feed(chunk)


def test_endless_data_lines_are_given_up() -> None:
    decoder = EventDecoder()
    line = b"data: " + b"x" * (1 << 20) + b"\n"
    with pytest.raises(TransportError):
        for _ in range(MAX_EVENT_BYTES // len(line) + 2):
            decoder.feed(line)


def test_endless_text_that_is_no_event_is_given_up() -> None:
    decoder = EventDecoder()
    with pytest.raises(TransportError):
        for _ in range(MAX_NOISE_BYTES // 1000 + 2):
            decoder.feed(b"y" * 999 + b"\n")


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.property
@given(
    events=st.lists(st.dictionaries(st.text(), _json, min_size=1, max_size=3), max_size=5),
    newline=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    cuts=st.lists(st.integers(min_value=0, max_value=2000), max_size=8),
)
def test_portions_never_matter(
    events: list[dict[str, Any]], newline: bytes, cuts: list[int]
) -> None:
    written = b"".join(
        b"data: " + json.dumps(event, ensure_ascii=False).encode() + newline * 2 for event in events
    )
    places = sorted({0, *(cut for cut in cuts if cut < len(written)), len(written)})
    chunks = [written[a:b] for a, b in zip(places, places[1:], strict=False)]
    assert decode(*chunks) == events


@pytest.mark.property
@given(st.lists(st.binary(max_size=40), max_size=6))
def test_any_bytes_give_events_or_garbage(chunks: list[bytes]) -> None:
    try:
        decode(*chunks)
    except TransportError as error:
        assert error.reason == "garbage"
