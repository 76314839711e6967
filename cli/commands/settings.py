"""`hames settings`: what the settings files say together, and what may stand in them."""

import json
import os
import sys
from importlib.resources import files
from pathlib import Path

import click

from hames.settings.load import ALL_SOURCES, LoadRequest, load_settings
from hames.settings.show import ShownValue, place, shown_values
from hames.settings.snapshot import Snapshot
from hames.system.errors import HamesError
from hames.system.text import visible


@click.group(name="settings")
def command() -> None:
    """Show the effective settings or the schema of settings files."""


@command.command(name="show")
@click.option("--origin", is_flag=True, help="Add the file and line of every value.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--settings", "flag_settings", help="A settings file or a JSON text.")
@click.option("--setting-sources", help="Comma list of user, project, local; empty for none.")
def show(
    origin: bool, as_json: bool, flag_settings: str | None, setting_sources: str | None
) -> None:
    """Show every effective value; secrets are masked. Exit status 1 when a file is unusable."""
    try:
        snapshot = load_settings(
            LoadRequest(
                cwd=Path.cwd(),
                env=dict(os.environ),
                home=Path.home(),
                flag_settings=flag_settings,
                setting_sources=_sources(setting_sources),
            )
        )
    except HamesError as error:
        click.echo(visible(f"Error: {error}"), err=True)
        sys.exit(error.exit_code)
    values = shown_values(snapshot)
    if as_json:
        click.echo(_document(snapshot, values))
    else:
        _print(snapshot, values, origin)
    sys.exit(1 if snapshot.locked else 0)


@command.command(name="schema")
def schema() -> None:
    """Print the JSON Schema of a settings file, for editors and other programs."""
    text = files("hames.settings").joinpath("schema.json").read_text(encoding="utf-8")
    click.echo(text, nl=False)


def _sources(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    names = tuple(name for part in text.split(",") if (name := part.strip()))
    unknown = [name for name in names if name not in ALL_SOURCES]
    if unknown:
        known = ", ".join(ALL_SOURCES)
        raise click.BadParameter(f"{unknown[0]!r} is not one of {known}", param_hint="sources")
    return names


def _document(snapshot: Snapshot, values: tuple[ShownValue, ...]) -> str:
    table = {
        "trusted": snapshot.trusted,
        "locked": snapshot.locked,
        "values": [value.to_json() for value in values],
        "warnings": [
            {
                "kind": warning.kind,
                "text": warning.text,
                "path": str(warning.path) if warning.path else None,
                "key": warning.key,
                "line": warning.line,
            }
            for warning in snapshot.warnings
        ],
    }
    return json.dumps(table, indent=2)


def _print(snapshot: Snapshot, values: tuple[ShownValue, ...], origin: bool) -> None:
    for value in values:
        click.echo(visible(f"{value.key} = {json.dumps(value.value, ensure_ascii=False)}"))
        if value.note:
            click.echo(visible(f"    ({value.note})"))
        if origin:
            for one in value.origins:
                click.echo(visible(f"    {place(one)}"))
    if not values:
        click.echo("No settings file says anything; the defaults apply.")
    if not snapshot.trusted:
        click.echo("This workspace has not been trusted.")
    for warning in snapshot.warnings:
        click.echo(visible(f"{warning.kind}: {warning}"))
