"""Patches turn the old text into the new one and stay small and cheap."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.system.types import JsonObject
from hames.tools.patch import MAX_COMPARED, edit_patch, structured_patch
from support.patience import bound


def applied(old: str, patch: list[JsonObject]) -> str:
    """What a reader of the patch would make of the old text."""
    before = old.split("\n")
    result: list[str] = []
    at = 0
    for hunk in patch:
        start = hunk["oldStart"] - 1 if hunk["oldLines"] else hunk["oldStart"]
        result += before[at:start]
        at = start
        for line in hunk["lines"]:
            if line.startswith("\\"):
                continue
            if line[0] in " -":
                assert before[at] == line[1:]
                at += 1
            if line[0] in " +":
                result.append(line[1:])
    return "\n".join(result + before[at:])


def test_a_hunk_has_three_lines_of_context() -> None:
    old = "".join(f"{n}\n" for n in range(1, 21))
    assert structured_patch(old, old.replace("10\n", "ten\n")) == [
        {
            "oldStart": 7,
            "oldLines": 7,
            "newStart": 7,
            "newLines": 7,
            "lines": [" 7", " 8", " 9", "-10", "+ten", " 11", " 12", " 13"],
        }
    ]


@pytest.mark.parametrize(
    ("old", "new", "hunk"),
    [
        ("", "a\n", (0, 0, 1, 1, ["+a"])),
        ("a\n", "", (1, 1, 0, 0, ["-a"])),
        ("a", "a\n", (1, 1, 1, 1, ["-a", "\\ No newline at end of file", "+a"])),
        ("a\nb\n", "a\nx\nb\n", (1, 2, 1, 3, [" a", "+x", " b"])),
    ],
)
def test_ends_are_spelt_as_diff_does(
    old: str, new: str, hunk: tuple[int, int, int, int, list[str]]
) -> None:
    names = ("oldStart", "oldLines", "newStart", "newLines", "lines")
    assert structured_patch(old, new) == [dict(zip(names, hunk, strict=True))]


def test_equal_texts_need_no_hunk() -> None:
    assert structured_patch("a\nb", "a\nb") == []


def test_near_changes_share_a_hunk_and_far_ones_do_not() -> None:
    old = "x\n" + "-\n" * 6 + "x\n" + "-\n" * 7 + "x\n"
    spans = [(i, i + 1) for i, c in enumerate(old) if c == "x"]
    patch = edit_patch(old, spans, "y")
    assert [(h["oldStart"], h["oldLines"]) for h in patch] == [(1, 11), (13, 4)]


TEXT = st.text(st.sampled_from("ab\n"), max_size=60)


@pytest.mark.property
@given(TEXT, TEXT)
def test_a_patch_of_two_texts_gives_the_new_one(old: str, new: str) -> None:
    assert applied(old, structured_patch(old, new)).rstrip("\n") == new.rstrip("\n")


@pytest.mark.property
@given(TEXT, st.sampled_from(["a", "b", "\n", "ab", "a\n", "\nb"]), TEXT)
def test_a_patch_of_an_edit_gives_the_edited_text(old: str, found: str, new: str) -> None:
    spans: list[tuple[int, int]] = []
    at = old.find(found)
    while at >= 0:
        spans.append((at, at + len(found)))
        at = old.find(found, at + len(found))
    patch = edit_patch(old, spans, new)
    assert applied(old, patch).rstrip("\n") == old.replace(found, new).rstrip("\n")


def test_large_differences_are_one_hunk() -> None:
    old, new = "a\n" * MAX_COMPARED, "b\n" * MAX_COMPARED
    (hunk,) = structured_patch(old, new)
    assert (hunk["oldLines"], hunk["newLines"]) == (MAX_COMPARED, MAX_COMPARED)


@pytest.mark.parametrize("kinds", [50, 99, 150, 10_000])
def test_the_cost_is_bounded(kinds: int) -> None:
    chance = random.Random(1)
    old, new = (
        "".join(f"{chance.randrange(kinds)}\n" for _ in range(MAX_COMPARED // 2)) for _ in range(2)
    )
    started = time.process_time()
    structured_patch(old, new)
    assert time.process_time() - started < bound(1)


def test_an_edit_in_a_large_file_has_a_small_patch() -> None:
    old = "".join(f"line {n}\n" for n in range(100_000))
    spans = [(0, 4), (len(old) - 11, len(old) - 7)]
    patch = edit_patch(old, spans, "Line")
    assert [h["oldLines"] for h in patch] == [4, 4]
