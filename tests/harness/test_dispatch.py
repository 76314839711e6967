"""One result for each call, whatever happens to it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hames.harness.events import (
    AskCancelled,
    Asked,
    Notice,
    OpDone,
    StatusChanged,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from hames.harness.ops import PermissionAnswer, Reply, SetMode, UserInput
from support.fake_api import FakeApi, tool_use, turn
from support.sessions import driving

PARALLEL = {"settings": '{"hames": {"dispatch": {"parallelCommands": "all"}}}'}


def bash(command: str, id: str, **more: Any) -> dict[str, Any]:
    return tool_use("Bash", {"command": command, **more}, id=id)


def test_a_result_for_every_kind_of_call() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(
                turn(
                    bash("echo fine", "toolu_ok"),
                    bash("exit 3", "toolu_failed"),
                    bash("echo denied-marker", "toolu_denied"),
                    tool_use("Nothing", {}, id="toolu_unknown"),
                    tool_use("Read", {"path": 1}, id="toolu_invalid"),
                    tool_use("Read", {"file_path": "/nowhere/at/all"}, id="toolu_error"),
                    bash("sleep 30", "toolu_slow", timeout=200),
                ),
                turn("Done."),
            )
            async with driving(api.url, disallowed_tools=("Bash(echo denied-marker)",)) as driven:
                result = await driven.turn("go")
                await driven.close()
            results = api.calls[1].results
            failed = {call for call, block in results.items() if block.get("is_error")}
            assert list(results) == [b["id"] for b in api.calls[1].blocks("tool_use")]
            assert failed == set(results) - {"toolu_ok"}
            assert [d["tool_use_id"] for d in result.denials] == ["toolu_denied"]
            finished = [e.call_id for e in driven.of(ToolFinished)]
            assert sorted(finished) == sorted(results)
            started = {e.call_id for e in driven.of(ToolStarted)}
            assert started == {"toolu_ok", "toolu_failed", "toolu_error", "toolu_slow"}
            assert "No such tool available: Nothing" in str(results["toolu_unknown"])

    asyncio.run(scenario())


def test_ten_sleeps_side_by_side_take_the_time_of_one() -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url, **PARALLEL) as driven:
            api.reply(turn(bash("true", "toolu_warm")), turn("Warm."))
            await driven.turn("warm up")
            api.reply(turn(*(bash("sleep 0.5", f"toolu_{n}") for n in range(10))), turn("Done."))
            await driven.turn("go")
            await driven.close()
            assert api.calls[3].first_byte - api.calls[2].answer_last < 0.9
            assert len(api.calls[3].results) == 11

    asyncio.run(scenario())


def test_calls_that_change_things_run_in_order() -> None:
    async def scenario() -> None:
        calls = [bash(f"sleep 0.0{9 - n}; echo {n} >> log", f"toolu_{n}") for n in range(5)]
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(turn(*calls), turn("Done."))
            await driven.turn("go")
            await driven.close()
        assert Path("log").read_text(encoding="utf-8").split() == list("01234")

    asyncio.run(scenario())


ANSWERS: dict[str, tuple[PermissionAnswer, bool, str]] = {
    "allow": (PermissionAnswer("allow"), True, "echo asked"),
    "deny": (PermissionAnswer("deny", message="No."), False, "No."),
    "another command": (
        PermissionAnswer("allow", updated_input={"command": "echo other >> log"}),
        True,
        "echo other",
    ),
    "a denied command": (
        PermissionAnswer("allow", updated_input={"command": "echo secret >> log"}),
        False,
        "denied",
    ),
    "a denied command and a rule for it": (
        PermissionAnswer(
            "allow",
            updated_input={"command": "echo secret >> log"},
            updates=(
                {
                    "type": "addRules",
                    "behavior": "allow",
                    "destination": "session",
                    "rules": [{"toolName": "Bash", "ruleContent": "echo secret *"}],
                },
            ),
        ),
        False,
        "denied",
    ),
    "input that is invalid": (
        PermissionAnswer("allow", updated_input={"cmd": "ls"}),
        False,
        "InputValidationError",
    ),
    "another word": (PermissionAnswer("maybe"), False, "does not want"),
}


@pytest.mark.parametrize("case", list(ANSWERS))
def test_a_deny_rule_wins_over_every_answer(case: str) -> None:
    answer, runs, words = ANSWERS[case]

    async def scenario() -> None:
        async with (
            FakeApi() as api,
            driving(
                api.url,
                allowed_tools=(),
                disallowed_tools=("Bash(echo secret *)",),
                answerable=frozenset({"permission"}),
            ) as driven,
        ):
            api.reply(turn(bash("echo asked >> log", "toolu_1")), turn("Done."))
            driven.session.submit(UserInput("go"))
            asked = await driven.seen(Asked)
            assert asked.payload["tool_use_id"] == "toolu_1"
            await driven.do(Reply(asked.request_id, answer))
            again = await driven.do(Reply(asked.request_id, PermissionAnswer("allow")))
            assert isinstance(again, OpDone)
            assert again.value == {"taken": False}
            await driven.seen(TurnFinished)
            await driven.close()
            block = api.calls[1].results["toolu_1"]
            assert bool(block.get("is_error")) != runs
            assert [e.call_id for e in driven.of(ToolFinished)] == ["toolu_1"]
            assert Path("log").exists() == runs
            if not runs:
                assert words in str(block["content"])

    asyncio.run(scenario())


def test_a_hook_cannot_lift_a_deny_rule() -> None:
    output = {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "echo secret >> log"},
        }
    }
    Path("answer.json").write_text(json.dumps(output), encoding="utf-8")
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "cat answer.json"}]}]}

    async def scenario() -> None:
        async with (
            FakeApi() as api,
            driving(
                api.url,
                settings=json.dumps({"hooks": hooks}),
                disallowed_tools=("Bash(echo secret *)",),
            ) as driven,
        ):
            api.reply(turn(bash("echo fine", "toolu_1")), turn("Done."))
            result = await driven.turn("go")
            await driven.close()
            assert api.calls[1].results["toolu_1"]["is_error"] is True
            assert len(result.denials) == 1
            assert not Path("log").exists()

    asyncio.run(scenario())


def test_a_change_of_the_mode_answers_an_open_question() -> None:
    async def scenario() -> None:
        async with (
            FakeApi() as api,
            driving(api.url, allowed_tools=(), answerable=frozenset({"permission"})) as driven,
        ):
            path = str(Path("made.txt").absolute())
            write = tool_use("Write", {"file_path": path, "content": "x"}, id="toolu_1")
            api.reply(turn(write), turn("Done."))
            driven.session.submit(UserInput("go"))
            asked = await driven.seen(Asked)
            await driven.do(SetMode("acceptEdits"))
            cancelled = await driven.seen(AskCancelled)
            assert cancelled.request_id == asked.request_id
            await driven.seen(TurnFinished)
            await driven.close()
            assert Path("made.txt").read_text(encoding="utf-8") == "x"
            states = [e.state for e in driven.of(StatusChanged)]
            assert states == ["running", "requires_action", "running", "idle"]

    asyncio.run(scenario())


@pytest.mark.parametrize("characters", [29_000, 80_000])
def test_a_long_result_is_kept_whole_in_a_private_file(characters: int) -> None:
    async def scenario() -> None:
        Path("long.py").write_text(f"print('a' + 'é' * {characters - 2} + 'z')\n", encoding="utf-8")
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(turn(bash("python3 long.py", "toolu_1")), turn("Done."))
            await driven.turn("go")
            await driven.close()
            content = str(api.calls[1].results["toolu_1"]["content"])
            assert len(content) < 35_000
            if characters > 30_000:
                path = next(Path(word) for word in content.split() if word.startswith("/"))
                assert path.stat().st_mode & 0o777 == 0o600
                assert len(path.read_text(encoding="utf-8").strip()) == characters

    asyncio.run(scenario())


def test_rules_that_cannot_work_are_told_once() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(
                turn(bash("echo a", "toolu_1"), bash("echo b", "toolu_2")),
                turn(bash("rm -r x", "toolu_3")),
                turn("Done."),
            )
            async with driving(
                api.url,
                allowed_tools=("Write(src/**)",),
                disallowed_tools=("Raed(x)", "Bash(rm:*)"),
            ) as driven:
                result = await driven.turn("go")
                await driven.close()
            told = [e.text for e in driven.of(Notice) if "rule `" in e.text]
            assert sorted(text.split("`")[1] for text in told) == ["Raed(x)", "Write(src/**)"]
            assert [d["tool_use_id"] for d in result.denials] == ["toolu_3"]

    asyncio.run(scenario())
