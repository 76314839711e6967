"""What scripts really print."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.hooks.answer import Answer, Broken, Text, read_answer
from hames.hooks.event_table import EVENTS
from hames.hooks.events import HookEvent, pre_tool_use, user_prompt_submit
from hames.hooks.output import understand
from hames.hooks.ports import RawOutput
from hames.hooks.result import HookResult, Permission
from hames.hooks.sample import sample_event
from hames.hooks.spec import Command, HookSpec, Http
from support.hook_session import USER

BASH = pre_tool_use("Bash", {"command": "ls"}, "t")
DENY = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
TITLE = "PreToolUse:Bash hook error [./hook.sh]: "


def said(stdout: Any, event: HookEvent = BASH, code: int = 0, stderr: str = "") -> HookResult:
    spec = HookSpec(event.name, Command("./hook.sh"), USER)
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return understand(spec, event, RawOutput(text, stderr, code))


def specific(event: str = "PreToolUse", **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def test_pretty_json_and_blanks_around_it_are_json() -> None:
    text = "\n\n  " + json.dumps(specific(**DENY), indent=4) + "\n\n"
    assert said(text).permission == Permission("deny", "no")


@pytest.mark.parametrize(
    ("stdout", "where"),
    [
        ("checking...\n" + json.dumps(specific(**DENY)), "before"),
        (json.dumps(specific(**DENY)) + "\ndone", "after"),
        (json.dumps(specific(**DENY)) + "\n" + json.dumps(specific(**DENY)), "after"),
        ("{}\n" + json.dumps(specific(**DENY)), "before"),
    ],
)
def test_json_among_other_output_is_text_and_the_user_is_told(stdout: str, where: str) -> None:
    result = said(stdout)
    assert (result.permission, result.blocked) == (None, False)
    assert result.notices == (
        f"{TITLE}stdout was read as plain text: there is other output {where} its JSON object",
    )


@pytest.mark.parametrize("stdout", ["[1,2]", '"deny"', "true", "a { b }", "{x} formatted"])
def test_other_text_is_plain_text(stdout: str) -> None:
    assert said(stdout).permission is None


def test_text_is_context_on_a_prompt_and_nothing_on_a_call() -> None:
    assert said("Branch: main\n", user_prompt_submit("hi")).context == "Branch: main"
    assert said("Branch: main\n").context == ""


def test_a_missing_event_name_is_named() -> None:
    result = said({"hookSpecificOutput": DENY})
    assert (result.permission, result.outcome) == (None, "error")
    assert result.notices == (
        f"{TITLE}its JSON is not a hook answer: hookSpecificOutput.hookEventName is missing:"
        ' it must be "PreToolUse"',
    )


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (specific("PostToolUse"), 'hookEventName must be "PreToolUse", not "PostToolUse"'),
        (specific(permissionDecision="block"), "must be allow, deny, ask or defer, not"),
        (specific(updatedInput="x"), "updatedInput must be an object, not"),
        ({"continue": "false"}, 'continue must be true or false, not "false"'),
        ({"decision": "deny"}, 'decision must be "block", not "deny"'),
        ({"reason": 5}, "reason must be text, not a number"),
        ({"hookSpecificOutput": []}, "hookSpecificOutput must be an object, not a list"),
    ],
)
def test_a_wrong_member_is_named(answer: dict[str, Any], problem: str) -> None:
    result = said(answer)
    assert result.outcome == "error"
    assert problem in result.notices[0]


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (
            {"additional_context": "x"},
            '"additional_context" is not read there: write "hookSpecificOutput":'
            ' {"hookEventName": "PreToolUse", "additionalContext": ...}',
        ),
        (
            {"permissionDecision": "deny"},
            '"permissionDecision" is not read there: write "hookSpecificOutput":'
            ' {"hookEventName": "PreToolUse", "permissionDecision": ...}',
        ),
        ({"system_message": "x"}, '"system_message" is not read: write "systemMessage"'),
        (
            specific(additional_context="x"),
            '"additional_context" is not read: write "additionalContext"',
        ),
        (
            specific(decision="block"),
            '"decision" is not read inside hookSpecificOutput: write it beside',
        ),
        (specific(sessionTitle="x"), '"sessionTitle" has no meaning on PreToolUse'),
    ],
)
def test_a_misplaced_member_is_pointed_out(answer: dict[str, Any], hint: str) -> None:
    assert said(answer).notices == (TITLE + hint,)


def test_members_nobody_knows_are_no_trouble() -> None:
    assert said({"version": 3, "debug": {"a": 1}}) == HookResult()


def test_null_means_absent() -> None:
    answer = {"reason": None, **specific(**DENY, updatedInput=None)}
    assert said(answer).permission == Permission("deny", "no")


@pytest.mark.parametrize(
    ("decision", "expected"),
    [("approve", Permission("allow", "why")), ("block", Permission("deny", "why"))],
)
def test_the_legacy_decisions_still_count(decision: str, expected: Permission) -> None:
    assert said({"decision": decision, "reason": "why"}).permission == expected


def test_exit_two_beats_an_allow() -> None:
    result = said(specific(permissionDecision="allow"), code=2, stderr="no")
    assert (result.permission, result.blocked) == (Permission("deny", "no"), True)


def test_a_half_character_cannot_reach_an_encoder() -> None:
    result = said('{"systemMessage":"\\ud83d\\ude00 \\ud83d"}')
    assert result.system_message == "😀 \ufffd"


def test_deep_nesting_is_plain_text() -> None:
    assert isinstance(read_answer('{"a":' * 100_000, "Stop"), Text)


@pytest.mark.parametrize(
    ("sequence", "kept"),
    [
        ("\x1b]2;title\x07", True),
        ("\x1b]9;hello\x1b\\\x07", True),
        ("\x07", True),
        ("\x1b]52;c;aGk=\x07", False),
        ("\x1b[2J", False),
        ("\x1b]2;a\x1b[2Jb\x07", False),
    ],
)
def test_only_harmless_terminal_sequences_pass(sequence: str, kept: bool) -> None:
    result = said({"terminalSequence": sequence})
    assert bool(result.terminal_sequence) is kept
    assert bool(result.notices) is not kept


@pytest.mark.parametrize("name", [name for name, info in EVENTS.items() if info.discards])
def test_events_without_a_turn_discard_continue_and_messages(name: str) -> None:
    event = sample_event(name, cwd=Path("/w"))
    result = said({"continue": False, "stopReason": "x", "systemMessage": "y"}, event)
    assert (result.stop, result.stop_reason, result.system_message) == (False, "", "")


@pytest.mark.parametrize(
    ("stdout", "code", "path", "blocked"),
    [
        ("made it\n/w/tree\n\n", 0, "/w/tree", False),
        (json.dumps(specific("WorktreeCreate", worktreePath="/w/x")), 0, "/w/x", False),
        ("", 0, None, True),
        ("/w/tree", 1, None, True),
        ("/w/tree", 2, None, True),
    ],
)
def test_a_worktree_needs_a_path_and_success(
    stdout: str, code: int, path: str | None, blocked: bool
) -> None:
    event = sample_event("WorktreeCreate", cwd=Path("/w"))
    result = said(stdout, event, code)
    assert (result.fields.get("worktreePath"), result.blocked) == (path, blocked)


def test_http_has_no_last_line() -> None:
    event = sample_event("WorktreeCreate", cwd=Path("/w"))
    spec = HookSpec(event.name, Http("http://h"), USER)
    assert understand(spec, event, RawOutput("/w/x")).blocked


@pytest.mark.property
@given(st.text() | st.dictionaries(st.text(), st.none() | st.text()).map(json.dumps))
def test_nothing_a_hook_prints_raises(stdout: str) -> None:
    for name in ("PreToolUse", "Stop", "SessionStart"):
        assert isinstance(read_answer(stdout, name), Answer | Broken | Text)
    said(stdout, code=2)
