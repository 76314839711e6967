"""`hames hooks`: see, try and check hooks without a model."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from hames.cli.commands.hook_report import show_replay, show_trial
from hames.cli.commands.hook_trial import Trial, replay, try_event
from hames.hooks.config import HookProblem
from hames.hooks.event_table import EVENTS
from hames.hooks.from_definitions import plugin_hooks
from hames.hooks.from_settings import located, settings_hooks
from hames.hooks.lint import lint_hooks
from hames.hooks.policy import HookPolicy
from hames.hooks.replay import REPLAYABLE
from hames.hooks.sample import sample_event
from hames.hooks.spec import SETTINGS_KINDS, HookSpec
from hames.settings.load import LoadRequest, load_settings
from hames.settings.paths import config_home
from hames.settings.plugins import PluginRequest, load_plugins
from hames.settings.text_files import Problem
from hames.system.text import visible
from hames.system.types import JsonObject, is_object


@dataclass(frozen=True, slots=True)
class _Configured:
    """The hooks that apply in the current directory."""

    specs: tuple[HookSpec, ...]
    problems: tuple[HookProblem, ...]
    policy: HookPolicy
    env: Mapping[str, str]
    trusted: bool


def _configured() -> _Configured:
    request = LoadRequest(cwd=Path.cwd(), env=dict(os.environ), home=Path.home())
    snapshot = load_settings(request)
    for warning in snapshot.warnings:
        if warning.kind in ("invalid", "locked"):
            click.echo(f"hames: {warning}", err=True)
    found = settings_hooks(snapshot)
    problems: list[Problem] = []
    wanted = PluginRequest(
        config_home(request.env, request.home),
        enabled=snapshot.values.get("enabledPlugins", {}),
        marketplaces=snapshot.values.get("extraKnownMarketplaces", {}),
    )
    plugins = [plugin_hooks(plugin) for plugin in load_plugins(wanted, problems)]
    for problem in problems:
        click.echo(visible(f"hames: {problem}"), err=True)
    brought = (spec for config in plugins for spec in config.specs)
    return _Configured(
        specs=(*located(found.specs, snapshot), *brought),
        problems=(*found.problems, *(p for config in plugins for p in config.problems)),
        policy=found.policy,
        env={**request.env, **snapshot.env},
        trusted=snapshot.trusted,
    )


@click.group(name="hooks")
def command() -> None:
    """See, try and check the hooks of settings files and plugins."""


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
def list_hooks(as_json: bool) -> None:
    """List every hook with the file and line it stands in."""
    found = _configured()
    rows = [_row(spec, found) for spec in found.specs]
    for row in rows:
        if as_json:
            click.echo(json.dumps(row, ensure_ascii=False))
        else:
            remark = "" if row["trusted"] else "  (folder not trusted: not in interactive sessions)"
            if not row["runs"]:
                remark = "  (switched off by the settings)"
            matcher = row["matcher"] or "*"
            if row["if"]:
                matcher += f" if {row['if']}"
            text = f"{row['event']}  {matcher}\n  {row['type']}: {row['handler']}"
            click.echo(visible(f"{text}\n  {row['source']} {row['place']}{remark}"))
    if not rows and not as_json:
        click.echo("No hooks are configured here.")
    _tell_problems(found)


def _row(spec: HookSpec, found: _Configured) -> JsonObject:
    line = f":{spec.line}" if spec.line is not None else ""
    return {
        "event": spec.event,
        "matcher": spec.matcher,
        "if": spec.condition,
        "type": spec.type,
        "handler": spec.summary,
        "source": spec.source.label,
        "place": f"{spec.source.path or ''}{line}",
        "runs": found.policy.permits(spec),
        "trusted": found.trusted or spec.source.kind not in SETTINGS_KINDS,
    }


def _tell_problems(found: _Configured) -> None:
    for problem in found.problems:
        click.echo(visible(f"hames: {problem}"), err=True)


@command.command(name="lint")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
def lint(as_json: bool) -> None:
    """Find hooks that can never run or cannot work. Exit 1 when there are findings."""
    found = _configured()
    findings = lint_hooks(found.specs, found.problems, Path.cwd())
    for finding in findings:
        if as_json:
            row = {
                "file": str(finding.source.path or finding.source.label),
                "line": finding.line,
                "where": finding.where,
                "text": finding.text,
            }
            click.echo(json.dumps(row, ensure_ascii=False))
        else:
            click.echo(visible(str(finding)))
    if not findings and not as_json:
        click.echo(f"{len(found.specs)} hooks, nothing to complain about.")
    sys.exit(1 if findings else 0)


@command.command(name="test")
@click.argument("event", type=click.Choice(list(EVENTS)), metavar="EVENT")
@click.option("--tool", help="Tool name of a tool event; Bash when left out.")
@click.option("--input", "given", help="JSON: the tool's input, or fields of another event.")
@click.option("--prompt", help="Prompt text.")
@click.option(
    "--from",
    "transcript",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Fire every event of this kind that a transcript (.jsonl) recorded.",
)
@click.option("--json", "as_json", is_flag=True, help="JSON instead of text.")
def test(
    event: str,
    tool: str | None,
    given: str | None,
    *,
    prompt: str | None,
    transcript: Path | None,
    as_json: bool,
) -> None:
    """Run the hooks that EVENT would run, for real, and show all they got and said.

    Exit 0: the action goes on unchanged by failures. Exit 1: it is blocked, or a hook failed;
    with --from, something would have been blocked or changed.
    """
    found = _configured()
    _tell_problems(found)
    trial = Trial(found.specs, found.policy, Path.cwd(), found.env)
    if transcript is not None:
        if event not in REPLAYABLE:
            raise click.UsageError(f"transcripts hold {', '.join(REPLAYABLE)}, not {event}")
        sys.exit(show_replay(asyncio.run(replay(trial, event, transcript)), as_json))
    sample = sample_event(event, tool=tool, given=_parsed(given), prompt=prompt, cwd=Path.cwd())
    sys.exit(show_trial(asyncio.run(try_event(trial, sample)), as_json))


def _parsed(text: str | None) -> JsonObject | None:
    if text is None:
        return None
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"--input is not JSON: {error}") from error
    if not is_object(value):
        raise click.UsageError("--input must be a JSON object")
    return value
