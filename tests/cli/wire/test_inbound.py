"""Lines of a client: what each means, and what happens to bad ones."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.cli.wire.inbound import (
    BadLine,
    ControlAnswer,
    ControlRequest,
    Ignored,
    Inbound,
    LineSplitter,
    UserMessage,
    parse_line,
)

UUID = "11111111-2222-4333-8444-555555555555"


def user(content: object = "hi", **keys: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}, **keys}


def request(**body: Any) -> dict[str, Any]:
    return {"type": "control_request", "request_id": "req_1", "request": body}


def response(**fields: Any) -> dict[str, Any]:
    return {"type": "control_response", "response": {"request_id": "q1", **fields}}


BLOCKS: list[dict[str, Any]] = [
    {"type": "text", "text": "a"},
    {"type": "image", "source": {"type": "url", "url": "u"}},
]


@pytest.mark.parametrize(
    ("message", "meaning"),
    [
        (user(), UserMessage("hi")),
        (user(BLOCKS), UserMessage(BLOCKS)),
        (user(session_id="default", parent_tool_use_id=None), UserMessage("hi")),
        (user(uuid=UUID), UserMessage("hi", uuid=UUID)),
        (user(uuid=UUID.upper()), UserMessage("hi", uuid=UUID)),
        (user(uuid="mine"), UserMessage("hi")),
        (user(uuid=7), UserMessage("hi")),
        (user(origin={"kind": "human"}), UserMessage("hi", origin={"kind": "human"})),
        (user(origin={"kind": "human", "x": 1}), UserMessage("hi", origin={"kind": "human"})),
        (user(origin={"kind": "coordinator"}), UserMessage("hi")),
        (user(origin="human"), UserMessage("hi")),
        (user(shouldQuery=False), UserMessage("hi", query=False)),
        (user(shouldQuery=None), UserMessage("hi")),
        (user("/clear", client_composed=True), UserMessage("/clear", literal=True)),
        (request(subtype="interrupt"), ControlRequest("req_1", "interrupt", {})),
        (
            request(subtype="set_model", model=None),
            ControlRequest("req_1", "set_model", {"model": None}),
        ),
        (response(subtype="success", response={"a": 1}), ControlAnswer("q1", {"a": 1})),
        (response(subtype="success"), ControlAnswer("q1")),
        (response(subtype="error", error="no"), ControlAnswer("q1", error="no")),
        (response(), ControlAnswer("q1", error="no reason given")),
        ({"type": "control_cancel_request", "request_id": "req_1"}, Ignored()),
        ({"type": "keep_alive"}, Ignored()),
    ],
)
def test_a_line_means(message: dict[str, Any], meaning: Inbound) -> None:
    assert parse_line(json.dumps(message).encode()) == meaning


@pytest.mark.parametrize("line", [b"", b" \t ", b"\r"])
def test_blank_lines_mean_nothing(line: bytes) -> None:
    assert parse_line(line) == Ignored()


def test_a_carriage_return_at_the_end_is_ignored() -> None:
    assert parse_line(json.dumps(user()).encode() + b"\r") == UserMessage("hi")


@pytest.mark.parametrize(
    ("line", "bad"),
    [
        (b"{", BadLine("is not JSON and was skipped")),
        (b"[1]", BadLine("is not a JSON object and was skipped")),
        (b"7", BadLine("is not a JSON object and was skipped")),
        (b'{"type":"user"\xff}', BadLine("is not UTF-8 and was skipped")),
        (b"[" * 100_000, BadLine("is not JSON and was skipped")),
        (b'{"type":"dance"}', BadLine("has the unknown type 'dance' and was skipped")),
        (b"{}", BadLine("has the unknown type 'None' and was skipped")),
        (
            b'{"type":"control_request","request":{"subtype":"interrupt"}}',
            BadLine("is a control_request without `request_id`; skipped"),
        ),
        (
            b'{"type":"control_request","request_id":"r","request":{}}',
            BadLine("has no `request.subtype`", "r"),
        ),
        (
            b'{"type":"control_request","request_id":"r","request":"interrupt"}',
            BadLine("has no `request.subtype`", "r"),
        ),
        (
            b'{"type": "control_request", "request_id": "r7", "request": {"subtype": \xff}}',
            BadLine("is not UTF-8 and was skipped", "r7"),
        ),
        (
            b'{"type":"control_request","request_id":"r8","request":',
            BadLine("is not JSON and was skipped", "r8"),
        ),
        (
            b'{"type":"control_response","response":[]}',
            BadLine("is a control_response without `response.request_id`; skipped"),
        ),
        (
            b'{"type":"user"}',
            BadLine("is a user message without `message.content` (text or blocks); skipped"),
        ),
        (
            b'{"type":"user","message":{"content":[{"text":"a"}]}}',
            BadLine("is a user message with a content block without `type`; skipped"),
        ),
    ],
)
def test_a_bad_line_says_what_is_wrong_and_who_waits(line: bytes, bad: BadLine) -> None:
    assert parse_line(line) == bad


def test_a_line_that_is_too_long_keeps_only_its_head() -> None:
    splitter = LineSplitter(limit=10_000)
    head = b'{"type":"control_request","request_id":"r9","request":"'
    lines = [*splitter.feed(head + b"a" * 6000), *splitter.feed(b"b" * 6000 + b'"}\n{}\n')]
    assert lines == [((head + b"a" * 6000)[:4096], True), (b"{}", False)]
    assert parse_line(*lines[0][:1], too_long=True) == BadLine(
        "is longer than 32 MB and was skipped", "r9"
    )


def test_the_last_line_needs_no_newline() -> None:
    splitter = LineSplitter()
    assert list(splitter.feed(b'{"a":1}\n{"b"')) == [(b'{"a":1}', False)]
    assert list(splitter.feed(b":2}")) == []
    assert list(splitter.end()) == [(b'{"b":2}', False)]
    assert list(splitter.end()) == []


@pytest.mark.property
@given(st.lists(st.text(st.characters(exclude_characters="\n")), max_size=8), st.data())
def test_lines_do_not_depend_on_how_they_are_read(lines: list[str], data: st.DataObject) -> None:
    whole = "".join(line + "\n" for line in lines).encode("utf-8", "surrogatepass")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12)))
    splitter, found = LineSplitter(), list[bytes]()
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += [line for line, _ in splitter.feed(whole[start:end])]
    assert found == [line.encode("utf-8", "surrogatepass") for line in lines]
    assert list(splitter.end()) == []


@pytest.mark.property
@given(st.binary())
def test_no_bytes_raise(line: bytes) -> None:
    parse_line(line)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(["request_id", "request", "response", "message", "uuid", "origin"])


@pytest.mark.property
@given(
    st.sampled_from(["user", "control_request", "control_response", "other"]),
    st.dictionaries(FIELDS, JSON),
)
def test_no_shape_raises(kind: str, fields: dict[str, Any]) -> None:
    meaning = parse_line(json.dumps({"type": kind, **fields}).encode())
    assert isinstance(meaning, tuple)
