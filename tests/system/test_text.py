"""Nothing that a terminal or the API would choke on passes, and cuts keep characters whole."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.system.text import clean, cut, cut_start, head_tail, settle_progress, visible

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]52;c;ZXZpbA==\x07", "\\x1b]52;c;ZXZpbA==\\x07"),
        ("\x9b2J", "\\x9b2J"),
        ("\x00\x7f", "\\x00\\x7f"),
        ("user\u202egpj.exe", "user\\u202egpj.exe"),
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud83d", "\\ud83d"),
        ("tag\U000e0041", "tag\\U000e0041"),
        ("dos\r\nline", "dos\nline"),
        ("rm -rf /\rls", "rm -rf /\\rls"),
        ("family \U0001f468\u200d\U0001f469\u200d\U0001f467", "family 👨\u200d👩\u200d👧"),
        ("naïve 中文 \u00a0", "naïve 中文 \u00a0"),
    ],
)
def test_control_characters_become_escapes(given_text: str, shown: str) -> None:
    assert visible(given_text) == shown


@pytest.mark.property
@given(ANY_TEXT)
def test_no_control_character_is_left(text: str) -> None:
    shown = visible(text)
    assert all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") for c in shown)
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("given_text", "settled"),
    [
        ("no returns", "no returns"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("10%\r50%\r", "50%"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("\r\r\n", "\n"),
    ],
)
def test_progress_lines_keep_their_last_state(given_text: str, settled: str) -> None:
    assert settle_progress(given_text) == settled


@pytest.mark.parametrize(
    ("given_text", "cleaned"),
    [
        ("fine 🙂", "fine 🙂"),
        ("\ud83d\ude42", "🙂"),
        ("a\ud83d", "a\ufffd"),
        ("\ude42b", "\ufffdb"),
        ("\x1b stays", "\x1b stays"),
    ],
)
def test_lone_surrogates_are_replaced_and_split_pairs_joined(given_text: str, cleaned: str) -> None:
    assert clean(given_text) == cleaned


@pytest.mark.property
@given(ANY_TEXT)
def test_clean_text_is_utf8_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.encode().decode() == cleaned
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("text", "limit", "head", "tail"),
    [
        ("abcdef", 10, "abcdef", "abcdef"),
        ("abcdef", 3, "abc", "def"),
        ("abcdef", 0, "", ""),
        ("abcdef", -1, "", ""),
        ("ae\u0301bc", 2, "a", "bc"),
        ("ae\u0301bc", 3, "ae\u0301", "bc"),
        ("x👨\u200d👩y", 3, "x", "y"),
        ("x👍\U0001f3fdy", 2, "x", "y"),
        ("\u0301" * 100, 50, "\u0301" * 50, "\u0301" * 50),
    ],
)
def test_cuts_keep_accents_and_emoji_together(text: str, limit: int, head: str, tail: str) -> None:
    assert (cut(text, limit), cut_start(text, limit)) == (head, tail)


@pytest.mark.property
@given(ANY_TEXT, st.integers(-2, 60))
def test_cuts_are_ends_of_the_text_within_the_limit(text: str, limit: int) -> None:
    head, tail = cut(text, limit), cut_start(text, limit)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert max(len(head), len(tail)) <= max(limit, 0)


def test_head_and_tail_are_kept_around_a_note() -> None:
    assert head_tail("a" * 5 + "-" * 90 + "z" * 5, 10, "[{omitted} left out]") == (
        "aaaaa\n[90 left out]\nzzzzz"
    )


def test_a_short_text_needs_no_note() -> None:
    assert head_tail("short", 5, "[{omitted}]") == "short"
