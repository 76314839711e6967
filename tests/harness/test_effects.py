"""Effects survive their way through the transcript; damaged ones are left out."""

from pathlib import Path

import pytest

from hames.harness.effects import decode_effect, encode_effect
from hames.harness.state import NO_CHOICE, SessionState, apply, fold
from hames.harness.transcript import user_entry
from hames.tools.effects import (
    Effect,
    ForTurn,
    Grant,
    Invoked,
    ReadState,
    SetCwd,
    SetMode,
    Shown,
    Told,
)
from hames.tools.read_mark import ReadMark

EFFECTS: list[Effect] = [
    SetCwd(Path("/a")),
    SetMode("plan"),
    Grant(("Bash(ls *)",)),
    ReadState(ReadMark(Path("/f"), 5, 7, full=False, offset=2, limit=3, seeded=True)),
    ForTurn("opus", None, ("Write",)),
    Invoked("deploy", "abc"),
    Shown((Path("/x/CLAUDE.md"),)),
    Told("date", "2026-11-30"),
]


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda e: type(e).__name__)
def test_round_trip(effect: Effect) -> None:
    assert decode_effect(encode_effect(effect)) == effect


@pytest.mark.parametrize(
    "stored", [None, 1, {}, {"kind": "new"}, {"kind": "told"}, {"kind": "shown", "paths": 1}]
)
def test_damaged_effects_are_none(stored: object) -> None:
    assert decode_effect(stored) is None


def test_choices_of_a_turn_end_with_the_next_message() -> None:
    state = SessionState(Path("/"), "default")
    effects = [encode_effect(ForTurn("opus", "max", ("Write",)))]
    during = fold(state, [user_entry("/deep", uuid="1", hames={"effects": effects})])
    assert during.turn == ForTurn("opus", "max", ("Write",))
    assert fold(during, [user_entry("next", uuid="2")]).turn == NO_CHOICE


def test_stacked_choices_join() -> None:
    state = SessionState(Path("/"), "default")
    state = apply(apply(state, ForTurn("opus", "low", ("A",))), ForTurn(None, "max", ("A", "B")))
    assert state.turn == ForTurn("opus", "max", ("A", "B"))


def test_a_compaction_forgets_what_is_no_longer_there() -> None:
    state = SessionState(Path("/"), "default")
    for effect in (*EFFECTS[3:], Told("skills", "digest")):
        state = apply(state, effect)
    after = fold(state, [{"type": "system", "subtype": "compact_boundary"}])
    assert (dict(after.reads), dict(after.skills), after.shown) == ({}, {}, frozenset())
    assert dict(after.told) == {"skills": "digest"}
