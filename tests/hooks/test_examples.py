"""The worked examples of the hook contract with real scripts in bash, Python and Node."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hames.hooks import events, session_events
from hames.hooks.events import HookEvent
from hames.hooks.result import AddedContext, Outcome, Permission, RequestDecision
from support.hook_session import bench, command, context, one, script

BASH, PYTHON, NODE = "bash", "python", "node"
LANGUAGES = [BASH, PYTHON, pytest.param(NODE, marks=pytest.mark.external)]


def answering(
    folder: Path, language: str, stdout: str = "", stderr: str = "", code: int = 0
) -> str:
    """A script that keeps its stdin in `given.json`, answers and exits."""
    out, err = json.dumps(stdout), json.dumps(stderr)
    given = json.dumps(str(folder / "given.json"))
    if language == BASH:
        quoted = [text.replace("'", "'\\''") for text in (stdout, stderr)]
        body = (
            f"#!/usr/bin/env bash\ncat > {given}\n"
            f"printf '%s' '{quoted[0]}'\nprintf '%s' '{quoted[1]}' >&2\nexit {code}\n"
        )
    elif language == PYTHON:
        body = (
            "#!/usr/bin/env python3\nimport sys\n"
            f"open({given}, 'w').write(sys.stdin.read())\n"
            f"sys.stdout.write({out})\nsys.stderr.write({err})\nsys.exit({code})\n"
        )
    else:
        body = (
            "#!/usr/bin/env node\nconst fs = require('fs');\n"
            f"fs.writeFileSync({given}, fs.readFileSync(0));\n"
            f"fs.writeSync(1, {out}); fs.writeSync(2, {err});\nprocess.exit({code});\n"
        )
    return str(script(folder, f"hook-{language}", body))


def fire(
    tmp_path: Path,
    language: str,
    event: HookEvent,
    mode: str = "default",
    **answer: Any,
) -> tuple[Outcome, Any]:
    """The outcome, and the input that the script got without what every input has."""
    hooks = one(event.name, command(answering(tmp_path, language, **answer)))
    here = context(tmp_path, permission_mode=mode)
    outcome = asyncio.run(bench(tmp_path, hooks).engine.fire(event, here))
    text = (tmp_path / "given.json").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    given = json.loads(text)
    assert given.pop("session_id") == "11111111-2222-4333-8444-555555555555"
    assert given.pop("transcript_path") == str(tmp_path / "transcript.jsonl")
    assert given.pop("cwd") == str(tmp_path / "work")
    return outcome, given


def told(event: str, **fields: Any) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **fields}})


PUSH = events.pre_tool_use(
    "Bash", {"command": "git push --force", "description": "push"}, "toolu_1"
)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (
            {
                "stdout": told(
                    "PreToolUse",
                    permissionDecision="deny",
                    permissionDecisionReason="Force push is closed on this repository",
                )
            },
            "Force push is closed on this repository",
        ),
        ({"stderr": "Force push is closed", "code": 2}, "Force push is closed"),
        ({"stdout": '{"decision":"block","reason":"closed"}', "code": 1}, "closed"),
    ],
)
def test_a_call_is_denied(
    tmp_path: Path, language: str, answer: dict[str, Any], reason: str
) -> None:
    outcome, given = fire(tmp_path, language, PUSH, **answer)
    assert given == {
        "hook_event_name": "PreToolUse",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": "git push --force", "description": "push"},
        "tool_use_id": "toolu_1",
    }
    assert (outcome.permission, outcome.blocked) == (Permission("deny", reason), True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_call_is_rewritten(tmp_path: Path, language: str) -> None:
    new = {"command": "uv pip install x", "description": "install"}
    event = events.pre_tool_use("Bash", {"command": "pip install x"}, "toolu_1")
    stdout = told("PreToolUse", permissionDecision="ask", updatedInput=new)
    outcome, _ = fire(tmp_path, language, event, stdout=stdout)
    assert (outcome.permission, outcome.updated_input) == (Permission("ask"), new)
    assert not outcome.blocked


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_result_gets_feedback(tmp_path: Path, language: str) -> None:
    edit = {"file_path": "/w/p/a.py", "old_string": "x", "new_string": "y"}
    event = events.post_tool_use("Edit", edit, {"filePath": "/w/p/a.py"}, "toolu_2", 9)
    stdout = '{"decision":"block","reason":"ruff: E501 at line 3"}'
    outcome, given = fire(tmp_path, language, event, mode="acceptEdits", stdout=stdout)
    assert given == {
        "hook_event_name": "PostToolUse",
        "permission_mode": "acceptEdits",
        "tool_name": "Edit",
        "tool_input": edit,
        "tool_response": {"filePath": "/w/p/a.py"},
        "tool_use_id": "toolu_2",
        "duration_ms": 9,
    }
    assert (outcome.blocked, outcome.reason) == (True, "ruff: E501 at line 3")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_prompt_gets_context_or_is_dropped(tmp_path: Path, language: str) -> None:
    event = events.user_prompt_submit("fix the bug")
    outcome, given = fire(tmp_path, language, event, stdout="Branch: release/2")
    assert given == {
        "hook_event_name": "UserPromptSubmit",
        "permission_mode": "default",
        "prompt": "fix the bug",
    }
    assert outcome.contexts == (AddedContext("UserPromptSubmit", "Branch: release/2"),)
    outcome, _ = fire(tmp_path, language, event, stderr="No secrets in prompts", code=2)
    assert (outcome.blocked, outcome.reason) == (True, "No secrets in prompts")
    assert outcome.contexts == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_session_start_names_the_session(tmp_path: Path, language: str) -> None:
    event = events.session_start("resume", "claude-sonnet-5")
    stdout = told("SessionStart", additionalContext="Open issue: 12", sessionTitle="issue-12")
    outcome, given = fire(tmp_path, language, event, stdout=stdout)
    assert given == {
        "hook_event_name": "SessionStart",
        "source": "resume",
        "model": "claude-sonnet-5",
    }
    assert outcome.contexts == (AddedContext("SessionStart:resume", "Open issue: 12"),)
    assert outcome.session_title == "issue-12"


def test_a_session_start_hook_sets_variables_for_later_commands(tmp_path: Path) -> None:
    hook = command("echo 'export STAGE=dev' >> \"$CLAUDE_ENV_FILE\"")
    made = bench(tmp_path, one("SessionStart", hook))
    asyncio.run(made.engine.fire(events.session_start("startup"), context(tmp_path)))
    written = tmp_path / "session-env" / "env.sh"
    assert written.read_text(encoding="utf-8") == "export STAGE=dev\n"
    assert written.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("language", LANGUAGES)
def test_stopping_is_refused(tmp_path: Path, language: str) -> None:
    stdout = '{"decision":"block","reason":"Run pytest first"}'
    outcome, given = fire(tmp_path, language, events.stop(False, "Done."), stdout=stdout)
    assert given == {
        "hook_event_name": "Stop",
        "permission_mode": "default",
        "stop_hook_active": False,
        "last_assistant_message": "Done.",
        "background_tasks": [],
        "session_crons": [],
    }
    assert (outcome.blocked, outcome.reason) == (True, "Run pytest first")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_subagent_finishes(tmp_path: Path, language: str) -> None:
    event = events.subagent_stop(
        False, "a1", "Explore", "/h/agent-a1.jsonl", last_assistant_message="3 files"
    )
    outcome, given = fire(tmp_path, language, event)
    assert given == {
        "hook_event_name": "SubagentStop",
        "permission_mode": "default",
        "stop_hook_active": False,
        "agent_id": "a1",
        "agent_type": "Explore",
        "agent_transcript_path": "/h/agent-a1.jsonl",
        "last_assistant_message": "3 files",
        "background_tasks": [],
        "session_crons": [],
    }
    assert outcome == Outcome(runs=outcome.runs)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_permission_request_is_answered(tmp_path: Path, language: str) -> None:
    update = {
        "type": "addRules",
        "rules": [{"toolName": "Bash", "ruleContent": "npm run *"}],
        "behavior": "allow",
        "destination": "session",
    }
    suggestion = {**update, "destination": "localSettings"}
    event = events.permission_request("Bash", {"command": "npm run lint"}, [suggestion])
    decision = {"behavior": "allow", "updatedPermissions": [update]}
    outcome, given = fire(
        tmp_path, language, event, stdout=told("PermissionRequest", decision=decision)
    )
    assert given == {
        "hook_event_name": "PermissionRequest",
        "permission_mode": "default",
        "tool_name": "Bash",
        "tool_input": {"command": "npm run lint"},
        "permission_suggestions": [suggestion],
    }
    assert outcome.request == RequestDecision("allow", updated_permissions=(update,))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_notification_hook_may_only_ring(tmp_path: Path, language: str) -> None:
    event = events.notification("Permission needed for Bash", "permission_prompt", "hames")
    stdout = json.dumps(
        {"continue": False, "systemMessage": "x", "terminalSequence": "\x1b]9;hello\x07"}
    )
    outcome, given = fire(tmp_path, language, event, stdout=stdout)
    assert given == {
        "hook_event_name": "Notification",
        "message": "Permission needed for Bash",
        "title": "hames",
        "notification_type": "permission_prompt",
    }
    assert outcome == Outcome(runs=outcome.runs, terminal_sequences=("\x1b]9;hello\x07",))


@pytest.mark.parametrize("language", LANGUAGES)
def test_compaction_is_skipped(tmp_path: Path, language: str) -> None:
    stdout = '{"decision":"block","reason":"keep the log"}'
    outcome, given = fire(
        tmp_path, language, session_events.pre_compact("auto"), stdout=stdout, code=1
    )
    assert given == {
        "hook_event_name": "PreCompact",
        "trigger": "auto",
        "custom_instructions": "",
    }
    assert (outcome.blocked, outcome.reason) == (True, "keep the log")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_end_of_a_session_is_heard(tmp_path: Path, language: str) -> None:
    outcome, given = fire(
        tmp_path,
        language,
        session_events.session_end("prompt_input_exit"),
        stdout='{"systemMessage":"bye"}',
    )
    assert given == {"hook_event_name": "SessionEnd", "reason": "prompt_input_exit"}
    assert outcome == Outcome(runs=outcome.runs)


@pytest.mark.parametrize("language", LANGUAGES)
def test_any_tool_event_can_end_the_turn(tmp_path: Path, language: str) -> None:
    stdout = '{"continue":false,"stopReason":"Budget reached"}'
    outcome, _ = fire(tmp_path, language, PUSH, stdout=stdout)
    assert (outcome.stop, outcome.stop_reason, outcome.blocked) == (True, "Budget reached", False)
