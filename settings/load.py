"""Reads every settings file of a session and makes one snapshot of them."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from hames.settings import paths
from hames.settings.check import Entry, load_catalog
from hames.settings.collect import collect_directories, collect_env, collect_hooks, collect_rules
from hames.settings.flag_file import read_flag_settings
from hames.settings.holds import TrustLevel, hold_back, without_customizations
from hames.settings.layers import Layer, Loaded, pinned_layer, read_layer
from hames.settings.merge import merge_layers
from hames.settings.permissions.rule_text import SourceKind
from hames.settings.repository import Repository, find_repository
from hames.settings.snapshot import Snapshot
from hames.settings.trust import from_repository, recorded_trust
from hames.settings.warnings import SettingsWarning

ALL_SOURCES = ("user", "project", "local")


class LoadRequest(NamedTuple):
    """What decides which settings count.

    `flag_settings` is `--settings`: a file or a JSON text. `setting_sources` None means all.
    `session_trust` is an answer given in this session that is not stored. `pinned` are texts that
    count in place of what files hold now, None for a file that was not there.
    """

    cwd: Path
    env: Mapping[str, str]
    home: Path
    managed_dir: Path = paths.MANAGED_DIRECTORY
    flag_settings: str | None = None
    setting_sources: tuple[str, ...] | None = None
    interactive: bool = False
    session_trust: bool = False
    bare: bool = False
    safe_mode: bool = False
    cli_allow: tuple[str, ...] = ()
    cli_ask: tuple[str, ...] = ()
    cli_deny: tuple[str, ...] = ()
    add_dirs: tuple[Path, ...] = ()
    pinned: Mapping[Path, str | None] = MappingProxyType({})


class _Place(NamedTuple):
    scope: SourceKind
    path: Path
    root: Path


def load_settings(request: LoadRequest) -> Snapshot:
    """The effective settings; raises ConfigError only for an unusable `--settings`."""
    cwd = paths.real(request.cwd)
    repository = find_repository(cwd)
    config = paths.global_config_file(request.env, request.home)
    recorded, warnings = recorded_trust(config, cwd, repository, request.home)
    trusted = recorded or request.session_trust
    trust: TrustLevel = "trusted" if trusted else "held" if request.interactive else "headless"
    catalog = load_catalog()
    places = list(_places(request, cwd, repository))
    layers: list[Layer] = []
    for loaded in _read(request, places, cwd, catalog):
        warnings += loaded.warnings
        if loaded.layer is not None:
            layer = _mark(loaded.layer, repository) if not trusted else loaded.layer
            held = hold_back(layer, trust)
            layer = held.layer
            if request.bare or request.safe_mode:
                layer = without_customizations(layer, bare=request.bare)
            layers.append(layer)
            warnings += held.warnings
    return _snapshot(
        request,
        cwd,
        layers,
        catalog=catalog,
        warnings=warnings,
        files=(*(place.path for place in places), config),
        trusted=trusted,
    )


def _snapshot(
    request: LoadRequest,
    cwd: Path,
    layers: list[Layer],
    *,
    catalog: Mapping[str, Entry],
    warnings: list[SettingsWarning],
    files: tuple[Path, ...],
    trusted: bool,
) -> Snapshot:
    values = merge_layers(layers)
    warnings += _mode_notices(values.get("permissions", {}).get("defaultMode"))
    cli = {"allow": request.cli_allow, "ask": request.cli_ask, "deny": request.cli_deny}
    return Snapshot(
        cwd=cwd,
        values=values,
        layers=tuple(layers),
        catalog=catalog,
        rules=collect_rules(layers, values, cwd, cli),
        directories=collect_directories(layers, cwd, request.home, request.add_dirs),
        env=collect_env(values),
        hooks=collect_hooks(layers, values),
        warnings=tuple(warnings),
        files=files,
        trusted=trusted,
    )


def _mode_notices(mode: object) -> list[SettingsWarning]:
    if mode != "auto":
        return []
    text = "auto mode needs a classifier that hames does not have; the session starts in default"
    return [SettingsWarning("notice", text, None, "permissions.defaultMode")]


def _places(request: LoadRequest, cwd: Path, repository: Repository | None) -> Iterator[_Place]:
    """The files in rising precedence, without `--settings`; a file is never read twice."""
    sources = ALL_SOURCES if request.setting_sources is None else request.setting_sources
    user = paths.user_settings_file(request.env, request.home)
    project = cwd / paths.SETTINGS_FILE
    own = cwd / paths.LOCAL_FILE
    local = paths.local_settings_file(cwd, repository, request.home)
    if "user" in sources:
        yield _Place("user", user, user.parent)
    if "project" in sources and not _same(project, user):
        yield _Place("project", project, cwd)
    if "local" in sources:
        if own != local:
            yield _Place("local", own, cwd)
        yield _Place("local", local, cwd)
    yield from _managed(request.managed_dir, cwd)


def _same(one: Path, other: Path) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def _managed(folder: Path, cwd: Path) -> Iterator[_Place]:
    yield _Place("managed", folder / "managed-settings.json", cwd)
    drop_ins = folder / "managed-settings.d"
    try:
        names = sorted(os.listdir(drop_ins))  # noqa: PTH208 - start path, names are enough
    except OSError:
        return
    for name in names:
        if name.endswith(".json") and not name.startswith("."):
            yield _Place("managed", drop_ins / name, cwd)


def _read(
    request: LoadRequest, places: list[_Place], cwd: Path, catalog: Mapping[str, Entry]
) -> Iterator[Loaded]:
    """Layers in rising precedence; `--settings` stands above local and below managed."""
    flag = request.flag_settings
    for place in places:
        if place.scope == "managed" and flag is not None:
            yield read_flag_settings(flag, cwd, catalog)
            flag = None
        if place.path in request.pinned:
            text = request.pinned[place.path]
            loaded = pinned_layer(place.scope, place.path, place.root, text, catalog)
        else:
            loaded = read_layer(place.scope, place.path, place.root, catalog)
        if loaded is not None:
            yield loaded


def _mark(layer: Layer, repository: Repository | None) -> Layer:
    """Note what came with the folder: project settings, and local ones that git tracks."""
    if layer.scope == "project":
        return layer._replace(repository=True)
    if layer.scope == "local" and layer.path is not None:
        return layer._replace(repository=from_repository(layer.path, repository))
    return layer
