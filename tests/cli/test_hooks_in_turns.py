"""Hooks of real scripts in real runs: what people, the model and programs see of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fake_api import FakeApiThread, error, running_fake_api, tool_use, turn
from support.hook_runs import hames, hooks_of, keeps, kept, says, specific, streamed

BASH = {"command": "echo one", "description": "say one"}
READ_ONLY = tool_use("Bash", BASH, id="toolu_1")


@pytest.fixture
def api() -> Iterator[FakeApiThread]:
    with running_fake_api() as running:
        yield running
        assert running.refusals == []


def matcher(name: str, command: str) -> dict[str, object]:
    return {"matcher": name, "hooks": [{"type": "command", "command": command}]}


DENIALS = {
    "decision deny": says(
        specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="closed")
    ),
    "exit 2": says("", 2, "closed"),
    "non-zero exit with a block": says({"decision": "block", "reason": "closed"}, 1),
}


@pytest.mark.parametrize("hook", list(DENIALS.values()), ids=list(DENIALS))
def test_a_denied_call_does_not_run_and_the_model_reads_why(api: FakeApiThread, hook: str) -> None:
    hooks_of(PreToolUse=matcher("Bash", hook))
    call = tool_use("Bash", {"command": "touch made"}, id="toolu_1")
    api.reply(turn(call), turn("I will not."))
    ran = hames(api, "go", "--dangerously-skip-permissions", env={"IS_SANDBOX": "1"})
    result = api.calls[1].results["toolu_1"]
    assert (ran.code, ran.out) == (0, "I will not.\n")
    assert (result["is_error"], result["content"]) == (True, "closed")
    assert not Path("made").exists()


def test_a_rewritten_call_runs_as_rewritten(api: FakeApiThread) -> None:
    changed = {"command": "echo two", "description": "say two"}
    hooks_of(PreToolUse=says(specific("PreToolUse", updatedInput=changed)))
    api.reply(turn(READ_ONLY), turn("Done."))
    hames(api, "go")
    assert api.calls[1].results["toolu_1"]["content"] == "two"


def test_a_rewrite_that_is_no_input_is_an_error_for_the_model(api: FakeApiThread) -> None:
    hooks_of(PreToolUse=says(specific("PreToolUse", updatedInput={"command": 7})))
    api.reply(turn(READ_ONLY), turn("Done."))
    hames(api, "go")
    assert "InputValidationError" in api.calls[1].results["toolu_1"]["content"]


def test_a_rewrite_is_judged_by_the_rules(api: FakeApiThread) -> None:
    answer = specific(
        "PreToolUse", permissionDecision="allow", updatedInput={"command": "touch made"}
    )
    hooks_of(PreToolUse=says(answer))
    api.reply(turn(READ_ONLY), turn("Done."))
    hames(api, "go", "--disallowedTools", "Bash(touch *)")
    result = api.calls[1].results["toolu_1"]
    assert result["is_error"] is True
    assert not Path("made").exists()


def test_text_of_a_post_hook_follows_the_result(api: FakeApiThread) -> None:
    hooks_of(PostToolUse=says({"decision": "block", "reason": "ruff: E501 at line 3"}))
    api.reply(turn(READ_ONLY), turn("Done."))
    hames(api, "go")
    assert api.calls[1].results["toolu_1"]["content"] == "one"
    assert "ruff: E501 at line 3" in api.calls[1].last_text


def test_a_post_hook_hears_the_structured_output(api: FakeApiThread) -> None:
    hooks_of(PostToolUse=keeps("seen"), PostToolBatch=keeps("batch"))
    api.reply(turn(READ_ONLY), turn("Done."))
    hames(api, "go")
    (seen,), (batch,) = kept("seen"), kept("batch")
    assert seen["tool_response"]["stdout"] == "one"
    assert seen["tool_input"] == BASH
    assert batch["tool_calls"] == [
        {
            "tool_name": "Bash",
            "tool_input": BASH,
            "tool_use_id": "toolu_1",
            "tool_response": "one",
        }
    ]


def test_a_failed_call_fires_the_failure_event(api: FakeApiThread) -> None:
    hooks_of(PostToolUse=keeps("good"), PostToolUseFailure=keeps("bad"))
    call = tool_use("Bash", {"command": "cat missing"}, id="toolu_1")
    api.reply(turn(call), turn("Done."))
    hames(api, "go")
    assert kept("good") == []
    assert kept("bad")[0]["error"].startswith("Exit code 1")


def test_a_prompt_hook_adds_context(api: FakeApiThread) -> None:
    hooks_of(UserPromptSubmit="echo 'Branch: release/2'")
    api.reply(turn("Done."))
    hames(api, "fix the bug")
    assert "Branch: release/2" in api.calls[0].last_text
    assert "fix the bug" in api.calls[0].last_text


def test_a_blocked_prompt_reaches_people_and_not_the_model(api: FakeApiThread) -> None:
    hooks_of(UserPromptSubmit=says("", 2, "No secrets in prompts"))
    ran = hames(api, "my password is x")
    assert (ran.code, ran.out) == (1, "No secrets in prompts\n")
    assert "my password is x" in ran.err
    assert api.requests == []


def test_a_blocked_prompt_can_be_hidden(api: FakeApiThread) -> None:
    answer = {
        "decision": "block",
        "reason": "No secrets",
        **specific("UserPromptSubmit", suppressOriginalPrompt=True),
    }
    hooks_of(UserPromptSubmit=says(answer))
    ran = hames(api, "my password is x")
    assert ran.err == "No secrets\n"


def test_a_stop_hook_sends_the_model_on_eight_times(api: FakeApiThread) -> None:
    answer = says({"decision": "block", "reason": "Run pytest first"})
    hooks_of(Stop=[answer, keeps("stops")])
    api.script(lambda _: turn("Done."))
    ran = streamed(api, "go")
    assert len(api.calls) == 9
    assert "Run pytest first" in api.calls[1].last_text
    seen = [(given["stop_hook_active"], given["last_assistant_message"]) for given in kept("stops")]
    assert seen == [(False, "Done.")] + [(True, "Done.")] * 8
    assert ran.result["result"] == "Done."
    notices = [m["content"] for m in ran.messages if m.get("subtype") == "informational"]
    assert any("too often" in text for text in notices)


@pytest.mark.parametrize(("cap", "requests"), [("2", 3), ("0", 12)])
def test_the_cap_of_stop_hooks_can_be_set(api: FakeApiThread, cap: str, requests: int) -> None:
    count = "echo x >> n; [ $(wc -l < n) -lt 12 ] && echo again >&2 && exit 2; exit 0"
    hooks_of(Stop=count)
    api.script(lambda _: turn("Done."))
    hames(api, "go", env={"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": cap})
    assert len(api.calls) == requests


STOPS = {
    "PreToolUse": 1,
    "PostToolUse": 1,
    "PostToolBatch": 1,
    "Stop": 2,
}


@pytest.mark.parametrize("event", list(STOPS))
def test_a_hook_can_end_the_turn(api: FakeApiThread, event: str) -> None:
    hooks_of(**{event: says({"continue": False, "stopReason": "Budget reached"})})
    api.reply(turn(READ_ONLY), turn("Done."))
    ran = streamed(api, "go")
    assert len(api.calls) == STOPS[event]
    text = "Done." if event == "Stop" else "Budget reached"
    reason = "stop_hook_prevented" if event == "Stop" else "hook_stopped"
    assert (ran.code, ran.result["result"], ran.result["terminal_reason"]) == (0, text, reason)
    notices = [m for m in ran.messages if m.get("prevent_continuation")]
    assert [n["content"] for n in notices] == ["Budget reached"]


def test_an_api_error_fires_stop_failure(api: FakeApiThread) -> None:
    hooks_of(StopFailure=keeps("failed"), Stop=keeps("stopped"))
    api.reply(error(400, "invalid_request_error", "odd"))
    hames(api, "go")
    (given,) = kept("failed")
    assert given["error"] == "invalid_request"
    assert "odd" in given["last_assistant_message"]
    assert kept("stopped") == []


def test_hook_frames_are_sent_when_asked_for(api: FakeApiThread) -> None:
    hooks_of(SessionStart="true", PreToolUse="echo note >&2", SessionEnd="true")
    api.reply(turn(READ_ONLY), turn("Done."))
    ran = streamed(api, "go")
    started, response = ran.hook_frames("PreToolUse")
    assert (started["subtype"], started["hook_name"]) == ("hook_started", "PreToolUse:Bash")
    assert (response["subtype"], response["outcome"]) == ("hook_response", "success")
    assert (response["stderr"], response["exit_code"]) == ("note\n", 0)
    assert started["hook_id"] == response["hook_id"]
    assert [f["subtype"] for f in ran.hook_frames("SessionStart")] == [
        "hook_started",
        "hook_response",
    ]
    assert [f["subtype"] for f in ran.hook_frames("SessionEnd")] == ["hook_response"]


def test_only_hooks_of_the_start_are_sent_unasked(api: FakeApiThread) -> None:
    hooks_of(SessionStart="true", Stop="true")
    api.reply(turn("Done."))
    ran = hames(api, "go", "--output-format", "stream-json", "--verbose")
    assert len(ran.hook_frames("SessionStart")) == 2
    assert ran.hook_frames("Stop") == []


def test_common_fields_are_those_of_the_session(api: FakeApiThread) -> None:
    hooks_of(PreToolUse=keeps("pre"), SessionStart=keeps("start"))
    api.reply(turn(READ_ONLY), turn("Done."))
    ran = streamed(api, "go", "--permission-mode", "acceptEdits")
    (pre,), (start,) = kept("pre"), kept("start")
    assert pre["session_id"] == start["session_id"] == ran.result["session_id"]
    assert Path(pre["transcript_path"]).is_file()
    assert (pre["cwd"], pre["permission_mode"]) == (str(Path.cwd()), "acceptEdits")
    assert pre["prompt_id"]
    assert (start["source"], start["model"]) == ("startup", "claude-sonnet-5-5")
    assert "permission_mode" not in start


def test_a_permission_request_hook_stays_silent_where_nobody_is_asked(api: FakeApiThread) -> None:
    hooks_of(PermissionRequest=keeps("asked"))
    api.reply(turn(tool_use("Bash", {"command": "make"}, id="toolu_1")), turn("Done."))
    hames(api, "go")
    assert kept("asked") == []
    assert api.calls[1].results["toolu_1"]["is_error"] is True


def test_unknown_events_are_nothing_to_tell_in_print_mode(api: FakeApiThread) -> None:
    hooks_of(NoSuchEvent="true", Stop="true")
    api.reply(turn("Done."))
    assert hames(api, "go").err == ""


def test_bare_runs_have_no_hooks(api: FakeApiThread) -> None:
    hooks_of(UserPromptSubmit=keeps("heard"))
    api.reply(turn("Done."))
    hames(api, "go", "--bare")
    assert kept("heard") == []
