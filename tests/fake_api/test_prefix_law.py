"""The prefix law sees every changed byte but those of cache marks."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from support.fake_api import assert_prefix_law, without_marks

MARK = '"cache_control":{"type":"ephemeral"}'


@dataclass
class Sent:
    raw: bytes


def sent(*messages: str, system: str = '"s"', tools: str = "[]") -> Sent:
    listed = ",".join(messages)
    return Sent(f'{{"tools":{tools},"system":{system},"messages":[{listed}]}}'.encode())


ONE = '{"role":"user","content":[{"type":"text","text":"a"}]}'
ONE_MARKED = '{"role":"user","content":[{"type":"text","text":"a",' + MARK + "}]}"
TWO = '{"role":"assistant","content":[{"type":"text","text":"b"}]}'
THREE = '{"role":"user","content":[{"type":"text","text":"c"}]}'


def test_growing_requests_keep_the_law() -> None:
    assert_prefix_law([sent(ONE_MARKED), sent(ONE, TWO, THREE)])


@pytest.mark.parametrize(
    ("second", "name"),
    [
        (sent(ONE.replace("a", "A"), TWO), "messages.0"),
        (sent(ONE.replace('":"', '": "'), TWO), "messages.0"),
        (sent(ONE, TWO, system='"t"'), "system"),
        (sent(ONE, TWO, tools='[{"name":"x"}]'), "tools"),
        (sent(), "shrank"),
    ],
)
def test_a_changed_byte_breaks_it(second: Sent, name: str) -> None:
    with pytest.raises(AssertionError, match=name):
        assert_prefix_law([sent(ONE), second])
    assert_prefix_law([sent(ONE), second], resets={1})


def test_growth_of_the_last_message_is_excused_by_name_only() -> None:
    grown = ONE.replace('"a"}', '"a"},{"type":"text","text":"more"}')
    with pytest.raises(AssertionError, match=r"messages\.0"):
        assert_prefix_law([sent(ONE), sent(grown)])
    assert_prefix_law([sent(ONE), sent(grown)], growths={1})


@pytest.mark.parametrize(
    ("marked", "bare"),
    [
        ('{"a":1,' + MARK + "}", '{"a":1}'),
        ("{" + MARK + ',"a":1}', '{"a":1}'),
        ("{" + MARK + "}", "{}"),
        ('[{"a":1, ' + MARK + ' , "b":2},{"c":3}]', '[{"a":1 , "b":2},{"c":3}]'),
        ('{"content":[{"content":[{"x":1,' + MARK + "}]}]}", '{"content":[{"content":[{"x":1}]}]}'),
        ('{"input":{"cache_control":1}}', '{"input":{"cache_control":1}}'),
        ('{"text":"\\"cache_control\\":{}"}', '{"text":"\\"cache_control\\":{}"}'),
    ],
)
def test_only_marks_are_cut_out(marked: str, bare: str) -> None:
    assert without_marks(marked) == bare
    assert isinstance(json.loads(bare), dict | list)


def test_marks_are_found_in_any_spacing() -> None:
    value: dict[str, Any] = {"type": "text", "text": "é", "cache_control": {"type": "ephemeral"}}
    for indent in (None, 2):
        spaced = json.dumps(value, indent=indent, ensure_ascii=False)
        assert json.loads(without_marks(spaced)) == {"type": "text", "text": "é"}
