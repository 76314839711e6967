"""The input of every event."""

import json
from pathlib import Path
from typing import Any

import pytest

from hames.hooks import events as e
from hames.hooks import session_events as s
from hames.hooks.event_table import EVENTS
from hames.hooks.events import HookEvent, input_of
from hames.hooks.sample import sample_event
from support.hook_session import SESSION_ID, context, session

EVERY = [
    (e.session_start("resume", "m", "Explore", "t"), "resume"),
    (e.setup("init"), "init"),
    (e.instructions_loaded("/w/CLAUDE.md", "Project", "include"), "include"),
    (e.user_prompt_submit("hi"), None),
    (e.user_prompt_expansion("slash_command", "review", "", "project", "/review"), "review"),
    (e.message_display("t", "m", 0, True, "text"), None),
    (e.pre_tool_use("Bash", {"command": "ls"}, "t1"), "Bash"),
    (e.permission_request("Bash", {"command": "ls"}), "Bash"),
    (e.permission_denied("Bash", {}, "t1", "no"), "Bash"),
    (e.post_tool_use("Bash", {}, {"stdout": ""}, "t1"), "Bash"),
    (e.post_tool_use_failure("Bash", {}, "t1", "Exit code 1", is_interrupt=False), "Bash"),
    (e.post_tool_batch([{"tool_name": "Bash"}]), None),
    (e.notification("wait", "idle_prompt"), "idle_prompt"),
    (e.subagent_start("a1", "Explore"), "Explore"),
    (e.subagent_stop(False, "a1", "Explore", "/t.jsonl"), "Explore"),
    (e.stop(True), None),
    (e.stop_failure("rate_limit"), "rate_limit"),
    (s.task_created("1", "x"), None),
    (s.task_completed("1", "x"), None),
    (s.teammate_idle("a", "b"), None),
    (s.config_change("skills"), "skills"),
    (s.cwd_changed("/a", "/b"), None),
    (s.directory_added("/a", "slash_command"), "slash_command"),
    (s.file_changed("/w/.env", "add"), ".env"),
    (s.worktree_create("x"), None),
    (s.worktree_remove("/x"), None),
    (s.pre_compact("auto", None), "auto"),
    (s.post_compact("manual", "sum"), "manual"),
    (s.session_end("clear"), "clear"),
    (s.elicitation("srv", "which?"), "srv"),
    (s.elicitation_result("srv", "accept"), "srv"),
    (s.model_switch("PreModelSwitch", "a", "b"), "b"),
    (s.model_switch("PostModelSwitch", "a", "b"), "b"),
    (s.pre_skill_shell_command("rel", "git status"), "rel"),
]


def test_every_event_has_a_builder() -> None:
    assert [event.name for event, _ in EVERY] == list(EVENTS)
    assert len(EVENTS) == 34


@pytest.mark.parametrize(("event", "subject"), EVERY, ids=list(EVENTS))
def test_matchers_test_the_subject(event: HookEvent, subject: str | None) -> None:
    assert event.subject == subject
    assert event.label == (event.name if subject is None else f"{event.name}:{subject}")


@pytest.mark.parametrize("name", list(EVENTS))
def test_every_input_is_json_with_the_common_fields(tmp_path: Path, name: str) -> None:
    event = sample_event(name, cwd=tmp_path)
    given = input_of(event, session(tmp_path), context(tmp_path, permission_mode="plan"))
    assert json.loads(json.dumps(given)) == given
    assert given["hook_event_name"] == name
    assert ("permission_mode" in given) is EVENTS[name].permission_mode
    assert event.fields.items() <= given.items()


@pytest.mark.parametrize(
    ("event", "optional"),
    [
        (e.pre_tool_use("Bash", {}, "t"), {"effort": {"level": "high"}}),
        (e.user_prompt_submit("x"), {}),
    ],
)
def test_facts_of_the_moment_are_added(
    tmp_path: Path, event: HookEvent, optional: dict[str, Any]
) -> None:
    here = context(
        tmp_path,
        permission_mode="acceptEdits",
        prompt_id="p1",
        effort="high",
        agent_id="a1",
        agent_type="Explore",
    )
    assert input_of(event, session(tmp_path), here) == {
        "session_id": SESSION_ID,
        "transcript_path": str(tmp_path / "transcript.jsonl"),
        "cwd": str(tmp_path / "work"),
        "hook_event_name": event.name,
        "prompt_id": "p1",
        "permission_mode": "acceptEdits",
        **optional,
        "agent_id": "a1",
        "agent_type": "Explore",
        **event.fields,
    }


def test_long_errors_lose_their_middle() -> None:
    event = e.post_tool_use_failure("Bash", {}, "t", "a" * 9000 + "b" * 9000)
    error = event.fields["error"]
    assert error == f"{'a' * 5000}\n... 8000 characters left out ...\n{'b' * 5000}"
