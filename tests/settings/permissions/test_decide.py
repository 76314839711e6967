"""Parts of the decision order that the case tables do not reach."""

from pathlib import Path
from typing import Any

import pytest

from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import Facts, HookVerdict, Mode, effective_mode, facts_of
from hames.settings.permissions.policy import Locks, session_rule
from support.permission_calls import ROOT, decide_call, decide_command, policy_of


def test_a_shell_call_that_nobody_parsed_is_asked() -> None:
    facts = Facts("Bash", {"command": "ls"}, ROOT, ())
    assert decide(policy_of(["allow Bash"]), facts, "bypassPermissions").behavior == "ask"


@pytest.mark.parametrize(
    ("command", "hook", "expected"),
    [("ls", None, "allow"), ("npm x", None, "ask"), ("npm x", HookVerdict("allow"), "ask")],
)
def test_settings_that_nobody_can_read_leave_only_reading(
    command: str, hook: HookVerdict | None, expected: str
) -> None:
    policy = policy_of(["allow Bash"], locks=Locks(unreadable_settings=True))
    modes: list[Mode] = ["default", "acceptEdits", "bypassPermissions"]
    for mode in modes:
        decision = decide_command(command, mode=mode, policy=policy, hook=hook)
        assert decision.behavior == expected


def test_the_read_lock_asks_for_commands_and_denies_tools() -> None:
    policy = policy_of(["allow Bash", "allow Read"], locks=Locks(block_reads_outside=True))
    shell = decide_command("cat /etc/hosts", mode="bypassPermissions", policy=policy)
    assert shell.behavior == "ask"
    read = decide_call("Read", {"file_path": "/etc/hosts"}, policy=policy)
    assert (read.behavior, read.reason_type) == ("deny", "directory")


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Glob", {"pattern": "{../x,y}"}, "ask"),
        ("Glob", {"pattern": "{/etc,y}/*"}, "ask"),
        ("Glob", {"pattern": "src/{a,b}/*.py"}, "allow"),
        ("EnterWorktree", {"path": "/elsewhere"}, "ask"),
        ("EnterWorktree", {"path": "/repo/.claude/worktrees/a"}, "allow"),
        ("EnterWorktree", {"name": "a"}, "allow"),
        ("Monitor", {"command": "git status"}, "allow"),
        ("Unheard", {}, "ask"),
        ("Task", {"prompt": "x"}, "allow"),
    ],
)
def test_other_tools(tool: str, given: dict[str, Any], expected: str) -> None:
    assert decide_call(tool, given).behavior == expected


def test_bash_rules_hold_for_monitor() -> None:
    for rule in ("deny Bash", "deny Bash(rm *)", "deny Monitor(rm *)"):
        assert decide_call("Monitor", {"command": "rm x"}, [rule]).behavior == "deny"


def test_a_hook_answers_a_question_only_with_an_input() -> None:
    given = {"questions": []}
    for rewrote, expected in ((False, "ask"), (True, "allow")):
        hook = HookVerdict("allow", rewrote=rewrote)
        assert decide_call("AskUserQuestion", given, hook=hook).behavior == expected


def test_the_plan_file_may_be_written_in_plan_mode() -> None:
    policy = policy_of([]).with_own_files([], [Path("/home/dev/.claude/plans/a.md")])
    given = {"file_path": "/home/dev/.claude/plans/a.md"}
    assert decide_call("Write", given, mode="plan", policy=policy).behavior == "allow"


def test_grants_and_directories_widen_a_policy_without_changing_it() -> None:
    policy = policy_of([])
    wider = policy.with_grants([session_rule("Bash(npm *)", "allow", ROOT)])
    wider = wider.with_directories([Path("/data")])
    assert decide_command("npm x", policy=policy).behavior == "ask"
    assert decide_command("npm x", policy=wider).behavior == "allow"
    assert decide_call("Read", {"file_path": "/data/a"}, policy=wider).behavior == "allow"


def test_relative_deny_rules_hold_after_the_shell_moved_down() -> None:
    policy = policy_of(["deny Read(.env)"])
    facts = facts_of(policy, "Read", {"file_path": "/repo/.env"}, ROOT / "sub")
    assert decide(policy, facts, "default").behavior == "deny"


def test_the_mode_of_a_subagent() -> None:
    assert effective_mode("default", "plan") == "plan"
    assert effective_mode("acceptEdits", "default") == "acceptEdits"
    assert effective_mode("bypassPermissions", "plan") == "bypassPermissions"
    assert effective_mode("plan", None) == "plan"
