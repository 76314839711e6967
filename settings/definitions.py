"""Agents, skills, commands and styles of a session: what they are and where they come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from hames.settings.frontmatter_values import Value
from hames.settings.repository import Repository
from hames.settings.text_files import Problem, real_path

Source = Literal["managed", "flag", "project", "user", "plugin", "builtin"]
"""Who defined something; `flag` is `--agents` or the option of a client."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """A local plugin folder. `id` is `name@marketplace`, or the name alone from a flag.

    `paths` are the component folders and files that its manifest names, by kind; a missing
    kind means the default folder. `data` is its private folder.
    """

    name: str
    id: str
    root: Path
    data: Path
    version: str = ""
    description: str = ""
    paths: Mapping[str, tuple[Path, ...]] = field(default_factory=dict[str, tuple[Path, ...]])
    manifest: Mapping[str, Value] = field(default_factory=dict[str, Value])


@dataclass(frozen=True, slots=True)
class Agent:
    """A subagent. None means inherited or not restricted; `hooks` and `servers` are unparsed."""

    name: str
    description: str
    prompt: str
    source: Source
    path: Path | None = None
    tools: tuple[str, ...] | None = None
    disallowed: tuple[str, ...] = ()
    model: str | None = None
    mode: str | None = None
    max_turns: int | None = None
    skills: tuple[str, ...] = ()
    memory: str | None = None
    effort: str | None = None
    color: str | None = None
    background: bool = False
    isolation: str | None = None
    initial_prompt: str = ""
    hooks: Value = None
    servers: Value = None


class Skill(NamedTuple):
    """A skill or a command file; `name` is what stands after the slash.

    `directory` is what `${CLAUDE_SKILL_DIR}` means. `listed` is false for what only the user
    may run, `user_invocable` for what only the model may run; `paths` hold it back until a
    matching file is worked on.
    """

    name: str
    description: str
    body: str
    source: Source
    path: Path
    directory: Path
    is_command: bool = False
    label: str = ""
    argument_hint: str = ""
    arguments: tuple[str, ...] = ()
    listed: bool = True
    user_invocable: bool = True
    name_only: bool = False
    allowed: tuple[str, ...] = ()
    disallowed: tuple[str, ...] = ()
    model: str | None = None
    effort: str | None = None
    fork: bool = False
    agent: str | None = None
    background: bool = True
    paths: tuple[str, ...] = ()
    shell: str = "bash"
    hooks: Value = None
    plugin: Plugin | None = None


class Style(NamedTuple):
    """An output style; `keeps_coding` keeps the coding section of the prompt."""

    name: str
    description: str
    text: str
    source: Source
    path: Path | None = None
    keeps_coding: bool = False
    forced: bool = False


class Places(NamedTuple):
    """Where definitions are looked for. `added` are the directories of `--add-dir`."""

    cwd: Path
    config_dir: Path
    managed_dir: Path | None = None
    repository: Repository | None = None
    added: tuple[Path, ...] = ()
    sources: frozenset[str] = frozenset(("user", "project", "local"))
    plugins: tuple[Plugin, ...] = ()

    def project_folders(self, name: str) -> list[Path]:
        """`.claude/<name>` from cwd up to the top of the repository, nearest first."""
        if "project" not in self.sources:
            return []
        top = self.repository.root if self.repository is not None else self.cwd
        levels = [self.cwd]
        if self.cwd.is_relative_to(top):
            levels += [p for p in self.cwd.parents if p.is_relative_to(top)]
        folders = [directory / ".claude" / name for directory in levels]
        own = real_path(self.config_dir)
        return [folder for folder in folders if real_path(folder.parent) != own]

    def user_folder(self, name: str) -> list[Path]:
        """`~/.claude/<name>`, unless user files are switched off."""
        return [self.config_dir / name] if "user" in self.sources else []

    def managed_folder(self, name: str) -> list[Path]:
        """`.claude/<name>` in the managed settings directory."""
        return [self.managed_dir / ".claude" / name] if self.managed_dir is not None else []

    def added_folders(self, name: str) -> list[Path]:
        """`.claude/<name>` of the directories given with `--add-dir`."""
        return [directory / ".claude" / name for directory in self.added]


class Definitions(NamedTuple):
    """Everything found, each in order of name, with what was wrong."""

    agents: tuple[Agent, ...] = ()
    skills: tuple[Skill, ...] = ()
    styles: tuple[Style, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    problems: tuple[Problem, ...] = ()
