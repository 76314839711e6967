"""A decision in words: what happens to a call, every step, and where each rule stands."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from hames.settings.permissions.decide import decide, judge_of
from hames.settings.permissions.facts import Mode, facts_of
from hames.settings.permissions.names import EDIT_TOOLS, READ_TOOLS, canonical
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.trace import Decision, Step
from hames.system.types import JsonObject

_FIELDS = {
    **READ_TOOLS,
    **EDIT_TOOLS,
    "Bash": "command",
    "Monitor": "command",
    "WebFetch": "url",
    "WebSearch": "query",
    "Agent": "subagent_type",
    "Skill": "skill",
}


class BadCall(ValueError):
    """A call that is not written as `Tool(input)`; the text says what is wrong."""


def read_call(text: str) -> tuple[str, dict[str, Any]]:
    """`Bash(npm test)`, `Read(a.py)` or `Tool({"json": 1})` as a tool and its input."""
    text = text.strip()
    name, opened, rest = text.partition("(")
    tool = canonical(name.strip())
    if not tool or " " in tool:
        raise BadCall("write the call as Tool(input), for example: Bash(npm test)")
    if not opened:
        return tool, {}
    if not rest.endswith(")"):
        raise BadCall("the call has no closing parenthesis at its end")
    content = rest[:-1]
    if content.lstrip().startswith("{") and tool not in ("Bash", "Monitor"):
        return tool, _object(content)
    field = _FIELDS.get(tool)
    if field is None and content:
        raise BadCall(f"write the input of {tool} as a JSON object: {tool}({{...}})")
    return tool, {field: content} if field else {}


def _object(content: str) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError as error:
        raise BadCall(f"the input is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadCall("the input must be a JSON object")
    return cast("dict[str, Any]", found)


def explain(
    policy: Policy, tool: str, given: dict[str, Any], mode: Mode, cwd: Path
) -> tuple[Decision, tuple[Step, ...]]:
    """The decision, and what is known of the parts of the call."""
    facts = facts_of(policy, tool, given, cwd)
    return decide(policy, facts, mode), judge_of(policy, facts).notes(mode)


def explanation_lines(decision: Decision, notes: tuple[Step, ...], mode: Mode) -> Iterator[str]:
    """The explanation for people, a line at a time."""
    yield f"{decision.behavior}: {decision.reason} (mode {mode})"
    if notes:
        yield ""
        yield "parts"
        for note in notes:
            yield f"  {note.outcome or 'info':<6} {_with_place(note)}"
    yield ""
    yield "steps"
    for step in decision.trace:
        yield f"  {step.outcome or '-':<6} {step.stage}: {_with_place(step)}"


def _with_place(step: Step) -> str:
    if step.rule is None or step.rule.place in step.text:
        return step.text
    return f"{step.text} [{step.rule} in {step.rule.place}]"


def explanation_json(decision: Decision, notes: tuple[Step, ...], mode: Mode) -> JsonObject:
    """The explanation for programs."""
    return {
        "behavior": decision.behavior,
        "reason": decision.reason,
        "reason_type": decision.reason_type,
        "mode": mode,
        "blocked_path": decision.blocked_path,
        "rule": None if decision.rule is None else str(decision.rule),
        "place": None if decision.rule is None else decision.rule.place,
        "parts": [step_json(note) for note in notes],
        "trace": [step_json(step) for step in decision.trace],
    }


def step_json(step: Step) -> JsonObject:
    """One step for programs."""
    return {
        "stage": step.stage,
        "text": step.text,
        "outcome": step.outcome,
        "rule": None if step.rule is None else str(step.rule),
        "place": None if step.rule is None else step.rule.place,
    }
