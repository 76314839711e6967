"""`hames permissions`: explain one decision, check the rules, run permission cases."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import cast

import click

from hames.settings.effective_policy import effective_policy
from hames.settings.load import LoadRequest, load_settings
from hames.settings.permissions.cases import CaseError, CaseResult, read_cases, run_cases
from hames.settings.permissions.explain import (
    BadCall,
    explain,
    explanation_json,
    explanation_lines,
    read_call,
    step_json,
)
from hames.settings.permissions.facts import Mode
from hames.settings.permissions.lint import lint
from hames.settings.permissions.policy import Policy
from hames.settings.snapshot import Snapshot
from hames.system.errors import HamesError
from hames.system.text import visible

_MODES = ("default", "manual", "acceptEdits", "plan", "dontAsk", "bypassPermissions")


@click.group(name="permissions")
def command() -> None:
    """Explain decisions, check rules, run permission cases."""


@command.command(name="explain")
@click.argument("call")
@click.option("--mode", type=click.Choice(_MODES), help="Permission mode; default: of settings.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--settings", "flag_settings", help="A settings file or a JSON text.")
def explain_call(call: str, mode: str | None, as_json: bool, flag_settings: str | None) -> None:
    """Say what would happen to CALL, for example 'Bash(npm test && rm -rf x)'."""
    snapshot, policy = _load(flag_settings)
    chosen = cast("Mode", "default" if mode == "manual" else mode or snapshot.default_mode)
    try:
        tool, given = read_call(call)
    except BadCall as error:
        raise click.BadParameter(str(error), param_hint="CALL") from error
    decision, notes = explain(policy, tool, given, chosen, snapshot.cwd)
    if as_json:
        click.echo(json.dumps(explanation_json(decision, notes, chosen)))
    else:
        for line in explanation_lines(decision, notes, chosen):
            click.echo(visible(line))


@command.command(name="lint")
@click.option("--strict", is_flag=True, help="Exit status 1 for warnings too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per finding.")
@click.option("--settings", "flag_settings", help="A settings file or a JSON text.")
def lint_rules(strict: bool, as_json: bool, flag_settings: str | None) -> None:
    """Name rules that are dead, shadowed, misspelt or too broad. Exit status 1 for dead ones."""
    _, policy = _load(flag_settings, as_trusted=True)
    issues = lint(policy)
    for issue in issues:
        if as_json:
            record = {
                "level": issue.level,
                "rule": str(issue.rule),
                "behavior": issue.rule.text.behavior,
                "place": issue.rule.place,
                "text": issue.text,
                "fix": issue.fix,
            }
            click.echo(json.dumps(record))
        else:
            click.echo(visible(str(issue)))
    if not issues and not as_json:
        click.echo(f"{len(policy.rules)} rules, nothing to say")
    sys.exit(1 if any(strict or issue.level == "error" for issue in issues) else 0)


@command.command(name="test")
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per case.")
@click.option("--max-noise", type=float, default=0.01, help="Share of cases that may be noise.")
def test_cases(files: tuple[Path, ...], as_json: bool, max_noise: float) -> None:
    """Run permission cases of FILES (JSON lines).

    Exit status 0: as expected. 1: an unsafe or soft answer. 3: too much noise.
    """
    try:
        cases = [case for path in files for case in read_cases(path)]
    except CaseError as error:
        click.echo(visible(f"Error: {error}"), err=True)
        sys.exit(2)
    counts: Counter[str] = Counter()
    for result in run_cases(cases):
        counts[result.verdict] += 1
        if as_json:
            click.echo(json.dumps(_record(result)))
        elif result.verdict != "ok":
            click.echo(visible(_line(result)))
    if not as_json:
        click.echo(_summary(counts, len(cases)))
    sys.exit(_exit_code(counts, len(cases), max_noise))


def _load(flag_settings: str | None, *, as_trusted: bool = False) -> tuple[Snapshot, Policy]:
    """The settings of the current directory; problems of the files go to stderr."""
    env, home = dict(os.environ), Path.home()
    request = LoadRequest(
        cwd=Path.cwd(), env=env, home=home, flag_settings=flag_settings, session_trust=as_trusted
    )
    try:
        snapshot = load_settings(request)
    except HamesError as error:
        click.echo(visible(f"Error: {error}"), err=True)
        sys.exit(error.exit_code)
    for warning in snapshot.warnings:
        click.echo(visible(f"Warning: {warning.text}"), err=True)
    return snapshot, effective_policy(snapshot, env, home)


def _record(result: CaseResult) -> dict[str, object]:
    return {
        "id": result.id,
        "expect": result.expect,
        "got": result.got,
        "class": result.verdict,
        "trace": [step_json(step) for step in result.decision.trace],
    }


def _line(result: CaseResult) -> str:
    return (
        f"{result.verdict}: {result.id}: expected {result.expect}, got {result.got}"
        f" ({result.decision.reason})"
    )


def _summary(counts: Counter[str], total: int) -> str:
    names: Iterable[str] = ("ok", "unsafe", "soft", "noise", "advisory")
    return f"{total} cases: " + ", ".join(f"{counts[name]} {name}" for name in names)


def _exit_code(counts: Counter[str], total: int, max_noise: float) -> int:
    if counts["unsafe"] or counts["soft"]:
        return 1
    return 3 if total and counts["noise"] / total > max_noise else 0
