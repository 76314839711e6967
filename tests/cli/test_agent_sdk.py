"""The published agent SDK drives hames: one test for each thing that programs do with it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    Message,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ResultError,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    ToolPermissionContext,
    UserMessage,
    query,
)
from claude_agent_sdk.types import PermissionRuleValue

from support.fake_api import Gate, held, tool_use, turn
from support.processes import left_after
from support.sdk_client import Bench, answer_of, result_of, run_with, texts_of

PermissionResult = PermissionResultAllow | PermissionResultDeny
Check = Callable[[str, dict[str, Any], ToolPermissionContext], Awaitable[PermissionResult]]


def touch(name: str, id: str = "toolu_1") -> dict[str, Any]:
    return tool_use("Bash", {"command": f"touch {name}"}, id=id)


def results_in(messages: list[Message]) -> list[Any]:
    return [
        block
        for message in messages
        if isinstance(message, UserMessage) and isinstance(message.content, list)
        for block in message.content
    ]


def init_of(messages: list[Message]) -> dict[str, Any]:
    """The message that begins every turn."""
    told = [m for m in messages if isinstance(m, SystemMessage) and m.subtype != "informational"]
    assert told[0].subtype == "init"
    return told[0].data


def test_query_answers_a_prompt() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("Hello."))
        messages = await bench.ask("hi")
        assert init_of(messages)["cwd"] == str(bench.work)
        assert texts_of(messages) == ["Hello."]
        result = result_of(messages)
        assert (result.subtype, result.is_error, result.result) == ("success", False, "Hello.")

    run_with(test)


def test_a_client_has_several_turns_in_one_session() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("One."), turn("Two."))
        async with bench.client() as client:
            first = await answer_of(client, "1")
            second = await answer_of(client, "2")
        assert (texts_of(first), texts_of(second)) == (["One."], ["Two."])
        assert result_of(first).session_id == result_of(second).session_id
        assert init_of(second)["session_id"] == init_of(first)["session_id"]

    run_with(test)


async def decide(bench: Bench, check: Check, call: dict[str, Any]) -> list[Message]:
    bench.api.reply(turn(call), turn("Done."))
    messages: list[Message] = []
    async with bench.client(can_use_tool=check) as client:
        messages += await answer_of(client, "go")
    return messages


def test_a_callback_allows_a_call() -> None:
    seen: list[tuple[str, dict[str, Any], ToolPermissionContext]] = []

    async def check(
        name: str, given: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        seen.append((name, given, context))
        return PermissionResultAllow()

    async def test(bench: Bench) -> None:
        messages = await decide(bench, check, touch("a.txt"))
        ((name, given, context),) = seen
        assert (name, given) == ("Bash", {"command": "touch a.txt"})
        assert (context.tool_use_id, context.display_name) == ("toolu_1", "Bash")
        assert context.description == "touch a.txt"
        assert (bench.work / "a.txt").exists()
        assert result_of(messages).permission_denials == []

    run_with(test)


def test_a_callback_denies_a_call_and_the_model_goes_on() -> None:
    async def check(*_: object) -> PermissionResult:
        return PermissionResultDeny(message="Not here.")

    async def test(bench: Bench) -> None:
        messages = await decide(bench, check, touch("a.txt"))
        (block,) = results_in(messages)
        assert (block.content, block.is_error) == ("Not here.", True)
        assert texts_of(messages) == ["Done."]
        (denial,) = result_of(messages).permission_denials or []
        assert denial["tool_use_id"] == "toolu_1"
        assert not (bench.work / "a.txt").exists()

    run_with(test)


def test_a_callback_changes_the_input() -> None:
    async def check(*_: object) -> PermissionResult:
        return PermissionResultAllow(updated_input={"command": "touch b.txt"})

    async def test(bench: Bench) -> None:
        await decide(bench, check, touch("a.txt"))
        assert [p.name for p in bench.work.iterdir()] == ["b.txt"]

    run_with(test)


def test_a_callback_denies_and_ends_the_turn() -> None:
    async def check(*_: object) -> PermissionResult:
        return PermissionResultDeny(message="Stop.", interrupt=True)

    async def test(bench: Bench) -> None:
        messages = await decide(bench, check, touch("a.txt"))
        result = result_of(messages)
        assert (result.subtype, result.terminal_reason) == (
            "error_during_execution",
            "aborted_tools",
        )
        assert bench.api.left == 1

    run_with(test)


def test_a_callback_that_raises_denies() -> None:
    async def check(*_: object) -> PermissionResult:
        raise ValueError("boom")

    async def test(bench: Bench) -> None:
        messages = await decide(bench, check, touch("a.txt"))
        (block,) = results_in(messages)
        assert block.content == "The permission check failed: boom"
        assert not (bench.work / "a.txt").exists()

    run_with(test)


def test_an_interrupt_ends_the_turn_in_mid_stream() -> None:
    async def test(bench: Bench) -> None:
        gate = Gate()
        bench.api.reply(held(turn("A long text that never ends."), gate=gate), turn("Next."))
        async with bench.client(include_partial_messages=True) as client:
            await client.query("go")
            messages: list[Message] = []
            async for message in client.receive_response():
                messages.append(message)
                if isinstance(message, StreamEvent) and message.event["type"] == "message_start":
                    await client.interrupt()
            assert result_of(messages).terminal_reason == "aborted_streaming"
            assert texts_of(await answer_of(client, "and now")) == ["Next."]
        gate.release()

    run_with(test)


def test_model_and_mode_change_between_turns() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("1"), turn("2"), turn("3"))
        async with bench.client() as client:
            await answer_of(client, "a")
            await client.set_model("haiku")
            await client.set_permission_mode("acceptEdits")
            messages = await answer_of(client, "b")
            await client.set_model(None)
            await answer_of(client, "c")
        assert [call.model for call in bench.api.calls] == [
            "claude-sonnet-5-5",
            "claude-haiku-5-5",
            "claude-sonnet-5-5",
        ]
        assert init_of(messages)["permissionMode"] == "acceptEdits"

    run_with(test)


def test_a_mode_that_does_not_exist_is_refused() -> None:
    async def test(bench: Bench) -> None:
        async with bench.client() as client:
            with pytest.raises(Exception, match="unknown permission mode 'reckless'"):
                await client.set_permission_mode("reckless")  # type: ignore[arg-type] # a bad value

    run_with(test)


def test_partial_messages_come_before_the_message_they_build() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("Hello."))
        messages = await bench.ask("hi", include_partial_messages=True)
        kinds = [type(m).__name__ for m in messages]
        deltas = [m.event for m in messages if isinstance(m, StreamEvent)]
        assert (
            "".join(
                event["delta"]["text"] for event in deltas if event["type"] == "content_block_delta"
            )
            == "Hello."
        )
        assert kinds.index("StreamEvent") < kinds.index("AssistantMessage")

    run_with(test)


def test_the_turn_limit_is_an_error_result() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn(tool_use("Bash", {"command": "pwd"})))
        messages: list[Message] = []
        with pytest.raises(ResultError, match=r"Reached maximum number of turns \(1\)"):
            async for message in query(prompt="go", options=bench.options(max_turns=1)):
                messages.append(message)
        assert result_of(messages).subtype == "error_max_turns"

    run_with(test)


def test_a_session_is_resumed_and_forked() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("One."), turn("Two."), turn("Three."))
        first = result_of(await bench.ask("1"))
        again = result_of(await bench.ask("2", resume=first.session_id))
        forked = result_of(await bench.ask("3", resume=first.session_id, fork_session=True))
        assert again.session_id == first.session_id
        assert forked.session_id != first.session_id
        assert "One." in json.dumps(bench.api.calls[2].messages)

    run_with(test)


def test_a_session_that_does_not_exist_is_an_error_with_its_text() -> None:
    async def test(bench: Bench) -> None:
        unknown = "00000000-0000-4000-8000-000000000000"
        with pytest.raises(ResultError, match=f"No conversation found with session ID: {unknown}"):
            await bench.ask("hi", resume=unknown)
        with pytest.raises(ResultError, match="No conversation found"):
            async with bench.client(resume=unknown):
                pass
        assert set(bench.stderr) == {f"No conversation found with session ID: {unknown}"}
        bench.stderr.clear()

    run_with(test)


def test_prompts_come_one_by_one_from_a_stream() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("One."), turn("Two."))

        async def prompts() -> AsyncGenerator[dict[str, Any]]:
            for text in ("1", "2"):
                yield {"type": "user", "message": {"role": "user", "content": text}}

        messages = [m async for m in query(prompt=prompts(), options=bench.options())]
        results = [m.result for m in messages if isinstance(m, ResultMessage)]
        assert results == ["One.", "Two."]

    run_with(test)


def test_a_callback_that_grants_a_rule_is_not_asked_again() -> None:
    asked: list[str] = []
    rule = PermissionRuleValue("Bash", "touch *")
    update = PermissionUpdate("addRules", rules=[rule], behavior="allow", destination="session")

    async def check(
        _: str, given: dict[str, Any], context: ToolPermissionContext
    ) -> PermissionResult:
        asked.append(given["command"])
        assert context.suggestions
        return PermissionResultAllow(updated_permissions=[update])

    async def test(bench: Bench) -> None:
        bench.api.reply(turn(touch("a.txt")), turn(touch("b.txt", "toolu_2")), turn("Done."))
        async with bench.client(can_use_tool=check) as client:
            await answer_of(client, "go")
        assert asked == ["touch a.txt"]
        assert sorted(p.name for p in bench.work.iterdir()) == ["a.txt", "b.txt"]

    run_with(test)


def test_a_client_that_leaves_in_mid_turn_leaves_no_process(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    async def test(bench: Bench) -> None:
        script = f"trap '' TERM; touch {mark}; sleep 62 # {mark}"
        bench.api.reply(turn(tool_use("Bash", {"command": script})))
        async with bench.client(allowed_tools=["Bash"]) as client:
            await client.query("go")
            while not mark.exists():
                await asyncio.sleep(0.02)
        assert left_after(str(mark)) == []
        assert left_after(str(bench.program)) == []

    run_with(test)


def test_context_usage_tells_what_fills_the_window() -> None:
    async def test(bench: Bench) -> None:
        bench.api.reply(turn("Hello."))
        async with bench.client() as client:
            before = await client.get_context_usage()
            await answer_of(client, "hi")
            after = await client.get_context_usage()
        assert before["apiUsage"] is None
        assert 0 < before["totalTokens"] < before["maxTokens"]
        tokens = {category["name"]: category["tokens"] for category in after["categories"]}
        assert set(tokens) >= {"System prompt", "Tools", "Messages"}
        assert sum(tokens.values()) - tokens["Free"] == after["totalTokens"]
        assert sum(len(row) for row in after["gridRows"]) == 200

    run_with(test)
