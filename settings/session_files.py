"""From settings and the start of a session to the requests for memory and definitions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hames.settings.definition_load import DefinitionRequest
from hames.settings.definitions import Places
from hames.settings.frontmatter_values import Value
from hames.settings.json_files import as_object
from hames.settings.memory_files import MemoryRequest
from hames.settings.memory_index import memory_directory, memory_enabled
from hames.settings.paths import MANAGED_DIRECTORY, config_home, project_directory, project_root
from hames.settings.plugins import PluginRequest
from hames.settings.repository import Repository
from hames.settings.snapshot import Snapshot
from hames.system.types import JsonObject

ALL_SOURCES = frozenset(("user", "project", "local"))


@dataclass(frozen=True, slots=True)
class SessionStart:
    """What a session was started with. `added` are the directories of `--add-dir`."""

    cwd: Path
    home: Path
    env: Mapping[str, str]
    repository: Repository | None = None
    added: tuple[Path, ...] = ()
    sources: frozenset[str] = ALL_SOURCES
    managed_dir: Path = MANAGED_DIRECTORY
    plugin_dirs: tuple[Path, ...] = ()
    agents: Mapping[str, Mapping[str, Value]] = field(default_factory=dict[str, JsonObject])


def memory_request(
    snapshot: Snapshot, start: SessionStart, outside: Literal["ask", "allow", "deny"] = "ask"
) -> MemoryRequest:
    """`outside` is the recorded answer for imports that leave the project."""
    return MemoryRequest(
        cwd=start.cwd,
        home=start.home,
        config_dir=config_home(start.env, start.home),
        managed_dir=start.managed_dir,
        managed_text=snapshot.text("claudeMd") or "",
        repository=start.repository,
        added=start.added,
        sources=start.sources,
        excludes=snapshot.strings("claudeMdExcludes") or (),
        instructions=snapshot.strings("hames.instructions"),
        outside=outside,
        env=start.env,
    )


def memory_folder(snapshot: Snapshot, start: SessionStart) -> Path | None:
    """The folder of auto memory; None when it is off."""
    if not memory_enabled(snapshot.flag("autoMemoryEnabled"), start.env):
        return None
    root = project_root(start.cwd, start.repository)
    project = project_directory(start.env, start.home, root)
    return memory_directory(project, snapshot.text("autoMemoryDirectory") or "", start.home)


def definition_request(snapshot: Snapshot, start: SessionStart) -> DefinitionRequest:
    """What to look for on disk besides settings and memory."""
    config = config_home(start.env, start.home)
    plugins = PluginRequest(
        config,
        start.plugin_dirs,
        as_object(snapshot.value("enabledPlugins")) or {},
        as_object(snapshot.value("extraKnownMarketplaces")) or {},
    )
    places = Places(
        cwd=start.cwd,
        config_dir=config,
        managed_dir=start.managed_dir,
        repository=start.repository,
        added=start.added,
        sources=start.sources,
    )
    overrides = as_object(snapshot.value("skillOverrides")) or {}
    return DefinitionRequest(places, plugins, start.agents, overrides)
