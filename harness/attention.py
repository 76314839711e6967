"""What the model should hear of before the next request: date, mode, files, skills that changed."""

import os
from collections.abc import Callable, Iterator
from datetime import date
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from hames.harness.library import Library
from hames.harness.reminders import date_changed, file_changed, plan_mode_off, plan_mode_on
from hames.harness.state import SessionState
from hames.tools.effects import Effect, Told
from hames.tools.known import change_of

MAX_FILES = 10
"""Changed files told of before one request."""

Due = tuple[list[str], list[Effect]]


class Attention(NamedTuple):
    """Looks at what may have changed. `plan` is the plan file, `tools` what the model is offered.

    `today` gives the date.
    """

    library: Library
    plan: Path
    model: str
    tools: tuple[str, ...]
    today: Callable[[], date] = date.today

    def due(self, state: SessionState) -> Due:
        """Reminders to append now, and what the model knows then."""
        texts: list[str] = []
        effects: list[Effect] = []
        for text, told in (
            *self._date(state),
            *self._plan(state),
            *islice(_changed(state), MAX_FILES),
        ):
            texts.append(text)
            effects.append(told)
        listed, told_of = self._listings(state)
        return [*texts, *listed], [*effects, *told_of]

    def _date(self, state: SessionState) -> Iterator[tuple[str, Told]]:
        today = self.today().isoformat()
        if state.told.get("date") != today:
            yield date_changed(today), Told("date", today)

    def _plan(self, state: SessionState) -> Iterator[tuple[str, Told]]:
        known = state.told.get("plan") == "on"
        if state.mode == "plan" and not known:
            yield plan_mode_on(self.plan), Told("plan", "on")
        elif known and state.mode != "plan":
            yield plan_mode_off(), Told("plan", "")

    def _listings(self, state: SessionState) -> tuple[list[str], list[Told]]:
        """The listings anew when the files of skills and agents changed."""
        self.library.refresh()
        if self.library.definitions is None:
            return [], []
        model = state.model or self.model
        return self.library.readers().listings(self.library, state, model, self.tools)


def plan_file(library: Library, session_id: str) -> Path:
    """Where the plan of a session is written: `plansDirectory` inside the project, else ours."""
    chosen = library.snapshot.text("plansDirectory")
    cwd = library.files.cwd
    folder = library.files.config_dir / "plans"
    if chosen:
        inside = Path(os.path.normpath(cwd / chosen))
        folder = inside if inside.is_relative_to(cwd) else folder
    return folder / f"{session_id}.md"


def _changed(state: SessionState) -> Iterator[tuple[str, Told]]:
    """Files that the model read and that somebody else changed; each change is told once."""
    for path, mark in state.reads.items():
        change = None if mark.seeded else change_of(path)
        if change is None or change.value == str(mark.mtime_ns):
            continue
        if state.told.get(change.subject) != change.value:
            yield file_changed(path), change
