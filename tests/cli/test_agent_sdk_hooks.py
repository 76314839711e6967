"""Hooks that a program registers through the agent SDK."""

from typing import Any

import pytest
from claude_agent_sdk import HookMatcher, Message, UserMessage
from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput

from support.fake_api import tool_use, turn
from support.sdk_client import Bench, answer_of, run_with

Seen = list[tuple[dict[str, Any], str | None]]


def hook(seen: Seen, output: dict[str, Any], fail: bool = False) -> Any:
    """A callback that remembers its input and gives one answer."""

    async def callback(
        given: HookInput, tool_use_id: str | None, context: HookContext
    ) -> HookJSONOutput:
        del context
        seen.append((dict(given), tool_use_id))
        if fail:
            raise ValueError("boom")
        answer: Any = output
        return answer  # type: ignore[no-any-return] # the SDK's type is a union of TypedDicts

    return callback


def pre(**decision: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}


async def go(bench: Bench, hooks: Any) -> list[Message]:
    call = tool_use("Bash", {"command": "touch a.txt"}, id="toolu_1")
    bench.api.reply(turn(call), turn("Done."))
    messages: list[Message] = []
    async with bench.client(hooks=hooks, permission_mode="default") as client:
        messages += await answer_of(client, "go")
    return messages


def result_text(messages: list[Message]) -> str:
    (block,) = [
        block
        for message in messages
        if isinstance(message, UserMessage) and isinstance(message.content, list)
        for block in message.content
    ]
    content: Any = getattr(block, "content", None)
    return str(content)


def test_a_hook_sees_the_call_and_denies_it() -> None:
    seen: Seen = []

    async def test(bench: Bench) -> None:
        deny = pre(permissionDecision="deny", permissionDecisionReason="Not here.")
        hooks = {"PreToolUse": [HookMatcher(matcher="Bash", hooks=[hook(seen, deny)])]}
        messages = await go(bench, hooks)
        ((given, tool_use_id),) = seen
        assert (given["tool_name"], tool_use_id) == ("Bash", "toolu_1")
        assert given["tool_input"]["command"] == "touch a.txt"
        assert given["cwd"] == str(bench.work)
        assert "Not here." in result_text(messages)
        assert list(bench.work.iterdir()) == []

    run_with(test)


def test_a_hook_allows_a_call_with_another_input() -> None:
    async def test(bench: Bench) -> None:
        changed = {"command": "touch b.txt"}
        allow = pre(permissionDecision="allow", updatedInput=changed)
        await go(bench, {"PreToolUse": [HookMatcher(hooks=[hook([], allow)])]})
        assert [p.name for p in bench.work.iterdir()] == ["b.txt"]

    run_with(test)


def test_matchers_choose_the_calls() -> None:
    seen: Seen = []

    async def test(bench: Bench) -> None:
        await go(bench, {"PreToolUse": [HookMatcher(matcher="Write", hooks=[hook(seen, {})])]})
        assert seen == []

    run_with(test)


def test_context_of_a_hook_reaches_the_model() -> None:
    async def test(bench: Bench) -> None:
        output = {
            "hookSpecificOutput": {
                "hookEventName": "UserPromptSubmit",
                "additionalContext": "The moon is full.",
            }
        }
        await go(bench, {"UserPromptSubmit": [HookMatcher(hooks=[hook([], output)])]})
        assert "The moon is full." in bench.api.calls[0].last_text

    run_with(test)


@pytest.mark.parametrize(
    ("on_failure", "runs"), [(None, True), ("continue", True), ("block", False)]
)
def test_a_hook_that_fails_blocks_only_where_it_should(on_failure: Any, runs: bool) -> None:
    seen: Seen = []

    async def test(bench: Bench) -> None:
        matcher = HookMatcher(hooks=[hook(seen, {}, fail=True)], on_failure=on_failure)
        call = tool_use("Bash", {"command": "touch a.txt"}, id="toolu_1")
        bench.api.reply(turn(call), turn("Done."))
        hooks: Any = {"PreToolUse": [matcher]}
        async with bench.client(hooks=hooks, allowed_tools=["Bash"]) as client:
            await answer_of(client, "go")
        assert len(seen) == 1
        assert (bench.work / "a.txt").exists() is runs

    run_with(test)


def test_the_introduction_says_that_hooks_are_in_force() -> None:
    async def test(bench: Bench) -> None:
        hooks: Any = {"Stop": [HookMatcher(hooks=[hook([], {})])]}
        async with bench.client(hooks=hooks) as client:
            info = await client.get_server_info()
        assert info is not None
        assert info["hooks_applied"] is True
        async with bench.client() as client:
            info = await client.get_server_info()
        assert info is not None
        assert "hooks_applied" not in info

    run_with(test)
