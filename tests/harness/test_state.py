"""The state of a session is a fold over its entries, here and after a restart."""

from pathlib import Path
from typing import Any

import pytest

from hames.harness.effects import decode_effect, encode_effect
from hames.harness.record import Record
from hames.harness.state import SessionState, fold, resumed
from hames.harness.transcript import Header, Transcript, read_entries, result_entry, user_entry
from hames.tools.context import ReadMark
from hames.tools.effects import Effect, Grant, ReadState, SetCwd, SetMode

START = SessionState(Path("/work"), "default")
EFFECTS: list[Effect] = [
    SetCwd(Path("/work/a b\n漢")),
    SetMode("plan"),
    Grant(("Bash(ls *)", "Read")),
    ReadState(ReadMark(Path("/work/x"), 12, 34, full=True)),
    ReadState(ReadMark(Path("/work/x"), 12, 34, full=False, offset=3, limit=9, seeded=True)),
]


def written(path: Path | None, *drafts: dict[str, Any]) -> Record:
    record = Record(Transcript(path, Header("s", "/work")), START)
    record.append(drafts)
    return record


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: type(effect).__name__)
def test_effects_survive_their_way_through_the_file(effect: Effect) -> None:
    assert decode_effect(encode_effect(effect)) == effect


@pytest.mark.parametrize(
    "stored",
    [
        *(None, 7, "cwd", [], {}, {"kind": "cwd"}, {"kind": "cwd", "path": 7}, {"kind": ["cwd"]}),
        *({"kind": "read", "path": "/x"}, {"kind": "grant", "rules": 7}, {"kind": "warp"}),
        {"kind": "read", "path": "/x", "mtime": "soon", "size": 1, "full": True},
    ],
)
def test_a_damaged_effect_is_none(stored: Any) -> None:
    assert decode_effect(stored) is None


def test_a_restart_computes_the_same_state(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    block = {"type": "tool_result", "tool_use_id": "t", "content": ""}
    record = written(
        path,
        user_entry("hello"),
        {"type": "hames-state", "model": "haiku", "effort": "low", "maxThinking": 0},
        {"type": "permission-mode", "permissionMode": "acceptEdits"},
        {"type": "hames-state", "directory": "/other"},
        {"type": "hames-state", "dropBlock": True},
        *(
            result_entry(block, "", None, hames={"effects": [encode_effect(effect)]})
            for effect in EFFECTS
        ),
    )
    record.transcript.close()
    assert fold(START, read_entries(path).entries) == record.state
    state = record.state
    assert (state.model, state.effort, state.max_thinking) == ("haiku", "low", 0)
    assert (state.mode, state.drop_block, state.directories) == ("plan", True, (Path("/other"),))
    assert state.turn_rules == ("Bash(ls *)", "Read")
    assert state.reads[Path("/work/x")].offset == 3


def test_what_is_granted_for_a_turn_ends_with_the_next_message() -> None:
    grant = {"effects": [encode_effect(Grant(("Bash",)))]}
    record = written(None, user_entry("a", hames=grant))
    assert record.state.turn_rules == ("Bash",)
    record.append([user_entry([{"type": "text", "text": "hint"}], isMeta=True)])
    assert record.state.turn_rules == ("Bash",)
    record.append([user_entry("b")])
    assert record.state.turn_rules == ()


@pytest.mark.parametrize("value", [7, ["x"], {"a": 1}])
def test_choices_of_a_wrong_type_change_nothing(value: Any) -> None:
    entry = {"type": "hames-state", "model": value, "effort": value, "directory": value}
    assert fold(START, [entry]) == START
    assert fold(START, [{"type": "permission-mode", "permissionMode": value}]) == START


def test_null_takes_a_choice_back() -> None:
    entries = [{"type": "hames-state", "model": "opus"}, {"type": "hames-state", "model": None}]
    assert fold(START, entries) == START


MODES = {
    "default": "default",
    "acceptEdits": "acceptEdits",
    "dontAsk": "dontAsk",
    "plan": "default",
    "bypassPermissions": "default",
    "nonsense": "default",
}


@pytest.mark.parametrize("mode", list(MODES))
def test_dangerous_modes_do_not_come_back(mode: str) -> None:
    state = fold(START, [{"type": "permission-mode", "permissionMode": mode}])
    assert resumed(state, START, frozenset()).mode == MODES[mode]


def test_a_flag_of_this_run_wins_over_the_stored_choice() -> None:
    entries = [
        {"type": "permission-mode", "permissionMode": "acceptEdits"},
        {"type": "hames-state", "model": "opus", "effort": "max"},
    ]
    state = fold(START, entries)
    assert resumed(state, START, frozenset()).mode == "acceptEdits"
    asked = resumed(state, START, frozenset({"mode", "model"}))
    assert (asked.mode, asked.model, asked.effort) == ("default", None, "max")


def test_a_working_directory_that_is_lost_or_outside_does_not_come_back(tmp_path: Path) -> None:
    inside, outside = tmp_path / "work" / "inside", tmp_path / "outside"
    for folder in (inside, outside):
        folder.mkdir(parents=True)
    start = SessionState(tmp_path / "work", "default")
    for path, kept in ((inside, True), (outside, False), (tmp_path / "work" / "none", False)):
        moved = user_entry("x", hames={"effects": [encode_effect(SetCwd(path))]})
        state = resumed(fold(start, [moved]), start, frozenset())
        assert state.cwd == (path if kept else start.cwd)
    added = {"type": "hames-state", "directory": str(outside)}
    moved = user_entry("x", hames={"effects": [encode_effect(SetCwd(outside))]})
    assert resumed(fold(start, [added, moved]), start, frozenset()).cwd == outside
