"""Hooks of the session itself: start and end, files, folders, setup, background, models."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.fake_api import FakeApiThread, running_fake_api, tool_use, turn
from support.hook_runs import (
    hames,
    hooks_of,
    keeps,
    kept,
    says,
    settings_with,
    specific,
    streamed,
    transcript,
)


@pytest.fixture
def api() -> Iterator[FakeApiThread]:
    with running_fake_api() as running:
        yield running
        assert running.refusals == []


def bash(command: str, call_id: str = "toolu_1") -> dict[str, object]:
    return tool_use("Bash", {"command": command}, id=call_id)


def sources(name: str) -> list[str]:
    return [given["source"] for given in kept(name)]


def test_a_start_hook_adds_context_a_title_and_variables(api: FakeApiThread) -> None:
    answer = specific("SessionStart", additionalContext="Open issue: 12", sessionTitle="issue-12")
    hooks_of(SessionStart="echo 'export STAGE=dev' >> \"$CLAUDE_ENV_FILE\"; " + says(answer))
    api.reply(turn(bash("echo stage=$STAGE")), turn("Done."))
    hames(api, "go", "--permission-mode", "bypassPermissions", env={"IS_SANDBOX": "1"})
    assert "Open issue: 12" in api.calls[0].last_text
    assert api.calls[1].results["toolu_1"]["content"] == "stage=dev"
    titles = [e["customTitle"] for e in transcript() if e["type"] == "custom-title"]
    assert titles == ["issue-12"]


def test_the_file_of_variables_is_private_and_of_one_session(api: FakeApiThread) -> None:
    hooks_of(SessionStart='echo "$CLAUDE_ENV_FILE" > named; echo true >> "$CLAUDE_ENV_FILE"')
    api.reply(turn("Done."))
    ran = streamed(api, "go")
    path = Path(Path("named").read_text(encoding="utf-8").strip())
    assert ran.result["session_id"] in str(path)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_file_of_variables_of_the_user_is_sourced_too(api: FakeApiThread) -> None:
    Path("mine.sh").write_text("export MINE=1\n", encoding="utf-8")
    hooks_of(SessionStart="echo 'export HOOK=2' >> \"$CLAUDE_ENV_FILE\"")
    api.reply(turn(bash("echo $MINE$HOOK")), turn("Done."))
    env = {"CLAUDE_ENV_FILE": str(Path("mine.sh").absolute()), "IS_SANDBOX": "1"}
    hames(api, "go", "--dangerously-skip-permissions", env=env)
    assert api.calls[1].results["toolu_1"]["content"] == "12"


def test_a_resumed_session_tells_its_hooks_so(api: FakeApiThread) -> None:
    hooks_of(SessionStart=keeps("starts"), SessionEnd=keeps("ends"), Stop=keeps("stops"))
    api.script(lambda _: turn("Done."))
    first = streamed(api, "go").result["session_id"]
    again = streamed(api, "more", "--resume", first).result["session_id"]
    forked = streamed(api, "more", "--resume", first, "--fork-session").result["session_id"]
    assert sources("starts") == ["startup", "resume", "fork"]
    heard = [given["session_id"] for given in kept("stops")]
    assert heard == [first, again, forked]
    assert (again == first, forked == first) == (True, False)
    assert [given["reason"] for given in kept("ends")] == ["other"] * 3


def test_contexts_are_stored_and_not_made_again(api: FakeApiThread) -> None:
    hooks_of(UserPromptSubmit="cat > /dev/null; echo now-$RANDOM$RANDOM")
    api.script(lambda _: turn("Done."))
    first = streamed(api, "go").result["session_id"]
    said = api.calls[0].last_text
    hames(api, "more", "--resume", first)
    (message,) = [m for m in api.calls[1].messages[:1]]
    assert json.dumps(message["content"]).count("now-") == said.count("now-") == 1


def test_an_initial_message_goes_before_the_first_prompt(api: FakeApiThread) -> None:
    hooks_of(SessionStart=says(specific("SessionStart", initialUserMessage="Read the plan")))
    api.reply(turn("Done."))
    hames(api, "go")
    text = api.calls[0].last_text
    assert text.index("Read the plan") < text.index("go")
    assert len(api.calls) == 1


SETUPS = [("--init", "init"), ("--maintenance", "maintenance")]


@pytest.mark.parametrize(("flag", "trigger"), SETUPS)
def test_setup_hooks_run_before_the_start(api: FakeApiThread, flag: str, trigger: str) -> None:
    context = says(specific("Setup", additionalContext="Set up: yes"))
    hooks_of(Setup=[keeps("order"), context], SessionStart=keeps("order"))
    api.reply(turn("Done."))
    hames(api, "go", flag)
    setup, start = kept("order")
    assert (setup["hook_event_name"], setup["trigger"]) == ("Setup", trigger)
    assert start["hook_event_name"] == "SessionStart"
    assert "Set up: yes" in api.calls[0].last_text


def test_init_only_ends_after_the_hooks_of_the_start(api: FakeApiThread) -> None:
    hooks_of(Setup=keeps("order"), SessionStart=keeps("order"))
    ran = hames(api, "--init-only")
    assert (ran.code, ran.out) == (0, "")
    assert [given["hook_event_name"] for given in kept("order")] == ["Setup", "SessionStart"]
    assert api.requests == []


def test_session_end_hooks_share_a_second_and_a_half(api: FakeApiThread) -> None:
    hooks_of(SessionEnd=["sleep 30; touch late", keeps("ends")])
    api.reply(turn("Done."))
    ran = hames(api, "go")
    assert (ran.code, ran.out) == (0, "Done.\n")
    assert kept("ends")[0]["reason"] == "other"
    assert not Path("late").exists()


def test_a_move_fires_and_its_variables_count_at_once(api: FakeApiThread) -> None:
    Path("sub").mkdir()
    moved = f"{keeps('moves')}; echo 'export WHERE=sub' >> \"$CLAUDE_ENV_FILE\""
    hooks_of(CwdChanged=moved)
    api.reply(turn(bash("cd sub")), turn(bash("echo $WHERE", "toolu_2")), turn("Done."))
    hames(api, "go", "--dangerously-skip-permissions", env={"IS_SANDBOX": "1"})
    (given,) = kept("moves")
    assert (given["old_cwd"], given["new_cwd"]) == (str(Path.cwd()), str(Path.cwd() / "sub"))
    assert api.calls[2].results["toolu_2"]["content"] == "sub"


def test_instructions_fire_in_the_background(api: FakeApiThread) -> None:
    Path("CLAUDE.md").write_text("Be brief.\n@more.md\n", encoding="utf-8")
    Path("more.md").write_text("Be kind.\n", encoding="utf-8")
    hooks_of(InstructionsLoaded=keeps("files"))
    api.reply(turn("Done."))
    hames(api, "go")
    heard = {Path(g["file_path"]).name: (g["memory_type"], g["load_reason"]) for g in kept("files")}
    assert heard == {
        "CLAUDE.md": ("Project", "session_start"),
        "more.md": ("Project", "include"),
    }


def test_a_watched_file_fires_while_the_run_lasts(api: FakeApiThread) -> None:
    watched = Path("state.env")
    hooks_of(
        FileChanged={"matcher": "state.env", "hooks": groups_of(keeps("files"))},
    )
    wait = "echo 1 > state.env; for i in $(seq 100); do [ -s files ] && break; sleep 0.1; done"
    api.reply(turn(bash(wait)), turn("Done."))
    hames(api, "go", "--dangerously-skip-permissions", env={"IS_SANDBOX": "1"})
    given = kept("files")[0]
    assert (given["file_path"], given["event"]) == (str(watched.absolute()), "add")


def groups_of(command: str) -> list[dict[str, str]]:
    return [{"type": "command", "command": command}]


def test_a_background_hook_joins_the_next_request(api: FakeApiThread) -> None:
    said = says(specific("PreToolUse", additionalContext="lint is green"))
    hook = {"type": "command", "command": f"({said}); touch told", "async": True}
    hooks_of(PreToolUse={"matcher": "Bash", "hooks": [hook]})
    wait = "for i in $(seq 100); do [ -e told ] && break; sleep 0.05; done; sleep 0.3"
    api.reply(turn(bash(wait)), turn("Done."))
    hames(api, "go", "--dangerously-skip-permissions", env={"IS_SANDBOX": "1"})
    assert "lint is green" in api.calls[1].last_text


def test_a_waking_hook_joins_the_running_turn(api: FakeApiThread) -> None:
    hook = {"type": "command", "command": "echo 'tests fail' >&2; exit 2", "asyncRewake": True}
    hooks_of(PreToolUse={"matcher": "Bash", "hooks": [hook]})
    api.reply(turn(bash("sleep 1")), turn("Done."))
    hames(api, "go", "--dangerously-skip-permissions", env={"IS_SANDBOX": "1"})
    assert "tests fail" in api.calls[1].last_text
    hidden = [e for e in transcript() if "tests fail" in json.dumps(e)]
    assert [e.get("isMeta") for e in hidden] == [True]


def test_background_hooks_end_with_a_headless_run(api: FakeApiThread) -> None:
    hook = {"type": "command", "command": "sleep 60; touch late", "async": True}
    hooks_of(SessionStart=hook)
    api.reply(turn("Done."))
    assert hames(api, "go").out == "Done.\n"


def test_a_model_answers_a_prompt_hook(api: FakeApiThread) -> None:
    hooks_of(Stop={"type": "prompt", "prompt": "Is the work done? $ARGUMENTS"})
    small = turn('{"ok": false, "reason": "the tests were not run"}')
    api.reply(turn("Done."), small, turn("Ran them."), turn('{"ok": true}'))
    ran = hames(api, "go")
    assert ran.out == "Ran them.\n"
    models = [call.model for call in api.calls]
    assert models == ["claude-sonnet-5-5", "claude-haiku-5-5"] * 2
    assert '"last_assistant_message": "Done."' in api.calls[1].last_text
    assert api.calls[1].tool_names == []
    assert "the tests were not run" in api.calls[2].last_text


def test_an_agent_hook_reads_files_before_it_answers(api: FakeApiThread) -> None:
    Path("plan.txt").write_text("step one\n", encoding="utf-8")
    hooks_of(Stop={"type": "agent", "prompt": "Does plan.txt hold step two?"})
    read = tool_use("Read", {"file_path": str(Path("plan.txt").absolute())}, id="toolu_9")
    verdict = turn('{"ok": false, "reason": "no step two"}')
    api.reply(turn("Done."), turn(read), verdict, turn("Added."), turn('{"ok": true}'))
    assert hames(api, "go").out == "Added.\n"
    assert api.calls[1].tool_names == ["Glob", "Grep", "Read"]
    assert "step one" in str(api.calls[2].results["toolu_9"]["content"])
    assert "no step two" in api.calls[3].last_text
    assert all("step one" not in json.dumps(entry) for entry in transcript())


def test_an_agent_hook_may_not_read_what_would_be_asked(api: FakeApiThread) -> None:
    hooks_of(Stop={"type": "agent", "prompt": "Look"})
    read = tool_use("Read", {"file_path": "/etc/hostname"}, id="toolu_9")
    api.reply(turn("Done."), turn(read), turn('{"ok": true}'))
    hames(api, "go", "--dangerously-skip-permissions", env={"IS_SANDBOX": "1"})
    assert api.calls[2].results["toolu_9"]["is_error"] is True


def test_a_missing_server_is_told_and_stops_nothing(api: FakeApiThread) -> None:
    hooks_of(Stop={"type": "mcp_tool", "server": "memory", "tool": "save"})
    api.reply(turn("Done."))
    ran = hames(api, "go")
    assert (ran.code, ran.out) == (0, "Done.\n")
    assert "the MCP server memory is not connected" in ran.err


def defer_until(flag: str) -> str:
    deferred = says(specific("PreToolUse", permissionDecision="defer"))
    allowed = says(specific("PreToolUse", permissionDecision="allow"))
    return f"if [ -e {flag} ]; then {allowed}; else {deferred}; fi"


def test_a_deferred_call_ends_the_run_and_is_judged_again(api: FakeApiThread) -> None:
    hooks_of(PreToolUse=[defer_until("approved"), keeps("pre")])
    api.reply(turn(bash("make-it")), turn("Done."))
    first = streamed(api, "go")
    assert (first.code, first.result["stop_reason"]) == (0, "tool_deferred")
    assert first.result["terminal_reason"] == "tool_deferred"
    used = {"id": "toolu_1", "name": "Bash", "input": {"command": "make-it"}}
    assert first.result["deferred_tool_use"] == used
    Path("approved").touch()
    again = streamed(api, "--resume", first.result["session_id"])
    assert (again.code, again.result["result"]) == (0, "Done.")
    assert [given["tool_use_id"] for given in kept("pre")] == ["toolu_1", "toolu_1"]
    assert "make-it" in str(api.calls[1].results["toolu_1"]["content"])


def test_a_call_may_be_deferred_more_than_once(api: FakeApiThread) -> None:
    hooks_of(PreToolUse=defer_until("approved"))
    api.reply(turn(bash("make-it")), turn("Done."))
    first = streamed(api, "go").result["session_id"]
    assert streamed(api, "--resume", first).result["stop_reason"] == "tool_deferred"
    Path("approved").touch()
    assert streamed(api, "go on", "--resume", first).result["result"] == "Done."
    assert "go on" in api.calls[1].last_text


def test_one_of_several_calls_is_not_deferred(api: FakeApiThread) -> None:
    hooks_of(PreToolUse=says(specific("PreToolUse", permissionDecision="defer")))
    api.reply(turn(bash("echo a"), bash("echo b", "toolu_2")), turn("Done."))
    ran = hames(api, "go")
    assert ran.out == "Done.\n"
    assert "deferred" in ran.err
    assert api.calls[1].results["toolu_2"]["content"] == "b"


def test_a_resumed_session_without_a_deferred_call_wants_a_prompt(api: FakeApiThread) -> None:
    api.reply(turn("Done."))
    first = streamed(api, "go").result["session_id"]
    ran = hames(api, "--resume", first)
    assert (ran.code, ran.out.count("give a prompt")) == (1, 1)


def test_settings_that_remove_a_variable_reach_children(api: FakeApiThread) -> None:
    settings_with({"env": {"GONE": "", "NO_COLOR": "1"}})
    api.reply(turn(bash("echo ${GONE-removed}$NO_COLOR")), turn("Done."))
    env = {"GONE": "here", "IS_SANDBOX": "1"}
    hames(api, "go", "--dangerously-skip-permissions", env=env)
    assert api.calls[1].results["toolu_1"]["content"] == "removed1"


def test_hooks_inherit_the_environment_of_the_settings(api: FakeApiThread) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": 'echo "$ADDED" > seen'}]}]}
    settings_with({"env": {"ADDED": "yes"}, "hooks": hooks})
    api.reply(turn("Done."))
    hames(api, "go")
    assert Path("seen").read_text(encoding="utf-8") == "yes\n"
    assert os.environ.get("ADDED") is None


def test_hooks_of_a_plugin_run_with_its_variables(api: FakeApiThread, tmp_path: Path) -> None:
    plugin = tmp_path / "guard"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "guard"}', encoding="utf-8")
    (plugin / "hooks").mkdir()
    command = 'echo "$CLAUDE_PLUGIN_ROOT" > root'
    hooks = {"SessionStart": [{"hooks": groups_of(command)}]}
    (plugin / "hooks" / "hooks.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")
    api.reply(turn("Done."))
    hames(api, "go", "--plugin-dir", str(plugin))
    assert Path("root").read_text(encoding="utf-8") == f"{plugin}\n"


SKILL = """---
name: watch
hooks:
  Stop:
    - hooks:
        - type: command
          command: "echo x >> ran"
          once: true
---
Look out."""


def test_hooks_of_a_skill_run_from_its_first_use(api: FakeApiThread) -> None:
    folder = Path(".claude", "skills", "watch")
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    api.script(lambda _: turn("Done."))
    hames(api, "go")
    assert not Path("ran").exists()
    hames(api, "/watch")
    assert Path("ran").read_text(encoding="utf-8") == "x\n"


def test_a_typed_command_can_be_stopped(api: FakeApiThread) -> None:
    folder = Path(".claude", "commands")
    folder.mkdir(parents=True)
    (folder / "ship.md").write_text("Ship it.", encoding="utf-8")
    (folder / "look.md").write_text("Look.", encoding="utf-8")
    blocked = {"matcher": "ship", "hooks": groups_of(says({"decision": "block", "reason": "no"}))}
    hooks_of(UserPromptExpansion=[blocked, f"{keeps('typed')}; echo 'It is Friday'"])
    api.reply(turn("Done."))
    assert "no" in hames(api, "/ship now").out
    assert hames(api, "/look around").out == "Done.\n"
    assert "It is Friday" in api.calls[0].last_text
    given = kept("typed")[1]
    assert (given["command_name"], given["command_args"], given["prompt"]) == (
        "look",
        "around",
        "/look around",
    )
