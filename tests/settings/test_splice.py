"""A change touches one place of a text; every other character stays."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.parse import parse_text
from hames.settings.splice import add_items, remove_items, remove_key, set_value

ALLOW = ("permissions", "allow")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "permissions": {\n    "allow": [\n      "B"\n    ]\n  }\n}\n'),
        ("{}", '{\n  "permissions": {\n    "allow": [\n      "B"\n    ]\n  }\n}'),
        (
            '{\n\t"model": "x"\n}\n',
            '{\n\t"model": "x",\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"B"\n\t\t]\n\t}\n}\n',
        ),
        (
            '{\n  "permissions": {\n    "allow": ["A"] // mine\n  }\n}',
            '{\n  "permissions": {\n    "allow": ["A", "B"] // mine\n  }\n}',
        ),
        (
            '{"permissions": {"allow": [\n  "A" // first\n]}}',
            '{"permissions": {"allow": [\n  "A", // first\n  "B"\n]}}',
        ),
        (
            '{"permissions": {"allow": [\n  "A", // first\n  // end\n]}}',
            '{"permissions": {"allow": [\n  "A", // first\n  // end\n  "B"\n]}}',
        ),
        ('{"permissions": {"allow": ["A",]}}', '{"permissions": {"allow": ["A", "B",]}}'),
        (
            '{\r\n  "permissions": {\r\n    "allow": []\r\n  }\r\n}\r\n',
            '{\r\n  "permissions": {\r\n    "allow": [\r\n      "B"\r\n    ]\r\n  }\r\n}\r\n',
        ),
        (
            '{"permissions": {"deny": ["D"]}, "x": [1,  2]}',
            '{"permissions": {"deny": ["D"], "allow": ["B"]}, "x": [1,  2]}',
        ),
        ('{"permissions": {"allow": ["B"]}}', '{"permissions": {"allow": ["B"]}}'),
    ],
)
def test_a_rule_is_added_in_the_manner_of_the_file(before: str, after: str) -> None:
    assert add_items(before, ALLOW, ["B"]) == after
    assert parse_text(after).values["permissions"]["allow"][-1] == "B"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"permissions": {"allow": ["B"]}}', '{"permissions": {"allow": []}}'),
        ('{"permissions": {"allow": ["A", "B"]}}', '{"permissions": {"allow": ["A"]}}'),
        ('{"permissions": {"allow": ["B", "C"]}}', '{"permissions": {"allow": ["C"]}}'),
        (
            '{"permissions": {"allow": [\n  "A", // a\n  "B" // b\n]}}',
            '{"permissions": {"allow": [\n  "A" // a\n  // b\n]}}',
        ),
        (
            '{"permissions": {"allow": [\n  "B",\n  "C"\n]}}',
            '{"permissions": {"allow": [\n  "C"\n]}}',
        ),
        (
            '{"permissions": {"allow": [\n  "C",\n  "B"\n]}}',
            '{"permissions": {"allow": [\n  "C"\n]}}',
        ),
        ('{"permissions": {"allow": ["B", "B"]}}', '{"permissions": {"allow": []}}'),
        ('{"permissions": {}}', '{"permissions": {}}'),
    ],
)
def test_a_rule_is_removed_and_comments_stay(before: str, after: str) -> None:
    assert remove_items(before, ALLOW, ["B"]) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": 1, "b": {"c": [1]}}', '{"a": 1, "b": {"c": "x"}}'),
        ('{"a": 1}', '{"a": 1, "b": {"c": "x"}}'),
        ('{"b": {"c": "x"}}  ', '{"b": {"c": "x"}}  '),
        ('{"b": {"c": 1}, "b": {"c": 2}}', '{"b": {"c": 1}, "b": {"c": "x"}}'),
        (
            '{\n  // why\n  "b": { /* none */ }\n}',
            '{\n  // why\n  "b": { /* none */\n    "c": "x"\n  }\n}',
        ),
    ],
)
def test_a_value_is_set(before: str, after: str) -> None:
    assert set_value(before, ("b", "c"), "x") == after


def test_a_key_is_removed_however_often_it_stands() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2,\n  "a": 3\n}'
    assert remove_key(text, ("a",)) == '{\n  // one\n  "b": 2\n}'
    assert remove_key('{"x": {"a": 1}}', ("x", "a")) == '{"x": {}}'


@pytest.mark.parametrize(
    "text", ["[]", "null", '{"permissions": 1}', '{"permissions": {"allow": "A"}}', "{"]
)
def test_what_cannot_be_changed_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        add_items(text, ALLOW, ["B"])


def test_half_characters_are_escaped() -> None:
    made = add_items("{}", ALLOW, ["a\ud800é"])
    assert made.isascii()
    made.encode()


KEYS = st.text('abc"\\/{}[],: é', min_size=1, max_size=4)
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\/*,{}[]: \n', max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", " // c, ]}\n", '/* " , */', "\r\n\t"])


@st.composite
def texts(draw: st.DrawFn, values: st.SearchStrategy[dict[str, Any]] = OBJECTS) -> str:
    """A JSON object with comments, trailing commas and odd blanks."""

    def render(value: Any) -> str:
        if isinstance(value, dict):
            items = [f"{json.dumps(k)}{draw(BLANKS)}:{render(v)}" for k, v in value.items()]
            return "{" + join(items) + "}"
        if isinstance(value, list):
            return "[" + join([render(item) for item in value]) + "]"
        return json.dumps(value)

    def join(items: list[str]) -> str:
        text = "".join(f"{draw(BLANKS)}{item}{draw(BLANKS)}," for item in items)
        keep = draw(st.booleans())
        return (text if keep else text[:-1]) + draw(BLANKS)

    return draw(BLANKS) + render(draw(values)) + draw(BLANKS)


@pytest.mark.property
@given(texts(), st.lists(KEYS, min_size=1, max_size=2), VALUES)
def test_setting_any_value_changes_only_that_value(text: str, path: list[str], value: Any) -> None:
    before = parse_text(text).values
    if len(path) == 2 and not isinstance(before.get(path[0], {}), dict):
        return
    after = parse_text(set_value(text, path, value)).values
    expected: dict[str, Any] = dict(before)
    inner = expected
    if len(path) == 2:
        inner = dict(before.get(path[0], {}))
        expected[path[0]] = inner
    inner[path[-1]] = value
    assert after == expected
    assert [k for k in after if k in before] == list(before)


LISTS = st.fixed_dictionaries(
    {"permissions": st.fixed_dictionaries({"allow": st.lists(st.sampled_from("ABCD"))})}
)


@pytest.mark.property
@given(texts(LISTS), st.lists(st.sampled_from("ABEF")))
def test_adding_and_removing_rules_keeps_the_others(text: str, rules: list[str]) -> None:
    before = parse_text(text).values["permissions"]["allow"]
    added = add_items(text, ALLOW, rules)
    new = [rule for rule in dict.fromkeys(rules) if rule not in before]
    assert parse_text(added).values["permissions"]["allow"] == before + new
    removed = remove_items(added, ALLOW, rules)
    left = parse_text(removed).values["permissions"]["allow"]
    assert left == [rule for rule in before if rule not in rules]
    for mark in ("// c", "/*"):
        assert removed.count(mark) == text.count(mark)
