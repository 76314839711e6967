"""Lines stay below the limit of their readers and are valid JSON in valid UTF-8."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.cli.wire.lines import MAX_LINE, line_of, parts_below_limit

LONG = "x" * (2 * MAX_LINE)


def test_a_short_message_is_one_compact_line() -> None:
    assert line_of({"type": "a", "b": [1, "ü"]}) == '{"type":"a","b":[1,"ü"]}\n'


def test_lone_surrogates_are_replaced() -> None:
    assert line_of({"a": "\ud800"}).encode() == '{"a":"\ufffd"}\n'.encode()


@pytest.mark.parametrize(
    "message",
    [
        {"text": LONG},
        {"tool_use_result": {"file": LONG}, "message": "kept"},
        {"content": [{"text": LONG}, {"text": LONG}]},
        {"many": ["y" * 5000] * 1000},
    ],
)
def test_a_long_message_is_cut_below_the_limit(message: dict[str, Any]) -> None:
    line = line_of(message)
    assert len(line) <= MAX_LINE
    assert set(json.loads(line)) == set(message)


def test_a_message_that_must_stay_whole_is_not_cut() -> None:
    assert json.loads(line_of({"text": LONG}, shorten=False)) == {"text": LONG}


def test_the_structured_result_goes_first() -> None:
    line = line_of({"tool_use_result": {"file": LONG}, "message": "m" * 30_000})
    assert json.loads(line) == {"tool_use_result": {"truncated": True}, "message": "m" * 30_000}


def test_entries_are_spread_over_lines_in_order() -> None:
    entries = [{"number": number, "text": "z" * 300_000} for number in range(7)]
    parts = parts_below_limit(entries)
    assert [len(part) for part in parts] == [3, 3, 1]
    assert [entry for part in parts for entry in part] == entries
    assert all(len(line_of({"entries": part}, shorten=False)) < MAX_LINE for part in parts)


def test_an_entry_too_long_for_a_line_stands_alone() -> None:
    small, large = {"a": 1}, {"b": LONG}
    assert parts_below_limit([small, large, small]) == [[small], [large], [small]]
    assert parts_below_limit([]) == []


@pytest.mark.property
@given(st.lists(st.integers(0, 700_000), max_size=12))
def test_no_part_is_empty_or_too_long(sizes: list[int]) -> None:
    entries = [{"text": "x" * size} for size in sizes]
    parts = parts_below_limit(entries)
    assert [entry for part in parts for entry in part] == entries
    for part in parts:
        assert part
        assert sum(len(entry["text"]) for entry in part) < MAX_LINE
