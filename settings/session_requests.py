"""From settings and the start of a session to the requests for memory and definitions."""

from typing import Literal

from hames.settings.definition_load import DefinitionRequest
from hames.settings.definitions import Places
from hames.settings.json_files import as_object
from hames.settings.memory_files import MemoryRequest
from hames.settings.plugins import PluginRequest
from hames.settings.session_files import SessionStart
from hames.settings.snapshot import Snapshot


def memory_request(
    snapshot: Snapshot, start: SessionStart, outside: Literal["ask", "allow", "deny"] = "ask"
) -> MemoryRequest:
    """`outside` is the recorded answer for imports that leave the project."""
    return MemoryRequest(
        cwd=start.cwd,
        home=start.home,
        config_dir=start.config_dir,
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


def places_of(start: SessionStart) -> Places:
    """Where the definitions of a session are looked for, plugins left out."""
    return Places(
        cwd=start.cwd,
        config_dir=start.config_dir,
        managed_dir=start.managed_dir,
        repository=start.repository,
        added=start.added,
        sources=start.sources,
    )


def definition_request(snapshot: Snapshot, start: SessionStart) -> DefinitionRequest:
    """What to look for on disk besides settings and memory."""
    plugins = PluginRequest(
        start.config_dir,
        start.plugin_dirs,
        as_object(snapshot.value("enabledPlugins")) or {},
        as_object(snapshot.value("extraKnownMarketplaces")) or {},
    )
    overrides = as_object(snapshot.value("skillOverrides")) or {}
    return DefinitionRequest(places_of(start), plugins, start.agents, overrides)
