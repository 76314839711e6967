"""Events -> blocks: what is complete, what is kept as it came, what is marked."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.harness.models.accumulate import Accumulator, Block, clean

MESSAGE = {"id": "msg_1", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
START = {"type": "message_start", "message": {**MESSAGE, "usage": {"input_tokens": 5}}}
STOP = {"type": "message_stop"}


def opening(block: dict[str, Any], index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": fields}


def closing(index: int = 0) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def ending(reason: str = "end_turn", **more: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, **more}


def folded(*events: dict[str, Any]) -> Accumulator:
    received = Accumulator()
    for event in events:
        received.feed(event)
    return received


def one(start: dict[str, Any], *deltas: dict[str, Any]) -> Block:
    received = folded(START, opening(start), *(delta(**fields) for fields in deltas))
    block = received.feed(closing())
    assert block is not None and received.blocks == [block]
    return block


@pytest.mark.parametrize(
    ("start", "deltas", "block"),
    [
        (
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": "a"}, {"type": "text_delta", "text": "b"}],
            {"type": "text", "text": "ab"},
        ),
        ({"type": "text", "text": "whole"}, [], {"type": "text", "text": "whole"}),
        (
            {"type": "text", "text": "", "citations": None},
            [{"type": "citations_delta", "citation": {"n": 1}}] * 2,
            {"type": "text", "text": "", "citations": [{"n": 1}, {"n": 1}]},
        ),
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": "hm"},
                {"type": "signature_delta", "signature": "s"},
            ],
            {"type": "thinking", "thinking": "hm", "signature": "s"},
        ),
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [{"type": "signature_delta", "signature": "s"}],
            {"type": "thinking", "thinking": "", "signature": "s"},
        ),
        (
            {"type": "redacted_thinking", "data": "x"},
            [],
            {"type": "redacted_thinking", "data": "x"},
        ),
        (
            {"type": "tool_use", "id": "t", "name": "N", "input": {}, "caller": {"type": "direct"}},
            [
                {"type": "input_json_delta", "partial_json": ""},
                {"type": "input_json_delta", "partial_json": '{"a": [1,'},
                {"type": "input_json_delta", "partial_json": ' "ü"]}'},
            ],
            {
                "type": "tool_use",
                "id": "t",
                "name": "N",
                "input": {"a": [1, "ü"]},
                "caller": {"type": "direct"},
            },
        ),
        (
            {"type": "tool_use", "id": "t", "name": "N", "input": {}},
            [{"type": "input_json_delta", "partial_json": ""}],
            {"type": "tool_use", "id": "t", "name": "N", "input": {}},
        ),
        (
            {"type": "tool_use", "id": "t", "name": "N", "input": {"given": "whole"}},
            [],
            {"type": "tool_use", "id": "t", "name": "N", "input": {"given": "whole"}},
        ),
        (
            {"type": "compaction", "content": None},
            [{"type": "compaction_delta", "content": "sum", "encrypted_content": "e"}],
            {"type": "compaction", "content": "sum", "encrypted_content": "e"},
        ),
        (
            {"type": "from_the_future", "deep": [{"x": 1}]},
            [{"type": "future_delta", "y": 2}],
            {"type": "from_the_future", "deep": [{"x": 1}]},
        ),
    ],
)
def test_deltas_complete_their_block(
    start: dict[str, Any], deltas: list[dict[str, Any]], block: dict[str, Any]
) -> None:
    assert one(start, *deltas) == Block(0, block)


@pytest.mark.parametrize(
    "written",
    ['{"a": 1', "[1]", '"x"', "{'a': 1}", '{"a": NaN}', "nonsense", '{"a":1}{"a":1}', "[" * 99_999],
)
def test_an_input_that_is_no_object_is_marked(written: str) -> None:
    start = {"type": "tool_use", "id": "t", "name": "N", "input": {}}
    block = one(start, {"type": "input_json_delta", "partial_json": written})
    assert block.data == start
    assert block.input_error is not None and block.raw_input == written


def test_split_surrogates_are_joined_and_lone_ones_replaced() -> None:
    parts = [{"type": "text_delta", "text": part} for part in ("a\ud83c", "\udf0d b\ud800", "c")]
    assert one({"type": "text", "text": ""}, *parts).data["text"] == "a🌍 b\ufffdc"
    block = one(
        {"type": "tool_use", "id": "t", "name": "N", "input": {}},
        {"type": "input_json_delta", "partial_json": '{"\\ud800": ["\\udfff"]}'},
    )
    assert block.data["input"] == {"\ufffd": ["\ufffd"]}


def test_usage_is_merged_and_the_first_one_kept_with_the_message() -> None:
    received = folded(
        {
            "type": "message_start",
            "message": {**MESSAGE, "usage": {"input_tokens": 5, "output_tokens": 1}},
        },
        ending("tool_use", usage={"output_tokens": 7, "input_tokens": None}),
        ending("tool_use", usage={"output_tokens": 9, "iterations": [1]}),
        STOP,
    )
    assert received.usage == {"input_tokens": 5, "output_tokens": 9, "iterations": [1]}
    assert received.message["usage"] == {"input_tokens": 5, "output_tokens": 1}


def test_what_the_end_says_is_kept() -> None:
    edits = {"applied_edits": [{"type": "clear_tool_uses_20250919"}]}
    details = {"type": "refusal", "category": "cyber", "explanation": None}
    event = {
        "type": "message_delta",
        "delta": {"stop_reason": "refusal", "stop_sequence": None, "stop_details": details},
        "usage": {"output_tokens": 3},
        "context_management": edits,
        "new_member": 1,
    }
    assert folded(START, event, STOP).outcome == {
        "stop_reason": "refusal",
        "stop_details": details,
        "context_management": edits,
        "new_member": 1,
    }


def test_interleaved_blocks_are_told_apart() -> None:
    received = folded(
        START,
        opening({"type": "text", "text": ""}, 0),
        opening({"type": "text", "text": ""}, 1),
        delta(1, type="text_delta", text="one"),
        delta(0, type="text_delta", text="zero"),
        closing(1),
        closing(0),
    )
    assert [(block.index, block.data["text"]) for block in received.blocks] == [
        (1, "one"),
        (0, "zero"),
    ]


def test_repeated_and_misplaced_events_change_nothing() -> None:
    text = {"type": "text", "text": ""}
    good = [START, opening(text), delta(type="text_delta", text="a"), closing(), ending(), STOP]
    noise: list[dict[str, Any]] = [
        {},
        {"type": None},
        {"type": "message_start"},
        {"type": "message_start", "message": {"id": "other"}},
        opening(text),
        {"type": "content_block_start", "index": "x", "content_block": text},
        {"type": "content_block_start", "index": 5},
        delta(type="text_delta", text="late"),
        delta(index=9, type="text_delta", text="nowhere"),
        {"type": "content_block_delta", "index": 0},
        closing(),
        closing(9),
        {"type": "content_block_stop"},
        {"type": "message_delta"},
        {"type": "vendor_event", "x": 1},
    ]
    received = folded(*good, *noise, *good)
    assert [block.data for block in received.blocks] == [{"type": "text", "text": "a"}]
    assert (received.message["id"], received.stop_reason) == ("msg_1", "end_turn")


@pytest.mark.parametrize(
    ("events", "open_block", "finished", "answering"),
    [
        ([], False, False, False),
        ([START], False, False, False),
        ([START, opening({"type": "text", "text": ""})], True, False, False),
        ([START, opening({"type": "thinking"}), closing()], False, False, False),
        (
            [
                START,
                opening({"type": "thinking"}),
                closing(),
                opening({"type": "redacted_thinking"}, 1),
            ],
            True,
            False,
            False,
        ),
        (
            [START, opening({"type": "thinking"}), closing(), opening({"type": "text"}, 1)],
            True,
            False,
            True,
        ),
        ([START, opening({"type": "text"}), closing()], False, False, True),
        ([START, opening({"type": "text"}), closing(), ending()], False, True, True),
        ([START, opening({"type": "text"}), ending()], True, False, False),
        ([START, STOP], False, True, False),
        ([STOP], False, False, False),
    ],
)
def test_how_far_a_response_is(
    events: list[dict[str, Any]], open_block: bool, finished: bool, answering: bool
) -> None:
    received = folded(*events)
    assert (received.open_block, received.finished, received.answering) == (
        open_block,
        finished,
        answering,
    )


@pytest.mark.property
@given(
    st.dictionaries(
        st.text(), st.none() | st.integers() | st.text() | st.lists(st.text(), max_size=3)
    ),
    st.lists(st.integers(min_value=0, max_value=500), max_size=6),
)
def test_an_input_survives_any_cutting(value: dict[str, Any], cuts: list[int]) -> None:
    written = json.dumps(value)
    places = sorted({0, *(cut for cut in cuts if cut < len(written)), len(written)})
    parts = [written[a:b] for a, b in zip(places, places[1:], strict=False)]
    block = one(
        {"type": "tool_use", "id": "t", "name": "N", "input": {}},
        *({"type": "input_json_delta", "partial_json": part} for part in parts),
    )
    assert (block.data["input"], block.input_error) == (value, None)


@pytest.mark.property
@given(st.text(st.characters()))
def test_clean_text_can_be_encoded(text: str) -> None:
    cleaned = clean({"a": [text]})["a"][0]
    cleaned.encode("utf-8")
    if not any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        assert cleaned == text
