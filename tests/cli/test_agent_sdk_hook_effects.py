"""What hooks of an agent SDK program do to a turn, beyond deciding about a call."""

import asyncio
import json
from pathlib import Path
from typing import Any

from claude_agent_sdk import (
    ClaudeSDKClient,
    HookContext,
    HookMatcher,
    Message,
    ResultMessage,
)

from support.fake_api import tool_use, turn
from support.sdk_client import Bench, answer_of, result_of, run_with, texts_of

Given = Any
Answer = dict[str, Any]


def specific(event: str, **fields: Any) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def bash(command: str, call_id: str = "toolu_1") -> dict[str, Any]:
    return tool_use("Bash", {"command": command}, id=call_id)


async def conversed(bench: Bench, options: dict[str, Any]) -> list[Message]:
    """The messages of one turn of a client; hooks need its open stdin."""
    return await exchange(bench.client(**options), "go")


async def exchange(client: ClaudeSDKClient, *prompts: str) -> list[Message]:
    """The messages of all turns."""
    messages: list[Message] = []
    async with client:
        for prompt in prompts:
            messages += await answer_of(client, prompt)
    return messages


class Heard:
    """A hook that keeps what it was told and gives its answers in order, then the last one."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.inputs: list[dict[str, Any]] = []
        self.ids: list[str | None] = []

    async def __call__(self, given: Given, tool_use_id: str | None, context: HookContext) -> Any:
        del context
        self.inputs.append(dict(given))
        self.ids.append(tool_use_id)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def matcher(self, name: str | None = None, **more: Any) -> list[HookMatcher]:
        return [HookMatcher(matcher=name, hooks=[self], **more)]


def test_a_function_hears_results_and_adds_to_them() -> None:
    async def test(bench: Bench) -> None:
        hook = Heard(specific("PostToolUse", additionalContext="the build is red"))
        bench.api.reply(turn(bash("echo one")), turn("Done."))
        await conversed(bench, {"hooks": {"PostToolUse": hook.matcher("Bash|Edit")}})
        assert hook.inputs[0]["tool_response"]["stdout"] == "one"
        assert "the build is red" in bench.api.calls[1].last_text

    run_with(test)


def test_a_function_blocks_a_prompt_and_adds_to_the_next() -> None:
    async def test(bench: Bench) -> None:
        hook = Heard(
            {"decision": "block", "reason": "no secrets"},
            specific("UserPromptSubmit", additionalContext="branch: main"),
        )
        bench.api.reply(turn("Done."))
        client = bench.client(hooks={"UserPromptSubmit": hook.matcher()})
        messages = await exchange(client, "the password is x", "fix it")
        blocked, answered = (m for m in messages if isinstance(m, ResultMessage))
        assert (blocked.is_error, blocked.result) == (True, "no secrets")
        assert answered.result == "Done."
        assert "branch: main" in bench.api.calls[0].last_text
        assert "password" not in str(bench.api.calls[0].messages)

    run_with(test)


def test_a_function_sends_the_model_on() -> None:
    async def test(bench: Bench) -> None:
        hook = Heard({"decision": "block", "reason": "run the tests"}, {})
        bench.api.reply(turn("Done."), turn("Tests are green."))
        messages = await conversed(bench, {"hooks": {"Stop": hook.matcher()}})
        assert texts_of(messages) == ["Done.", "Tests are green."]
        assert [given["stop_hook_active"] for given in hook.inputs] == [False, True]

    run_with(test)


def test_a_function_ends_the_turn() -> None:
    async def test(bench: Bench) -> None:
        hook = Heard({"continue_": False, "stopReason": "budget reached"})
        bench.api.reply(turn(bash("echo one")))
        messages = await conversed(bench, {"hooks": {"PostToolUse": hook.matcher()}})
        result = result_of(messages)
        assert (result.is_error, result.result) == (False, "budget reached")

    run_with(test)


def test_a_function_that_takes_too_long_blocks_the_call() -> None:
    async def slow(given: Given, tool_use_id: str | None, context: HookContext) -> Any:
        del given, tool_use_id, context
        await asyncio.sleep(60)

    async def test(bench: Bench) -> None:
        bench.api.reply(turn(bash("echo one")), turn("Done."))
        hooks = {"PreToolUse": [HookMatcher(hooks=[slow], timeout=0.3)]}
        await conversed(bench, {"hooks": hooks})
        assert bench.api.calls[1].results["toolu_1"]["is_error"] is True

    run_with(test)


def test_functions_and_hooks_of_files_both_run() -> None:
    async def test(bench: Bench) -> None:
        handler = {"type": "command", "command": "touch file-hook"}
        settings = json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}})
        hook = Heard({})
        bench.api.reply(turn("Done."))
        await conversed(bench, {"settings": settings, "hooks": {"Stop": hook.matcher()}})
        assert len(hook.inputs) == 1
        assert Path("file-hook").exists()

    run_with(test)
