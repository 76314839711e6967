"""Prompt and agent hooks: the question they ask and what a no means per event."""

import asyncio
import json
from pathlib import Path

import pytest

from hames.hooks.ports import RawOutput
from hames.hooks.result import Outcome
from hames.hooks.sample import sample_event
from hames.hooks.verdict import filled_arguments, filled_prompt
from support.hook_session import FakeRunner, bench, context, one

NO = '{"ok": false, "reason": "tests fail"}'


def fire(
    tmp_path: Path, event: str, answer: str, kind: str = "prompt", carry_on: bool = False
) -> Outcome:
    handler = {"type": kind, "prompt": "Is it right?"}
    if carry_on:
        handler["continueOnBlock"] = True  # type: ignore[assignment] - a mixed JSON object
    runner = FakeRunner(RawOutput(answer))
    made = bench(tmp_path, one(event, handler), runners={"prompt": runner, "agent": runner})
    given = sample_event(event, cwd=tmp_path)
    return asyncio.run(made.engine.fire(given, context(tmp_path)))


@pytest.mark.parametrize(
    ("event", "carry_on", "blocked", "stops"),
    [
        ("Stop", False, True, False),
        ("SubagentStop", False, True, False),
        ("PreToolUse", False, True, True),
        ("PreToolUse", True, True, False),
        ("PostToolUse", False, True, True),
        ("PostToolUse", True, True, False),
        ("PostToolBatch", False, True, True),
        ("UserPromptSubmit", True, True, True),
        ("UserPromptExpansion", False, True, True),
        ("PostToolUseFailure", False, True, False),
        ("TaskCreated", False, True, False),
        ("TaskCompleted", False, True, False),
        ("TeammateIdle", False, True, True),
        ("TeammateIdle", True, True, False),
        ("PermissionRequest", False, False, False),
        ("PermissionDenied", False, False, False),
    ],
)
def test_a_no_means_what_the_event_says(
    tmp_path: Path, event: str, carry_on: bool, blocked: bool, stops: bool
) -> None:
    outcome = fire(tmp_path, event, NO, carry_on=carry_on)
    assert (outcome.blocked, outcome.stop) == (blocked, stops)
    assert outcome.reason == ("tests fail" if blocked else "")
    assert bool(outcome.system_messages) is stops
    assert (outcome.permission is not None) is (event == "PreToolUse")


def test_an_agent_goes_on_after_its_no(tmp_path: Path) -> None:
    outcome = fire(tmp_path, "PreToolUse", NO, kind="agent")
    assert (outcome.blocked, outcome.stop) == (True, False)


@pytest.mark.parametrize("event", ["PreToolUse", "Stop", "PostToolUse"])
def test_a_yes_changes_nothing(tmp_path: Path, event: str) -> None:
    outcome = fire(tmp_path, event, '{"ok": true, "reason": "fine"}')
    assert outcome == Outcome(runs=outcome.runs)


def test_an_impossible_task_may_stop(tmp_path: Path) -> None:
    answer = '{"ok": false, "reason": "no network", "impossible": true}'
    assert not fire(tmp_path, "Stop", answer).blocked
    assert fire(tmp_path, "PreToolUse", answer).blocked


def test_prose_and_fences_around_the_answer_are_fine(tmp_path: Path) -> None:
    answer = f"Let me see {{now}}.\n```json\n{NO}\n```\n"
    assert fire(tmp_path, "Stop", answer).reason == "tests fail"


@pytest.mark.parametrize("answer", ["", "yes", "{}", '{"ok": "false"}', '{"ok": null}'])
def test_no_verdict_is_an_error_that_blocks_nothing(tmp_path: Path, answer: str) -> None:
    outcome = fire(tmp_path, "PreToolUse", answer)
    assert not outcome.blocked
    assert outcome.notices == ("PreToolUse:Bash hook error [Is it right?]: gave no verdict",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Check $ARGUMENTS now", 'Check {"a": "$b"} now'),
        ("Check", 'Check\n\n{"a": "$b"}'),
        ("costs \\$5: $ARGUMENTS", 'costs $5: {"a": "$b"}'),
        ("\\$ARGUMENTS", '$ARGUMENTS\n\n{"a": "$b"}'),
    ],
)
def test_the_input_is_put_into_the_question(text: str, expected: str) -> None:
    assert filled_prompt(text, {"a": "$b"}) == expected


def test_the_arguments_of_a_tool_are_filled_from_the_input() -> None:
    arguments = {
        "path": "${tool_input.file_path}",
        "all": ["x-${tool_name}-y", 5],
        "none": {"a": "${tool_input.missing.deep}"},
        "whole": "${tool_input}",
    }
    given = {"tool_name": "Edit", "tool_input": {"file_path": "/w/a.py"}}
    assert filled_arguments(json.dumps(arguments), given) == {
        "path": "/w/a.py",
        "all": ["x-Edit-y", 5],
        "none": {"a": ""},
        "whole": '{"file_path": "/w/a.py"}',
    }
