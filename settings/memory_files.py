"""What memory is made of: the request for it, its files, and what was wrong with some."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from hames.settings.repository import Repository
from hames.settings.text_files import Problem

Kind = Literal["managed", "user", "project", "local", "auto"]
"""Whose file it is; `auto` is the index of the memory the model keeps itself."""

Reason = Literal["session_start", "nested_traversal", "path_glob_match", "include"]
"""Why a file was loaded, as the InstructionsLoaded hook spells it."""


class MemoryFile(NamedTuple):
    """One loaded file. `text` is without block comments and header.

    `globs` are the patterns of a rule that waits for a matching file, relative to `base`.
    `parent` is the file that imported it.
    """

    path: Path
    kind: Kind
    text: str
    globs: tuple[str, ...] = ()
    parent: Path | None = None
    reason: Reason = "session_start"
    base: Path | None = None


class ImportRequest(NamedTuple):
    """An import of a project file that leaves the working directory and needs one approval."""

    path: Path
    parent: Path


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """What to load for a session that starts in `cwd`.

    `managed_text` is the key `claudeMd` of managed settings. `instructions` is the setting
    `hames.instructions`; None reads AGENTS.md only where a directory has no CLAUDE.md.
    `outside` is the recorded answer for imports that leave the project. `env` holds switches.
    """

    cwd: Path
    home: Path
    config_dir: Path
    managed_dir: Path | None = None
    managed_text: str = ""
    repository: Repository | None = None
    added: tuple[Path, ...] = ()
    sources: frozenset[str] = frozenset(("user", "project", "local"))
    excludes: tuple[str, ...] = ()
    instructions: tuple[str, ...] | None = None
    outside: Literal["ask", "allow", "deny"] = "ask"
    env: Mapping[str, str] = field(default_factory=dict[str, str])


class Memory(NamedTuple):
    """The files of a session in reading order.

    `conditional` are the rules that wait for a matching file; `imports` need an approval first.
    """

    files: tuple[MemoryFile, ...] = ()
    conditional: tuple[MemoryFile, ...] = ()
    imports: tuple[ImportRequest, ...] = ()
    problems: tuple[Problem, ...] = ()
