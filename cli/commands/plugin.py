"""`hames plugin`: which local plugins are enabled, and whether a plugin folder is sound."""

import json
import os
from pathlib import Path

import click

from hames.settings.definition_load import DefinitionRequest, load_definitions
from hames.settings.definitions import Definitions, Places, Plugin
from hames.settings.load import LoadRequest, load_settings
from hames.settings.paths import config_home
from hames.settings.plugin_manifest import MANIFEST, Origin, read_plugin
from hames.settings.plugins import PluginRequest
from hames.settings.repository import find_repository
from hames.settings.session_files import SessionStart
from hames.settings.session_requests import definition_request
from hames.settings.text_files import Problem, is_file, real_path
from hames.system.text import visible
from hames.system.types import JsonObject

_FOLDER = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Local plugins."""


@command.command("list")
@click.option("--plugin-dir", "directories", multiple=True, type=_FOLDER, help="Further plugin.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_plugins(directories: tuple[Path, ...], as_json: bool) -> None:
    """Show the enabled plugins and what each brings."""
    found = _session_definitions(directories)
    if as_json:
        rows = [_row(plugin, found) for plugin in found.plugins]
        click.echo(json.dumps(rows, indent=2))
    else:
        for plugin in found.plugins:
            click.echo(_line(_row(plugin, found)))
        if not found.plugins:
            click.echo("no plugins are enabled")
    for problem in found.problems:
        click.echo(visible(str(problem)), err=True)


@command.command("validate")
@click.argument("folder", type=_FOLDER)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def validate(folder: Path, as_json: bool) -> None:
    """Check the manifest and every skill, command, agent and style of a plugin folder."""
    problems = _check(folder)
    if as_json:
        rows = [{"path": str(p.path), "line": p.line, "text": p.text} for p in problems]
        click.echo(json.dumps({"valid": not problems, "problems": rows}, indent=2))
    else:
        for problem in problems:
            click.echo(visible(str(problem)))
        if not problems:
            click.echo(f"{visible(str(folder))}: valid")
    raise SystemExit(1 if problems else 0)


def _session_definitions(directories: tuple[Path, ...]) -> Definitions:
    cwd, home = Path.cwd(), Path.home()
    settings = load_settings(LoadRequest(cwd, os.environ, home))
    start = SessionStart(
        cwd, home, os.environ, repository=find_repository(cwd), plugin_dirs=directories
    )
    return load_definitions(definition_request(settings, start))


def _check(folder: Path) -> list[Problem]:
    problems: list[Problem] = []
    config = config_home(os.environ, Path.home())
    if not is_file(folder / MANIFEST):
        problems.append(Problem(folder, f"has no {MANIFEST}"))
    plugin = read_plugin(Origin(folder, config), problems)
    if plugin is not None:
        nothing_else = Places(folder, config, sources=frozenset())
        found = load_definitions(DefinitionRequest(nothing_else, PluginRequest(config, (folder,))))
        inside = real_path(folder)
        known = {(p.path, p.text) for p in problems}
        for problem in found.problems:
            is_inside = real_path(problem.path).is_relative_to(inside)
            if is_inside and (problem.path, problem.text) not in known:
                problems.append(problem)
    return problems


def _row(plugin: Plugin, found: Definitions) -> JsonObject:
    prefix = f"{plugin.name}:"
    return {
        "id": plugin.id,
        "version": plugin.version,
        "description": plugin.description,
        "root": str(plugin.root),
        "skills": [s.name for s in found.skills if s.plugin == plugin],
        "agents": [a.name for a in found.agents if a.name.startswith(prefix)],
        "styles": [s.name for s in found.styles if s.name.startswith(prefix)],
    }


def _line(row: JsonObject) -> str:
    counts = [f"{len(row[kind])} {kind}" for kind in ("skills", "agents", "styles")]
    version = f" {row['version']}" if row["version"] else ""
    return visible(f"{row['id']}{version}  {', '.join(counts)}  {row['root']}")
