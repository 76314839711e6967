"""What trying hooks gave, as text or JSON; each function returns the exit code."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import click

from hames.cli.commands.hook_trial import Tried
from hames.hooks.result import HookResult, HookRun, Outcome
from hames.system.text import visible
from hames.system.types import JsonObject


def show_trial(tried: Tried, as_json: bool) -> int:
    """One event in full; 1 when it is blocked or a hook failed."""
    outcome = tried.outcome
    if as_json:
        click.echo(json.dumps(_tried_json(tried), ensure_ascii=False, indent=2))
    else:
        click.echo(visible("\n".join(_trial_lines(tried))))
    failed = any(run.outcome != "success" for run in outcome.runs)
    return 1 if outcome.blocked or outcome.stop or failed else 0


def show_replay(all_tried: Sequence[Tried], as_json: bool) -> int:
    """One line per event that would have gone otherwise; 1 when there is one."""
    changed = [tried for tried in all_tried if effects(tried.outcome)]
    for tried in changed:
        if as_json:
            click.echo(json.dumps(_tried_json(tried), ensure_ascii=False))
        else:
            what = json.dumps(tried.event.fields.get("tool_input", {}), ensure_ascii=False)[:120]
            said = "; ".join(effects(tried.outcome))
            click.echo(visible(f"line {tried.line}: {tried.event.label} {what}: {said}"))
    if not as_json:
        click.echo(f"{len(all_tried)} events, {len(changed)} would have gone otherwise.")
    return 1 if changed else 0


def effects(outcome: Outcome) -> list[str]:
    """What the outcome changes, in words; empty when the action goes on as it was."""
    return list(_effects(outcome))


def _effects(outcome: Outcome) -> Iterator[str]:
    permission = outcome.permission
    if permission is not None:
        yield f"{_DECIDED[permission.behavior]}{_because(permission.reason)}"
    elif outcome.blocked:
        yield f"blocked{_because(outcome.reason)}"
    if outcome.request is not None:
        yield f"request answered: {outcome.request.behavior}{_because(outcome.request.message)}"
    if outcome.stop:
        yield f"the turn ends{_because(outcome.stop_reason)}"
    if outcome.updated_input is not None:
        yield f"input becomes {json.dumps(outcome.updated_input, ensure_ascii=False)}"
    for name, value in (
        ("output", outcome.updated_output),
        ("MCP output", outcome.updated_mcp_output),
        ("session title", outcome.session_title),
        ("shown text", outcome.display_content),
        ("worktree", outcome.worktree_path),
    ):
        if value is not None:
            yield f"{name} becomes {json.dumps(value, ensure_ascii=False)}"
    for context in outcome.contexts:
        yield f"context for the model: {context.text}"


_DECIDED = {"allow": "allowed", "deny": "denied", "ask": "asked", "defer": "deferred"}


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def _trial_lines(tried: Tried) -> Iterator[str]:
    outcome = tried.outcome
    yield f"event    {tried.event.label}"
    yield "stdin    " + json.dumps(tried.given, ensure_ascii=False)
    runs = [*outcome.runs, *(said.run for said in tried.background)]
    if not runs:
        yield "No hook of the settings matches this event."
    for number, run in enumerate(runs, 1):
        yield ""
        yield from _run_lines(number, run)
    yield ""
    for notice in outcome.notices:
        yield f"notice   {notice}"
    for message in outcome.system_messages:
        yield f"message  {message}"
    for said in tried.background:
        if said.context or said.system_message or said.wake:
            yield f"later    {said.wake or said.context or said.system_message}"
    yield "outcome  " + ("; ".join(effects(outcome)) or "goes on unchanged")


def _run_lines(number: int, run: HookRun) -> Iterator[str]:
    source = run.spec.source
    line = f":{run.spec.line}" if run.spec.line is not None else ""
    yield f"hook {number}   {run.spec.type}: {run.spec.summary}"
    yield f"  from   {source.label} {source.path or ''}{line}"
    code = "none" if run.exit_code is None else run.exit_code
    yield f"  exit   {code} ({run.seconds:.3f} s)"
    yield from _block("stdout", run.stdout)
    yield from _block("stderr", run.stderr)
    yield f"  result {run.outcome}{_said(run.result)}"


def _block(name: str, text: str) -> Iterator[str]:
    lines = text.rstrip("\n").split("\n") if text else ["(empty)"]
    yield f"  {name} {lines[0]}"
    for line in lines[1:]:
        yield f"         {line}"


def _said(result: HookResult) -> str:
    said = {key: value for key, value in _compact(asdict(result)).items() if key != "outcome"}
    return f" {json.dumps(said, ensure_ascii=False)}" if said else ""


def _compact(fields: dict[str, Any]) -> JsonObject:
    """Only what was said."""
    return {key: value for key, value in fields.items() if value not in (None, "", False, (), {})}


def _tried_json(tried: Tried) -> JsonObject:
    outcome = asdict(tried.outcome)
    outcome.pop("runs")
    return {
        "event": tried.event.label,
        **({} if tried.line is None else {"line": tried.line}),
        "stdin": tried.given,
        "runs": [_run_json(run) for run in tried.outcome.runs],
        "background": [_run_json(said.run) for said in tried.background],
        "outcome": json.loads(json.dumps(_compact(outcome), default=str)),
        "effects": effects(tried.outcome),
    }


def _run_json(run: HookRun) -> JsonObject:
    return {
        "type": run.spec.type,
        "handler": run.spec.summary,
        "source": run.spec.source.label,
        "file": str(run.spec.source.path or ""),
        "line": run.spec.line,
        "exit_code": run.exit_code,
        "seconds": round(run.seconds, 4),
        "stdout": run.stdout,
        "stderr": run.stderr,
        "outcome": run.outcome,
        "result": _compact(asdict(run.result)),
    }
