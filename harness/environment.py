"""Where a session runs, as the model is told."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hames.harness.reminders import one_line


class Environment(NamedTuple):
    """Facts of the machine and the session; empty texts are left out of the prompt."""

    cwd: Path
    added: tuple[Path, ...] = ()
    is_repository: bool = False
    is_worktree: bool = False
    platform: str = ""
    os_version: str = ""
    shell: str = ""
    model: str = ""


def read_environment(
    cwd: Path,
    env: Mapping[str, str],
    *,
    added: tuple[Path, ...] = (),
    is_repository: bool = False,
    is_worktree: bool = False,
    model: str = "",
) -> Environment:
    """The facts of this process."""
    system = os.uname()
    return Environment(
        cwd=cwd,
        added=added,
        is_repository=is_repository,
        is_worktree=is_worktree,
        platform=sys.platform,
        os_version=f"{system.sysname} {system.release}",
        shell=Path(env.get("SHELL", "")).name,
        model=model,
    )


def environment_section(environment: Environment) -> str:
    """The environment block of the system prompt."""
    repository = "yes" if environment.is_repository else "no"
    if environment.is_worktree:
        repository = "yes, a linked worktree: stay in it, the main checkout is someone else's"
    rows = [
        ("Working directory", str(environment.cwd)),
        ("Further directories", ", ".join(str(path) for path in environment.added)),
        ("Git repository", repository),
        ("Platform", environment.platform),
        ("System", environment.os_version),
        ("Shell", environment.shell),
        ("Model", environment.model),
    ]
    lines = [f"- {name}: {one_line(value)}" for name, value in rows if value]
    return "\n".join(["# Environment", "", *lines])
