"""The conversation a run begins with: a new one, the newest, or the one that was named."""

from collections.abc import Callable
from pathlib import Path

from hames.harness.agent import Agent, AgentFactory
from hames.harness.errors import UsageError
from hames.harness.events import Event, Notice, Scope
from hames.harness.models import catalog
from hames.harness.ops import new_id
from hames.harness.run_config import RunConfig
from hames.harness.seats import Seats, skipped_lines
from hames.harness.sessions import SessionFiles, is_session_id
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.harness.transcript import Header
from hames.settings.repository import current_branch


def choose_session_id(config: RunConfig, files: SessionFiles) -> str:
    """The id of a new session. Raises UsageError when a given one cannot be used."""
    wanted = config.session_id
    if wanted is None:
        return new_id()
    if not is_session_id(wanted):
        raise UsageError("--session-id must be a UUID")
    if (config.resume or config.resume_last) and not config.fork:
        raise UsageError("--session-id with --resume or --continue needs --fork-session")
    if files.path(wanted).exists():
        raise UsageError(f"Session ID {wanted} is already in use.")
    return wanted.lower()


def first_seats(start: Start, factory: AgentFactory, files: SessionFiles, session_id: str) -> Seats:
    """What opens the conversations of this run, the first and every later one."""
    config = start.config
    return Seats(
        factory,
        files,
        SessionState(cwd=start.cwd, mode=start.mode),
        _header(start, session_id),
        persist=config.persist,
        mirror=config.mirror,
        flags=_asked(start),
        model=None if catalog.is_scripted(config.model or "") else config.model,
    )


def _header(start: Start, session_id: str) -> Header:
    repository = start.repository
    return Header(
        session_id=session_id,
        cwd=str(start.cwd),
        entrypoint=start.config.entrypoint,
        branch=current_branch(repository) if repository is not None else None,
    )


def _asked(start: Start) -> frozenset[str]:
    """The fields of the session state that flags of this run decide."""
    config = start.config
    mode = config.permission_mode is not None or config.skip_permissions or start.snapshot.locked
    thinking = config.thinking is not None or config.max_thinking_tokens is not None
    given = {
        "mode": mode,
        "model": config.model is not None,
        "effort": config.effort is not None,
        "max_thinking": thinking,
    }
    return frozenset(name for name, asked in given.items() if asked)


def first_agent(
    config: RunConfig, seats: Seats, session_id: str, emit: Callable[[Event], None]
) -> Agent:
    """The conversation that the run starts or goes on with. Raises UsageError."""
    fork_as = session_id if config.fork else None
    path: Path | None = None
    if config.resume is not None:
        path = seats.files.find(config.resume)
    elif config.resume_last:
        path = seats.files.newest()
    if path is None:
        return seats.new(session_id, "startup")
    agent, skipped = seats.stored(
        path, fork_as=fork_as, at=config.resume_at, drops=config.resume_drops
    )
    if skipped:
        scope_id = agent.record.session_id
        emit(Notice(Scope(scope_id), "warning", skipped_lines(path, skipped)))
    return agent
