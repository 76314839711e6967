"""The manifest of a plugin folder: checked as a whole, a wrong type of a known field refuses it."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hames.settings.definitions import Plugin
from hames.settings.json_files import as_list, read_json
from hames.settings.text_files import Problem, is_file, real_path
from hames.system.types import JsonObject

MANIFEST = Path(".claude-plugin") / "plugin.json"

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_COMPONENTS = ("skills", "commands", "agents", "outputStyles")
_TYPES: dict[str, tuple[type, ...]] = {
    "displayName": (str,),
    "version": (str,),
    "description": (str,),
    "author": (dict, str),
    "homepage": (str,),
    "repository": (str, dict),
    "license": (str,),
    "keywords": (list,),
    "metadata": (dict,),
    "defaultEnabled": (bool,),
    "hooks": (str, list, dict),
    "mcpServers": (str, list, dict),
    "lspServers": (str, list, dict),
    "userConfig": (dict,),
    "channels": (list,),
    "dependencies": (list,),
    **dict.fromkeys((*_COMPONENTS, "workflows"), (str, list)),
}


class Origin(NamedTuple):
    """Where a plugin folder comes from; `market` is empty for `--plugin-dir`."""

    root: Path
    config_dir: Path
    market: str = ""


def read_plugin(origin: Origin, problems: list[Problem]) -> Plugin | None:
    """The plugin in a folder; None with a problem when it cannot be used."""
    if not os.access(origin.root / ".", os.R_OK | os.X_OK):
        problems.append(Problem(origin.root, "is no plugin folder that can be read"))
        return None
    path = origin.root / MANIFEST
    manifest = read_json(path, problems)
    if manifest is None:
        if is_file(path):
            return None
        manifest = {"name": re.sub(r"[^a-z0-9]+", "-", origin.root.name.lower()).strip("-")}
    return plugin_from(manifest, path, origin, problems)


def plugin_from(
    manifest: JsonObject, path: Path, origin: Origin, problems: list[Problem]
) -> Plugin | None:
    """The plugin a manifest describes; `path` is the file that problems name."""
    faults = _type_faults(manifest)
    paths: dict[str, tuple[Path, ...]] = {}
    for kind in _COMPONENTS:
        given = manifest.get(kind)
        texts = [given] if isinstance(given, str) else as_list(given)
        if texts is not None:
            paths[kind] = _inside(origin.root, kind, texts, faults)
    problems.extend(Problem(path, f"plugin not loaded: {fault}") for fault in faults)
    if faults:
        return None
    name = str(manifest["name"])
    identity = f"{name}@{origin.market}" if origin.market else name
    return Plugin(
        name=name,
        id=identity,
        root=origin.root,
        data=data_folder(origin.config_dir, identity),
        version=str(manifest.get("version", "")),
        description=str(manifest.get("description", "")),
        paths=paths,
        manifest=manifest,
    )


def data_folder(config_dir: Path, identity: str) -> Path:
    """Where a plugin keeps its own files; not created here."""
    return config_dir / "plugins" / "data" / re.sub(r"[^A-Za-z0-9_-]", "-", identity)


def _type_faults(manifest: JsonObject) -> list[str]:
    faults: list[str] = []
    name = manifest.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        faults.append(f"`name` must be lower-case words joined by `-`, not {name!r}")
    for key, types in _TYPES.items():
        if key in manifest and not isinstance(manifest[key], types):
            wanted = " or ".join(kind.__name__ for kind in types)
            faults.append(f"`{key}` must be {wanted}")
    return faults


def _inside(root: Path, kind: str, given: Iterable[object], faults: list[str]) -> tuple[Path, ...]:
    paths: list[Path] = []
    for text in given:
        if not isinstance(text, str) or not text.startswith("./") or ".." in Path(text).parts:
            faults.append(f"`{kind}`: {text!r} must begin with `./` and not hold `..`")
            continue
        path = root / text
        if not real_path(path).is_relative_to(real_path(root)):
            faults.append(f"`{kind}`: {text!r} leads out of the plugin")
        elif not os.access(path, os.R_OK):
            faults.append(f"`{kind}`: {text!r} does not exist or cannot be read")
        paths.append(path)
    return tuple(paths)
