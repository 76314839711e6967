"""Which local plugins a session has: `--plugin-dir`, directory marketplaces, skills folders."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from hames.settings.definitions import Plugin
from hames.settings.json_files import as_list, as_object, read_json
from hames.settings.plugin_manifest import MANIFEST, Origin, plugin_from, read_plugin
from hames.settings.text_files import Problem, directory_entries, is_file, real_path
from hames.system.types import JsonObject

MARKETPLACE = Path(".claude-plugin") / "marketplace.json"
SKILLS_DIR = "skills-dir"
"""The marketplace name of plugins that lie in a skills folder."""


@dataclass(frozen=True, slots=True)
class PluginRequest:
    """Which plugins a session may have.

    `directories` come from `--plugin-dir`. `enabled` is `enabledPlugins` (`name@marketplace` to
    on or off), `marketplaces` is `extraKnownMarketplaces`. `skill_folders` are searched for
    folders with a manifest.
    """

    config_dir: Path
    directories: tuple[Path, ...] = ()
    enabled: Mapping[str, bool] = field(default_factory=dict[str, bool])
    marketplaces: Mapping[str, object] = field(default_factory=dict[str, object])
    skill_folders: tuple[Path, ...] = ()


def load_plugins(request: PluginRequest, problems: list[Problem]) -> tuple[Plugin, ...]:
    """The enabled plugins; the first of a name wins, `--plugin-dir` before all others."""
    plugins = [read_plugin(Origin(d, request.config_dir), problems) for d in request.directories]
    for identity in sorted(key for key, on in request.enabled.items() if on is True):
        name, _, market = identity.partition("@")
        if market != SKILLS_DIR:
            plugins.append(_from_marketplace(request, name, market, problems))
    for folder in request.skill_folders:
        plugins += _from_skills_folder(request, folder, problems)
    found: dict[str, Plugin] = {}
    for plugin in plugins:
        if plugin is not None:
            found.setdefault(plugin.name, plugin)
    return tuple(found.values())


def _from_skills_folder(
    request: PluginRequest, folder: Path, problems: list[Problem]
) -> list[Plugin]:
    found: list[Plugin] = []
    for directory, is_dir in directory_entries(folder, problems):
        if is_dir and is_file(directory / MANIFEST):
            plugin = read_plugin(Origin(directory, request.config_dir, SKILLS_DIR), problems)
            if plugin is not None and request.enabled.get(plugin.id) is not False:
                found.append(plugin)
    return found


def _from_marketplace(
    request: PluginRequest, name: str, market: str, problems: list[Problem]
) -> Plugin | None:
    root = marketplace_folder(request.marketplaces.get(market))
    if root is None:
        where = request.config_dir / "settings.json"
        text = f"plugin {name}@{market}: only marketplaces that are local folders are supported"
        problems.append(Problem(where, text))
        return None
    path = root / MARKETPLACE
    catalogue = read_json(path, problems)
    if catalogue is None:
        if not is_file(path):
            problems.append(Problem(path, f"does not exist; {name}@{market} was not loaded"))
        return None
    entry = _entry(catalogue, name)
    folder = _entry_folder(root, catalogue, entry.get("source")) if entry is not None else None
    if entry is None or folder is None:
        problems.append(Problem(path, f"holds no plugin {name!r} inside its folder"))
        return None
    origin = Origin(folder, request.config_dir, market)
    if entry.get("strict", True) is not False:
        plugin = read_plugin(origin, problems)
    else:
        own = {key: value for key, value in entry.items() if key not in ("source", "strict")}
        manifest = {**(read_json(folder / MANIFEST, problems) or {}), **own}
        plugin = plugin_from(manifest, path, origin, problems)
    # Settings name the plugin as the marketplace does.
    return plugin and replace(plugin, id=f"{name}@{market}")


def marketplace_folder(known: object) -> Path | None:
    """The folder of a marketplace entry `{"source": {"source": "directory", "path": ...}}`."""
    source = as_object((as_object(known) or {}).get("source")) or {}
    path = source.get("path")
    if source.get("source") != "directory" or not isinstance(path, str) or not path:
        return None
    return Path(path).expanduser()


def _entry(catalogue: JsonObject, name: str) -> JsonObject | None:
    entries = [as_object(entry) or {} for entry in as_list(catalogue.get("plugins")) or []]
    return next((entry for entry in entries if entry.get("name") == name), None)


def _entry_folder(root: Path, catalogue: JsonObject, source: object) -> Path | None:
    base = (as_object(catalogue.get("metadata")) or {}).get("pluginRoot", "")
    if not isinstance(source, str) or not isinstance(base, str):
        return None
    folder = root / base / source
    return folder if real_path(folder).is_relative_to(real_path(root)) else None
