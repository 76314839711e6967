"""What every hook is told besides its event."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HookSession:
    """Facts that hold for the whole session.

    `project_dir` is the root where the session started. `env` is the environment that children
    inherit. `env_file` is the file whose lines later shell commands source, `spill` the private
    folder for long output.
    """

    session_id: str
    transcript_path: Path
    project_dir: Path
    env: Mapping[str, str]
    spill: Path
    env_file: Path | None = None


@dataclass(frozen=True, slots=True)
class HookContext:
    """Facts of the moment in which an event fires; None where there is nothing to tell.

    `effort` is the level in force, when the model has levels.
    """

    cwd: Path
    permission_mode: str = "default"
    prompt_id: str | None = None
    effort: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
