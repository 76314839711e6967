"""What is due before the next request, and that each thing is told once."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from hames.harness.attention import Attention, plan_file
from hames.harness.later_files import readers
from hames.harness.library import Library
from hames.harness.reminders import date_changed, file_changed, plan_mode_off, plan_mode_on
from hames.harness.run_config import RunConfig
from hames.harness.start import prepare
from hames.harness.state import SessionState, apply
from hames.tools.effects import Effect, ReadState, Told
from hames.tools.read_mark import ReadMark

TODAY = date(2026, 11, 30)
PLAN = Path("/plans/p.md")


@pytest.fixture
def library() -> Library:
    return Library(prepare(RunConfig(Path.cwd()), os.environ), readers)


@pytest.fixture
def attention(library: Library) -> Attention:
    return Attention(library, PLAN, "sonnet", ("Skill",), lambda: TODAY)


def state_of(**fields: object) -> SessionState:
    known = SessionState(Path.cwd(), "default")
    return replace(apply(known, Told("date", TODAY.isoformat())), **fields)


def after(state: SessionState, effects: Sequence[Effect]) -> SessionState:
    for effect in effects:
        state = apply(state, effect)
    return state


def test_nothing_is_due_when_nothing_changed(attention: Attention) -> None:
    assert attention.due(state_of()) == ([], [])


def test_a_new_date_is_told_once(attention: Attention) -> None:
    state = after(state_of(), [Told("date", "2026-11-29")])
    texts, effects = attention.due(state)
    assert texts == [date_changed("2026-11-30")]
    assert attention.due(after(state, effects)) == ([], [])


def test_plan_mode_is_told_when_it_begins_and_ends(attention: Attention) -> None:
    planning = state_of(mode="plan")
    texts, effects = attention.due(planning)
    assert texts == [plan_mode_on(PLAN)]
    told = after(planning, effects)
    assert attention.due(told) == ([], [])
    texts, effects = attention.due(replace(told, mode="default"))
    assert texts == [plan_mode_off()]
    assert attention.due(after(replace(told, mode="default"), effects)) == ([], [])


def mark(path: Path, *, seeded: bool = False) -> ReadState:
    info = path.stat()
    return ReadState(ReadMark(path, info.st_mtime_ns, info.st_size, True, seeded=seeded))


def test_a_changed_file_is_told_once_for_each_change(attention: Attention) -> None:
    path = Path("a.txt").absolute()
    path.write_text("one")
    state = after(state_of(), [mark(path)])
    assert attention.due(state) == ([], [])
    os.utime(path, ns=(1, 1))
    texts, effects = attention.due(state)
    assert texts == [file_changed(path)]
    told = after(state, effects)
    assert attention.due(told) == ([], [])
    os.utime(path, ns=(2, 2))
    assert attention.due(told)[0] == [file_changed(path)]


def test_seeded_and_vanished_files_are_not_told(attention: Attention) -> None:
    seeded, gone = Path("CLAUDE.md").absolute(), Path("gone.txt").absolute()
    for path in (seeded, gone):
        path.write_text("x")
    state = after(state_of(), [mark(seeded, seeded=True), mark(gone)])
    os.utime(seeded, ns=(1, 1))
    gone.unlink()
    assert attention.due(state) == ([], [])


def test_at_most_ten_changed_files_are_told_at_once(attention: Attention) -> None:
    state = state_of()
    for number in range(12):
        path = Path(f"{number}.txt").absolute()
        path.write_text("x")
        state = after(state, [mark(path)])
        os.utime(path, ns=(1, 1))
    texts, effects = attention.due(state)
    assert len(texts) == 10
    assert len(attention.due(after(state, effects))[0]) == 2


def test_a_new_skill_is_listed_once(attention: Attention) -> None:
    folder = Path(".claude/skills/deploy")
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\ndescription: Ships\n---\nx")
    state = state_of()
    texts, effects = attention.due(state)
    assert "- deploy: Ships" in texts[0]
    assert attention.due(after(state, effects)) == ([], [])


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (None, ".claude/plans"),
        ("docs/plans", "work/docs/plans"),
        ("../outside", ".claude/plans"),
        ("/outside", ".claude/plans"),
    ],
)
def test_the_plan_lies_in_the_project_or_with_the_user(setting: str | None, expected: str) -> None:
    settings = None if setting is None else f'{{"plansDirectory": "{setting}"}}'
    start = prepare(RunConfig(Path.cwd(), settings=settings), os.environ)
    path = plan_file(Library(start, readers), "s")
    assert str(path).endswith(f"{expected}/s.md")
