"""What a session was started with, and which of its files can exist; cheap to import.

The readers of memory and definitions are heavy, so they are loaded only where there is something
to read.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from hames.settings.memory_place import INDEX, memory_directory, memory_enabled
from hames.settings.paths import MANAGED_DIRECTORY, config_home, project_directory, project_root
from hames.settings.repository import Repository
from hames.settings.snapshot import Snapshot
from hames.system.types import JsonObject

ALL_SOURCES = frozenset(("user", "project", "local"))
ADDED_SWITCH = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"
INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", ".claude/CLAUDE.md", ".claude/rules")
NO_AGENTS: Mapping[str, JsonObject] = MappingProxyType({})
DEFINITIONS = ("skills", "commands", "agents", "output-styles")


class SessionStart(NamedTuple):
    """What a session was started with.

    `added` are the directories of `--add-dir`, `agents` is the object of `--agents`.
    """

    cwd: Path
    home: Path
    env: Mapping[str, str]
    repository: Repository | None = None
    added: tuple[Path, ...] = ()
    sources: frozenset[str] = ALL_SOURCES
    managed_dir: Path = MANAGED_DIRECTORY
    plugin_dirs: tuple[Path, ...] = ()
    agents: Mapping[str, JsonObject] = NO_AGENTS

    @property
    def config_dir(self) -> Path:
        """The user's config folder."""
        return config_home(self.env, self.home)


def memory_folder(snapshot: Snapshot, start: SessionStart) -> Path | None:
    """The folder of auto memory; None when it is off.

    A repository may move it only when its folder is trusted: its text reaches the model.
    """
    if not memory_enabled(snapshot.flag("autoMemoryEnabled"), start.env):
        return None
    root = project_root(start.cwd, start.repository)
    project = project_directory(start.env, start.home, root)
    configured = snapshot.text("autoMemoryDirectory") or ""
    if configured and not snapshot.trusted and _from_project(snapshot, "autoMemoryDirectory"):
        configured = ""
    return memory_directory(project, configured, start.home)


def has_instructions(snapshot: Snapshot, start: SessionStart) -> bool:
    """Whether there may be anything for `load_memory` to load."""
    if (snapshot.text("claudeMd") or "").strip():
        return True
    return any(map(os.path.exists, _instruction_files(snapshot, start)))


def has_index(folder: Path) -> bool:
    """Whether auto memory has an index."""
    return (folder / INDEX).exists()


def has_definitions(snapshot: Snapshot, start: SessionStart) -> bool:
    """Whether there may be skills, commands, agents, styles or plugins."""
    if start.agents or start.plugin_dirs or snapshot.value("enabledPlugins"):
        return True
    folders = (folder / name for folder in definition_folders(start) for name in DEFINITIONS)
    return any(map(os.path.isdir, folders))


def definition_folders(start: SessionStart) -> Iterator[Path]:
    """The folders that may hold a `skills` folder and its like."""
    yield start.managed_dir / ".claude"
    if "user" in start.sources:
        yield start.config_dir
    if "project" in start.sources:
        top = start.repository.root if start.repository is not None else start.cwd
        levels = (start.cwd, *start.cwd.parents)
        yield from (path / ".claude" for path in levels if path.is_relative_to(top))
    yield from (path / ".claude" for path in start.added)


def _instruction_files(snapshot: Snapshot, start: SessionStart) -> Iterator[str]:
    yield f"{start.managed_dir}/CLAUDE.md"
    if "user" in start.sources:
        yield from (f"{start.config_dir}/{name}" for name in ("CLAUDE.md", "rules"))
    added = start.added if start.env.get(ADDED_SWITCH) else ()
    names = (*INSTRUCTIONS, *(snapshot.strings("hames.instructions") or ()))
    for directory in (start.cwd, *start.cwd.parents, *added):
        yield from (f"{directory}/{name}" for name in names)


def _from_project(snapshot: Snapshot, key: str) -> bool:
    return any(origin.scope in ("project", "local") for origin in snapshot.origin(key))
