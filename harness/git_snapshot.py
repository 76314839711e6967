"""The git facts a session starts with. Git runs beside the start and never holds it up."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hames.harness.reminders import one_line
from hames.settings.repository import Repository, current_branch, main_branch
from hames.system.process import Command, run
from hames.system.text import cut, visible

MAX_STATUS = 2000
"""Characters of status shown."""

COMMITS = 5

TIMEOUT = 2.0
"""Seconds after which git is ended."""

START_BUDGET = 0.02
"""Seconds the first request waits for git at most."""

ENDED_AFTER = 0.25
"""Seconds after which a git that was too slow is ended."""

_OUTPUT = 64 * 1024
_SAFE = (
    "git",
    "--no-optional-locks",
    "--no-pager",
    # Settings of a foreign repository must not start programs here.
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
)
_STATUS = (*_SAFE, "status", "--porcelain")
_LOG = (*_SAFE, "log", "--oneline", "--no-decorate", "--no-color", "-n", str(COMMITS))


class GitFacts(NamedTuple):
    """What is known; None is unknown, an empty text says that there is nothing."""

    branch: str | None
    main: str | None
    status: str | None
    commits: str | None


class GitSnapshot:
    """A snapshot under way. `facts` waits for it, `START_BUDGET` seconds at most."""

    def __init__(
        self,
        repository: Repository,
        status: "asyncio.Task[str | None]",
        commits: "asyncio.Task[str | None]",
    ) -> None:
        self._repository = repository
        self._status = status
        self._commits = commits

    async def facts(self, budget: float = START_BUDGET) -> GitFacts:
        """What git said in time; the rest stays unknown and git is ended a little later."""
        _, late = await asyncio.wait({self._status, self._commits}, timeout=budget)
        for task in late:
            # To end a process takes longer than the budget; the first request goes first.
            asyncio.get_running_loop().call_later(ENDED_AFTER, task.cancel)
        return GitFacts(
            current_branch(self._repository),
            main_branch(self._repository),
            _taken(self._status),
            _taken(self._commits),
        )


async def start_git_snapshot(repository: Repository, env: Mapping[str, str]) -> GitSnapshot:
    """Start git and return while it runs; call `facts` just before the first request."""
    quiet = {**env, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8"}
    status = asyncio.create_task(_output(_STATUS, repository.root, quiet))
    commits = asyncio.create_task(_output(_LOG, repository.root, quiet))
    # One turn of the event loop, so that both processes run while the caller goes on importing.
    await asyncio.sleep(0)
    return GitSnapshot(repository, status, commits)


def git_section(facts: GitFacts | None) -> str:
    """The block at the very end of the system prompt; empty outside a repository."""
    if facts is None:
        return ""
    parts = ["# Git at the start of the session\n\nThis is a snapshot and is not updated."]
    parts.append(f"Branch: {_shown(facts.branch)}\nMain branch: {_shown(facts.main)}")
    parts.append(_status_part(facts.status))
    if facts.commits is not None:
        parts.append(f"Recent commits:\n{visible(facts.commits).rstrip() or '(none)'}")
    if facts.status is None or facts.commits is None:
        parts.append("Git did not answer in time, so facts are missing; run it when you need them.")
    return "\n\n".join(part for part in parts if part)


async def _output(argv: tuple[str, ...], cwd: Path, env: Mapping[str, str]) -> str | None:
    """What a git command printed; None when it failed, was too slow or does not exist."""
    try:
        done = await run(Command(argv, cwd, env), timeout=TIMEOUT, limit=_OUTPUT, grace=0.1)
    except OSError:
        return None
    if done.timed_out or done.exit is None:
        return None
    # A repository without commits makes `git log` fail with 128.
    return done.stdout.decode("utf-8", "replace") if done.exit.code in (0, 128) else None


def _taken(task: "asyncio.Task[str | None]") -> str | None:
    return task.result() if task.done() and not task.cancelled() else None


def _status_part(status: str | None) -> str:
    if status is None:
        return ""
    text = visible(status).rstrip()
    if len(text) > MAX_STATUS:
        text = cut(text, MAX_STATUS).rsplit("\n", 1)[0] + "\n(cut; run git status for the rest)"
    return f"Status:\n{text or '(clean)'}"


def _shown(name: str | None) -> str:
    return "(unknown)" if name is None else one_line(name)
