"""Any bytes and any JSON: an object, or one sentence; never another exception."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.check import dotted, load_catalog, salvage
from hames.settings.jsontext import Lines, blank_comments, find, scan
from hames.settings.merge import join, merge_layers
from hames.settings.parse import Unreadable, parse_bytes, parse_text

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers() | NUMBERS | st.text(max_size=5)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
CATALOG = load_catalog()
NAMES = st.sampled_from([*CATALOG, "other"])
PERMISSION_NAMES = st.sampled_from([*CATALOG["permissions"]["properties"]])
PERMISSIONS = st.dictionaries(PERMISSION_NAMES, JSON, max_size=3)


@pytest.mark.property
@given(st.binary() | st.text(alphabet='{}[]",:/*\\ \n1a').map(str.encode))
def test_bytes_are_an_object_or_unreadable(data: bytes) -> None:
    try:
        document = parse_bytes(data)
    except Unreadable as error:
        assert str(error)
    else:
        assert isinstance(document.values, dict)


@pytest.mark.property
@given(
    st.dictionaries(NAMES, JSON, max_size=3) | PERMISSIONS.map(lambda value: {"permissions": value})
)
def test_whatever_is_kept_is_right(values: dict[str, Any]) -> None:
    for managed in (False, True):
        kept, problems = salvage(values, CATALOG, managed=managed)
        again, left = salvage(kept, CATALOG, managed=managed)
        assert (again, left) == (kept, [])
        assert all(dotted(problem.path) for problem in problems)


@pytest.mark.property
@given(st.dictionaries(st.text(max_size=3), JSON, max_size=3))
def test_strict_json_has_no_comments(values: dict[str, Any]) -> None:
    text = json.dumps(values, indent=1)
    assert blank_comments(text) == text
    assert parse_text(text).values == json.loads(text)


@pytest.mark.property
@given(st.lists(SCALARS | st.lists(SCALARS)), st.lists(SCALARS | st.lists(SCALARS)))
def test_joined_lists_hold_everything_once(lower: list[Any], upper: list[Any]) -> None:
    joined = join(lower, upper)
    texts = [json.dumps(item) for item in joined]
    assert len(set(texts)) == len(texts)
    assert set(texts) == {json.dumps(item) for item in (*lower, *upper)}


def test_blanked_text_keeps_every_offset() -> None:
    text = '{ // a "b"\n "x": "//no", /* c\n d */ "y": [1, 2, ], }'
    blank = blank_comments(text)
    assert len(blank) == len(text)
    assert blank.count("\n") == text.count("\n")
    assert json.loads(blank) == {"x": "//no", "y": [1, 2]}


@pytest.mark.parametrize("text", ["{/* open", "{} // end", "{} /", "/**/{}", "// only", "{,}"])
def test_odd_comments(text: str) -> None:
    try:
        assert parse_text(text).values == {}
    except Unreadable as error:
        assert "line 1" in str(error)


def test_places_of_entries() -> None:
    text = '{\n "a": {"b\\u0041": [1,\n  "x"]},\n "a": 2\n}'
    root = scan(text)
    lines = Lines(text)
    member = find(root, ("a",))
    assert member is not None
    assert (lines.at(member.start), text[member.value.start : member.value.end]) == (4, "2")
    assert find(root, ("a", "b")) is None
    assert root is not None
    first = root.members[0].value
    entry = find(first, ("bA", 1))
    assert entry is not None
    assert lines.at(entry.start) == 3
    assert find(first, ("bA", 2)) is None


def test_no_layers_merge_to_nothing() -> None:
    assert merge_layers([]) == {}
