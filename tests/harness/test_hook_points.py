"""Hooks beside questions, idle times, folders and models, in a session in process."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hames.harness.events import (
    AskCancelled,
    Asked,
    HookRan,
    Notice,
    OpDone,
    OpFailed,
    TerminalSequence,
    ToolFinished,
    TurnFinished,
)
from hames.harness.ops import (
    AddDirectory,
    Clear,
    Initialize,
    Interrupt,
    JsonAnswer,
    PermissionAnswer,
    Reply,
    SetModel,
    UserInput,
)
from support.fake_api import FakeApi, tool_use, turn
from support.hook_runs import groups, keeps, kept, says, specific
from support.sessions import Driven, driving

Test = Callable[[FakeApi, Driven], Awaitable[None]]
ASKS = frozenset({"permission"})
FAST = {"HAMES_NOTIFICATION_SCALE": "0.01"}


def run_with(test: Test, env: dict[str, str] | None = None, **config: Any) -> None:
    async def main() -> None:
        config.setdefault("allowed_tools", ())
        async with asyncio.timeout(60), FakeApi() as api, driving(api.url, env, **config) as driven:
            await test(api, driven)
            assert api.refusals == []

    asyncio.run(main())


def hooks_are(**events: Any) -> None:
    path = Path(os.environ["HOME"], ".claude", "settings.json")
    path.parent.mkdir(exist_ok=True)
    hooks = {name: groups(value) for name, value in events.items()}
    path.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def bash(command: str) -> dict[str, Any]:
    return tool_use("Bash", {"command": command}, id="toolu_1")


def answer(**decision: Any) -> str:
    return says(specific("PermissionRequest", decision=decision))


async def one_call(api: FakeApi, driven: Driven, command: str = "touch a") -> ToolFinished:
    api.reply(turn(bash(command)), turn("Done."))
    driven.session.submit(UserInput("go"))
    return await driven.seen(ToolFinished)


def test_a_hook_allows_in_place_of_people() -> None:
    hooks_are(PermissionRequest=[keeps("asked"), answer(behavior="allow")])

    async def test(api: FakeApi, driven: Driven) -> None:
        finished = await one_call(api, driven)
        assert finished.block.get("is_error") is None
        asked, cancelled = await driven.seen(Asked), await driven.seen(AskCancelled)
        assert cancelled.request_id == asked.request_id
        (given,) = kept("asked")
        assert (given["tool_name"], given["tool_input"]) == ("Bash", {"command": "touch a"})
        assert given["permission_suggestions"] == asked.payload["permission_suggestions"]
        assert "tool_use_id" not in given

    run_with(test, answerable=ASKS)


def test_a_hook_denies_with_its_message() -> None:
    hooks_are(PermissionRequest=answer(behavior="deny", message="ask the owner"))

    async def test(api: FakeApi, driven: Driven) -> None:
        finished = await one_call(api, driven)
        assert (finished.block["is_error"], finished.block["content"]) == (True, "ask the owner")
        assert (await driven.seen(TurnFinished)).result.text == "Done."

    run_with(test, answerable=ASKS)


def test_a_hook_may_end_the_turn_with_its_denial() -> None:
    hooks_are(PermissionRequest=answer(behavior="deny", message="stop", interrupt=True))

    async def test(api: FakeApi, driven: Driven) -> None:
        await one_call(api, driven)
        assert (await driven.seen(TurnFinished)).result.interrupted
        assert len(api.calls) == 1

    run_with(test, answerable=ASKS)


def test_people_who_are_faster_decide() -> None:
    hooks_are(PermissionRequest="sleep 30; touch late")

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn(bash("touch a")), turn("Done."))
        driven.session.submit(UserInput("go"))
        asked = await driven.seen(Asked)
        driven.session.submit(Reply(asked.request_id, PermissionAnswer("allow")))
        finished = await driven.seen(ToolFinished)
        assert finished.block.get("is_error") is None
        ended = await driven.until(lambda e: isinstance(e, HookRan) and e.outcome is not None)
        assert isinstance(ended, HookRan)
        assert ended.outcome == "cancelled"

    run_with(test, answerable=ASKS)


def test_a_hook_without_an_opinion_leaves_the_question_open() -> None:
    hooks_are(PermissionRequest="exit 2")

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn(bash("touch a")), turn("Done."))
        driven.session.submit(UserInput("go"))
        asked = await driven.seen(Asked)
        await driven.until(lambda e: isinstance(e, HookRan) and e.outcome is not None)
        driven.session.submit(Reply(asked.request_id, PermissionAnswer("allow")))
        assert (await driven.seen(ToolFinished)).block.get("is_error") is None

    run_with(test, answerable=ASKS)


def test_a_rule_that_a_hook_adds_lives_for_the_session() -> None:
    rule = {"toolName": "Bash", "ruleContent": "touch *"}
    update = {
        "type": "addRules",
        "rules": [rule],
        "behavior": "allow",
        "destination": "session",
    }
    allow = answer(behavior="allow", updatedPermissions=[update])
    hooks_are(PermissionRequest=f"[ -e once ] && exit 0; touch once; {allow}")

    async def test(api: FakeApi, driven: Driven) -> None:
        await one_call(api, driven)
        await driven.seen(TurnFinished)
        after = len(driven.events)
        api.reply(turn(tool_use("Bash", {"command": "touch b"})), turn("Done."))
        await driven.turn("again")
        assert (await driven.seen(ToolFinished, after)).block.get("is_error") is None
        assert len(driven.of(Asked)) == 1

    run_with(test, answerable=ASKS)


def test_a_deny_rule_beats_the_rewrite_of_a_hook() -> None:
    hooks_are(PermissionRequest=answer(behavior="allow", updatedInput={"command": "rm a"}))

    async def test(api: FakeApi, driven: Driven) -> None:
        Path("a").touch()
        finished = await one_call(api, driven)
        assert finished.block["is_error"] is True
        assert Path("a").exists()

    run_with(test, answerable=ASKS, disallowed_tools=("Bash(rm *)",))


def test_a_question_that_nobody_answers_notifies() -> None:
    hooks_are(Notification=keeps("told"))

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn(bash("touch a")), turn("Done."))
        driven.session.submit(UserInput("go"))
        asked = await driven.seen(Asked)
        await driven.until(lambda e: isinstance(e, HookRan) and e.outcome is not None)
        (given,) = kept("told")
        assert given["notification_type"] == "permission_prompt"
        assert given["message"] == "Permission needed for Bash"
        driven.session.submit(Reply(asked.request_id, PermissionAnswer("allow")))

    run_with(test, FAST, answerable=ASKS)


def test_an_idle_session_notifies_once() -> None:
    hooks_are(Notification=keeps("told"))

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn("Done."))
        await driven.turn("go")
        await driven.until(lambda e: isinstance(e, HookRan) and e.outcome is not None)
        assert [given["notification_type"] for given in kept("told")] == ["idle_prompt"]

    run_with(test, FAST)


def test_a_session_that_goes_on_notifies_nobody() -> None:
    hooks_are(Notification=keeps("told"))

    async def test(api: FakeApi, driven: Driven) -> None:
        api.script(lambda _: turn("Done."))
        await driven.turn("go")
        await driven.turn("go on")
        await driven.close()
        assert kept("told") == []

    run_with(test)


def test_clear_ends_one_session_and_starts_another() -> None:
    hooks_are(SessionStart=keeps("order"), SessionEnd=keeps("order"))

    async def test(api: FakeApi, driven: Driven) -> None:
        api.script(lambda _: turn("Done."))
        await driven.turn("go")
        assert isinstance(await driven.do(Clear()), OpDone)
        await driven.close()
        heard = [
            (given["hook_event_name"], given.get("source") or given.get("reason"))
            for given in kept("order")
        ]
        assert heard == [
            ("SessionStart", "startup"),
            ("SessionEnd", "clear"),
            ("SessionStart", "clear"),
            ("SessionEnd", "other"),
        ]
        ids = [given["session_id"] for given in kept("order")]
        assert (ids[0], ids[2]) == (ids[1], ids[3])
        assert ids[0] != ids[2]

    run_with(test)


def test_a_switch_is_refused_or_told() -> None:
    reason = specific("PreModelSwitch", permissionDecision="deny", permissionDecisionReason="dear")
    dear = {"matcher": "claude-opus.*", "hooks": groups(says(reason))[0]["hooks"]}
    hooks_are(PreModelSwitch=[dear, keeps("before")], PostModelSwitch="echo 'switched to haiku'")

    async def test(api: FakeApi, driven: Driven) -> None:
        api.script(lambda _: turn("Done."))
        refused = await driven.do(SetModel("opus"))
        assert isinstance(refused, OpFailed)
        assert refused.text == "dear"
        assert isinstance(await driven.do(SetModel("haiku")), OpDone)
        await driven.turn("go")
        assert api.calls[0].model == "claude-haiku-5-5"
        assert "switched to haiku" in api.calls[0].last_text
        assert [g["new_model"] for g in kept("before")] == ["claude-opus-5-5", "claude-haiku-5-5"]

    run_with(test, model="sonnet")


def test_a_new_folder_is_told_and_its_message_reaches_the_model(tmp_path: Path) -> None:
    hooks_are(DirectoryAdded=[keeps("added"), says({"systemMessage": "lib holds the library"})])

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn("Done."))
        await driven.do(AddDirectory(str(tmp_path)))
        await driven.until(lambda e: isinstance(e, Notice) and "library" in e.text)
        await driven.turn("go")
        assert "lib holds the library" in api.calls[0].last_text
        (given,) = kept("added")
        assert (given["directory"], given["source"]) == (str(tmp_path), "slash_command")

    run_with(test)


SEQUENCE = "\x1b]9;done\x07"


@pytest.mark.parametrize(("interactive", "count"), [(True, 1), (False, 0)])
def test_only_a_terminal_gets_sequences(interactive: bool, count: int) -> None:
    Path(os.environ["HOME"], ".claude.json").write_text(
        json.dumps({"projects": {str(Path.cwd()): {"hasTrustDialogAccepted": True}}}),
        encoding="utf-8",
    )
    hooks_are(Stop=says({"terminalSequence": SEQUENCE}))

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn("Done."))
        await driven.turn("go")
        assert [event.text for event in driven.of(TerminalSequence)] == [SEQUENCE] * count

    run_with(test, interactive=interactive)


def test_a_status_message_is_shown_while_the_hook_runs() -> None:
    hooks_are(Stop={"type": "command", "command": "true", "statusMessage": "Checking"})

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn("Done."))
        await driven.turn("go")
        assert [(ran.outcome, ran.status) for ran in driven.of(HookRan)] == [
            (None, "Checking"),
            ("success", None),
        ]

    run_with(test)


def test_an_interrupt_ends_a_hook_that_a_turn_waits_for() -> None:
    hooks_are(Stop="sleep 30; touch late")

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn("Done."))
        driven.session.submit(UserInput("go"))
        await driven.seen(HookRan)
        driven.session.submit(Interrupt())
        assert (await driven.seen(TurnFinished)).result.text == "Done."

    run_with(test)


def test_a_waking_hook_starts_a_turn_of_an_idle_session() -> None:
    hook = {"type": "command", "command": "echo 'CI failed' >&2; exit 2", "asyncRewake": True}
    hooks_are(
        SessionEnd="true",
        PostToolUse={"hooks": [{**hook, "command": f"sleep 0.5; {hook['command']}"}]},
    )

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn(bash("echo a")), turn("Done."), turn("Looking."))
        await driven.turn("go")
        after = len(driven.events)
        woken = (await driven.seen(TurnFinished, after)).result
        assert (woken.text, woken.prompt_uuids) == ("Looking.", ())
        assert "CI failed" in api.calls[2].last_text

    run_with(test)


def test_the_hooks_of_a_client_replace_those_it_brought_before() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        api.script(lambda _: turn("Done."))
        hooks = {"Stop": [{"hookCallbackIds": ["hook_0"], "timeout": 0.2}]}
        await driven.do(Initialize(hooks=hooks))
        await driven.turn("go")
        asked = await driven.seen(Asked)
        assert (asked.kind, asked.payload["callback_id"]) == ("hook_callback", "hook_0")
        await driven.do(Initialize(hooks={}))
        await driven.turn("go")
        assert len(driven.of(Asked)) == 1

    run_with(test)


def test_the_start_holds_back_the_first_prompt_only() -> None:
    hooks_are(SessionStart="sleep 0.3; echo 'slow context'")

    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn("Done."))
        await driven.turn("go")
        assert "slow context" in api.calls[0].last_text

    run_with(test)


def test_an_op_may_wait_for_a_hook_of_the_client() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        hooks = {"PreModelSwitch": [{"hookCallbackIds": ["hook_0"]}]}
        await driven.do(Initialize(hooks=hooks))
        driven.session.submit(SetModel("haiku"), "switch")
        asked = await driven.seen(Asked)
        driven.session.submit(Reply(asked.request_id, JsonAnswer({})))
        ended = await driven.until(lambda e: isinstance(e, OpDone) and e.op_id == "switch")
        assert isinstance(ended, OpDone)
        assert ended.value == {"model": "claude-haiku-5-5"}

    run_with(test)


def test_an_interrupt_ends_an_op_that_waits_for_hooks() -> None:
    hooks_are(PreModelSwitch="sleep 30; touch late")

    async def test(api: FakeApi, driven: Driven) -> None:
        driven.session.submit(SetModel("haiku"), "switch")
        await driven.seen(HookRan)
        driven.session.submit(Interrupt())
        ended = await driven.until(lambda e: isinstance(e, OpFailed) and e.op_id == "switch")
        assert isinstance(ended, OpFailed)
        api.reply(turn("Done."))
        await driven.turn("go")
        assert api.calls[0].model == "claude-sonnet-4-6"

    run_with(test)


def test_an_interrupt_ends_the_hooks_of_the_start() -> None:
    hooks_are(SessionStart="sleep 30; touch late")

    async def test(api: FakeApi, driven: Driven) -> None:
        await driven.seen(HookRan)
        assert isinstance(await driven.do(Interrupt()), OpDone)
        api.reply(turn("Done."))
        assert (await driven.turn("go")).text == "Done."

    run_with(test)


def test_a_close_does_not_wait_for_the_hooks_of_the_start() -> None:
    hooks_are(SessionStart="sleep 30; touch late")

    async def test(api: FakeApi, driven: Driven) -> None:
        await driven.seen(HookRan)
        await driven.close()

    run_with(test)


@pytest.mark.parametrize(
    ("model", "effort"),
    [("claude-opus-5-5", {"level": "low"}), ("claude-haiku-4-5", None)],
)
def test_hooks_of_calls_hear_the_effort_in_force(model: str, effort: object) -> None:
    hooks_are(PreToolUse=keeps("seen"))

    async def test(api: FakeApi, driven: Driven) -> None:
        await one_call(api, driven, "echo a")
        await driven.seen(TurnFinished)
        assert kept("seen")[0].get("effort") == effort

    run_with(test, model=model, effort="low", thinking="disabled")
