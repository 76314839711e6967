"""Fires events at real hooks outside of a session."""

import tempfile
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hames.hooks.background import BackgroundResult
from hames.hooks.context import HookContext, HookSession
from hames.hooks.engine import HookEngine
from hames.hooks.events import HookEvent, input_of
from hames.hooks.policy import HookPolicy
from hames.hooks.replay import recorded_events
from hames.hooks.result import Outcome
from hames.hooks.spec import HookSpec
from hames.settings.paths import project_directory, session_file
from hames.system.types import JsonObject

_BACKGROUND_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Trial:
    """The hooks to try, where, and what their processes inherit."""

    specs: Sequence[HookSpec]
    policy: HookPolicy
    cwd: Path
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tried:
    """An event that was fired: what the hooks read and what they said together."""

    event: HookEvent
    given: JsonObject
    outcome: Outcome
    background: tuple[BackgroundResult, ...] = ()
    line: int | None = None


async def try_event(trial: Trial, event: HookEvent) -> Tried:
    """Fire one event in the current directory."""
    with tempfile.TemporaryDirectory(prefix="hames-hooks-") as folder:
        session = _session(trial, Path(folder), None)
        return await _fire(trial, session, event, trial.cwd)


async def replay(trial: Trial, name: str, transcript: Path) -> list[Tried]:
    """Fire every event `name` of a transcript, in its order."""
    tried: list[Tried] = []
    with (
        tempfile.TemporaryDirectory(prefix="hames-hooks-") as folder,
        transcript.open(encoding="utf-8", errors="replace") as lines,
    ):
        session = _session(trial, Path(folder), transcript)
        for recorded in recorded_events(lines):
            if recorded.event.name == name:
                cwd = recorded.cwd or trial.cwd
                done = await _fire(trial, session, recorded.event, cwd, recorded.line)
                tried.append(done)
    return tried


async def _fire(
    trial: Trial,
    session: HookSession,
    event: HookEvent,
    cwd: Path,
    line: int | None = None,
) -> Tried:
    context = HookContext(cwd=cwd)
    background: list[BackgroundResult] = []
    engine = HookEngine(session, trial.policy, deliver=background.append)
    engine.register("settings", trial.specs)
    try:
        outcome = await engine.fire(event, context)
        await engine.settle(_BACKGROUND_SECONDS)
    finally:
        await engine.aclose()
    return Tried(event, input_of(event, session, context), outcome, tuple(background), line)


def _session(trial: Trial, folder: Path, transcript: Path | None) -> HookSession:
    session_id = str(uuid.uuid4())
    project = project_directory(trial.env, Path.home(), trial.cwd)
    return HookSession(
        session_id=session_id if transcript is None else transcript.stem,
        transcript_path=transcript or session_file(project, session_id),
        project_dir=trial.cwd,
        env=trial.env,
        spill=folder / "output",
        env_file=folder / "env.sh",
    )
