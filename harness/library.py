"""The instructions and definitions of a session; their readers are imported only when needed."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from hames.harness.errors import UsageError
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.settings.session_files import (
    ALL_SOURCES,
    DEFINITIONS,
    SessionStart,
    definition_folders,
    has_definitions,
    has_index,
    has_instructions,
    memory_folder,
)
from hames.settings.snapshot import Snapshot
from hames.system.types import JsonObject
from hames.tools.effects import ReadState, Shown, Told

if TYPE_CHECKING:  # what these modules read with is too slow to import for nothing
    from hames.settings.definitions import Agent, Definitions, Plugin, Skill, Style
    from hames.settings.memory_files import Memory, MemoryFile

MAX_FOLDERS = 500
"""Folders that are looked at to see whether definitions changed."""

Stamps = dict[str, int]


class Readers(Protocol):
    """`hames.harness.project_files`."""

    def read_memory(self, snapshot: Snapshot, files: SessionStart) -> "Memory":
        """The instructions that count from the start."""
        ...

    def read_index(self, folder: Path) -> "tuple[MemoryFile | None, str | None]":
        """The index of auto memory, and what is wrong with it."""
        ...

    def read_definitions(self, snapshot: Snapshot, files: SessionStart) -> "Definitions":
        """All definitions of the session."""
        ...

    def seeds(self, shown: "Iterable[MemoryFile]") -> "list[ReadState | Shown]":
        """What the model knows after it was shown these files."""
        ...

    def chosen_style(self, library: "Library", wanted: str) -> "Style | None":
        """The output style of this name."""
        ...

    def listings(
        self, library: "Library", state: SessionState, model: str, tools: Iterable[str]
    ) -> tuple[list[str], list[Told]]:
        """Reminders about skills and agents that changed since they were told."""
        ...


class Library:
    """What a session finds on disk besides settings. None and empty where there is nothing.

    `commands` is false when skills and commands were switched off.
    """

    def __init__(self, start: Start, readers: Callable[[], Readers]) -> None:
        config = start.config
        self.snapshot = start.snapshot
        self.files = session_start(start)
        self._agent = config.agent
        self.off = config.bare or config.safe
        self.commands = config.slash_commands and not self.off
        self.readers = readers
        self._memory: Memory | None = None
        self._definitions: Definitions | None = None
        self._nested: dict[str, Skill] = {}
        self._stamps: Stamps = {}

    @property
    def memory_folder(self) -> Path | None:
        """The folder of auto memory; None when it is off."""
        return None if self.off else memory_folder(self.snapshot, self.files)

    def read_memory(self) -> "Memory | None":
        """Read the instructions anew, as a conversation begins; None when there are none."""
        if self.off or not has_instructions(self.snapshot, self.files):
            return None
        self._memory = self.readers().read_memory(self.snapshot, self.files)
        return self._memory

    @property
    def memory(self) -> "Memory | None":
        """The instructions of the conversation, as they were when it began."""
        return self._memory or self.read_memory()

    def read_index(self) -> "tuple[MemoryFile | None, str | None]":
        """The index of auto memory, and what is wrong with it."""
        folder = self.memory_folder
        if folder is None or not has_index(folder):
            return None, None
        return self.readers().read_index(folder)

    @property
    def definitions(self) -> "Definitions | None":
        """The definitions as they were last read; None when there is nothing to read."""
        if self._definitions is None and not self.off:
            self.refresh()
        return self._definitions

    def refresh(self) -> bool:
        """Read the definitions again if their files changed; whether they did."""
        if self.off or not has_definitions(self.snapshot, self.files):
            return False
        stamps = self._stamped()
        if self._definitions is not None and stamps == self._stamps:
            return False
        self._definitions = self.readers().read_definitions(self.snapshot, self.files)
        self._stamps = self._stamped()
        return True

    @property
    def skills(self) -> "tuple[Skill, ...]":
        """All skills and commands, those of folders below the working directory included."""
        found = self.definitions if self.commands else None
        skills = found.skills if found is not None else ()
        names = {skill.name for skill in skills}
        return (*skills, *(skill for name, skill in self._nested.items() if name not in names))

    def add_skills(self, skills: "tuple[Skill, ...]") -> None:
        """Skills that a touched file below the working directory brought in."""
        self._nested.update({skill.name: skill for skill in skills})

    @property
    def agents(self) -> "tuple[Agent, ...]":
        """The agents that files, flags and plugins define."""
        return self.definitions.agents if self.definitions is not None else ()

    @property
    def main_agent(self) -> "Agent | None":
        """The agent that the main conversation runs as: `--agent`, else the setting.

        Raises UsageError when the flag names none.
        """
        wanted = self._agent or self.snapshot.text("agent")
        if not wanted or self.off:
            return None
        agent = next((agent for agent in self.agents if agent.name == wanted), None)
        if agent is None and self._agent:
            names = ", ".join(agent.name for agent in self.agents) or "none"
            raise UsageError(f"--agent: there is no agent {wanted!r}; there are: {names}")
        return agent

    @property
    def styles(self) -> "tuple[Style, ...]":
        """The output styles on disk."""
        return self.definitions.styles if self.definitions is not None else ()

    @property
    def plugins(self) -> "tuple[Plugin, ...]":
        """The enabled plugins."""
        return self.definitions.plugins if self.definitions is not None else ()

    def plugin_rows(self) -> list[JsonObject]:
        """The enabled plugins as `system/init` tells them."""
        return [{"name": plugin.name, "path": str(plugin.root)} for plugin in self.plugins]

    def _stamped(self) -> Stamps:
        """Times of change of every definition folder and of every file that was read."""
        roots = [
            os.path.join(folder, name)  # noqa: PTH118 - joined often, before every prompt
            for folder in definition_folders(self.files)
            for name in DEFINITIONS
        ]
        found = self._definitions
        if found is not None:
            roots += [str(plugin.root) for plugin in found.plugins]
        stamps = dict(_folders(roots))
        if found is not None:
            paths = [skill.path for skill in found.skills]
            paths += [agent.path for agent in found.agents if agent.path is not None]
            paths += [style.path for style in found.styles if style.path is not None]
            stamps |= {str(path): _changed(str(path)) for path in paths}
        return stamps


def session_start(start: Start) -> SessionStart:
    """The same start as the readers of files want it."""
    config, sources = start.config, start.config.setting_sources
    return SessionStart(
        cwd=start.cwd,
        home=start.home,
        env=start.env,
        repository=start.repository,
        added=config.add_dirs,
        sources=ALL_SOURCES if sources is None else frozenset(sources),
        managed_dir=start.request.managed_dir,
        plugin_dirs=config.plugin_dirs,
        agents=config.agents or {},
    )


def _folders(roots: list[str]) -> Iterator[tuple[str, int]]:
    waiting, seen = roots, 0
    while waiting and seen < MAX_FOLDERS:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                waiting += [entry.path for entry in entries if entry.is_dir()]
        except OSError:
            continue
        seen += 1
        yield folder, _changed(folder)


def _changed(path: str) -> int:
    try:
        return os.stat(path).st_mtime_ns  # noqa: PTH116 - see above
    except OSError:
        return 0
