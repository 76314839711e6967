"""An interrupt keeps what is complete, and the next request is valid."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from hames.harness.events import (
    Asked,
    BlockCompleted,
    StreamDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnResult,
    TurnStarted,
)
from hames.harness.ops import Interrupt, PermissionAnswer, Reply, UserInput
from support.fake_api import FakeApi, Gate, Turn, assert_prefix_law, held, text, tool_use, turn
from support.patience import bound
from support.sessions import Driven, driving

PARALLEL = '{"hames": {"dispatch": {"parallelCommands": "all"}}}'
CALL = tool_use("Bash", {"command": "echo ran >> ran"}, id="toolu_once")
PLACES: dict[str, tuple[Turn, float | int, type]] = {
    "before the first byte": (turn("hello"), 0, TurnStarted),
    "in text": (turn("one two three four five six seven"), 4, StreamDelta),
    "in tool JSON": (turn("Look.", tool_use("Bash", {"command": "x" * 200})), 8, BlockCompleted),
    "after a tool call": (turn("Look.", CALL, text("and more text")), 11, BlockCompleted),
}


async def interrupt(driven: Driven) -> TurnResult:
    """Interrupt, and demand that the prompt is usable at once."""
    started = time.monotonic()
    await driven.do(Interrupt())
    result = (await driven.seen(TurnFinished)).result
    assert time.monotonic() - started < bound(0.3)
    assert result.interrupted
    return result


@pytest.mark.fault
@pytest.mark.parametrize("place", list(PLACES))
def test_an_interrupted_stream_leaves_a_usable_session(place: str) -> None:
    reply, position, sign = PLACES[place]

    async def scenario() -> None:
        gate = Gate()
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(held(reply, gate=gate, at=position), turn("Better."))
            driven.session.submit(UserInput("go"))
            await asyncio.wrap_future(gate.reached)
            await driven.seen(sign)
            if place == "after a tool call":
                await driven.until(
                    lambda e: isinstance(e, BlockCompleted) and "tool_use" in str(e.message)
                )
            assert (await interrupt(driven)).subtype == "error_during_execution"
            assert (await driven.turn("again")).text == "Better."
            await driven.close()
            assert api.refusals == []
            kept = [b["text"] for b in api.calls[1].blocks("text") if b["text"] == "Look."]
            assert kept == (["Look."] if "tool" in place else [])
            ran = [e.call_id for e in driven.of(ToolStarted)]
            assert ran == []
            results = api.calls[1].results
            assert list(results) == (["toolu_once"] if place == "after a tool call" else [])

    asyncio.run(scenario())


@pytest.mark.fault
@pytest.mark.parametrize("finished", range(5))
def test_an_interrupt_among_parallel_calls_keeps_what_has_finished(finished: int) -> None:
    calls = [
        tool_use(
            "Bash", {"command": f"echo done-{n}" if n < finished else "sleep 60"}, id=f"toolu_{n}"
        )
        for n in range(4)
    ]

    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url, settings=PARALLEL) as driven:
            api.reply(turn("Four.", *calls), turn("After."), turn("After."))
            driven.session.submit(UserInput("go"))
            if finished == 4:
                await driven.until(lambda e: isinstance(e, TurnFinished))
            else:
                for n in range(4):
                    kind = ToolFinished if n < finished else ToolStarted
                    await driven.until(
                        lambda e, n=n, kind=kind: isinstance(e, kind) and e.call_id == f"toolu_{n}"
                    )
                await interrupt(driven)
            assert (await driven.turn("again")).text == "After."
            await driven.close()
            results = api.calls[-1].results
            assert list(results) == [f"toolu_{n}" for n in range(4)]
            for n in range(4):
                block = results[f"toolu_{n}"]
                assert (f"done-{n}" in str(block["content"])) == (n < finished)
                assert bool(block.get("is_error")) == (n >= finished)
            counts = [e.call_id for e in driven.of(ToolFinished)]
            assert sorted(counts) == [f"toolu_{n}" for n in range(4)]
            assert api.refusals == []
            assert_prefix_law(api.calls)

    asyncio.run(scenario())


def test_a_second_interrupt_changes_nothing() -> None:
    async def scenario() -> None:
        call = tool_use("Bash", {"command": "trap '' TERM; sleep 60"}, id="toolu_stubborn")
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(turn(call), turn("After."))
            driven.session.submit(UserInput("go"))
            await driven.seen(ToolStarted)
            for _ in range(3):
                await driven.do(Interrupt())
            await driven.seen(TurnFinished)
            assert (await driven.turn("again")).text == "After."
            await driven.close()
            assert [e.call_id for e in driven.of(ToolFinished)] == ["toolu_stubborn"]
            assert api.refusals == []

    asyncio.run(scenario())


def with_hook(event: str, command: str) -> str:
    hooks: dict[str, Any] = {event: [{"hooks": [{"type": "command", "command": command}]}]}
    return json.dumps({"hooks": hooks})


def test_a_result_is_kept_when_the_hooks_after_it_are_interrupted() -> None:
    async def scenario() -> None:
        settings = with_hook("PostToolUse", "touch hooked; sleep 60")
        call = tool_use("Bash", {"command": "echo precious"}, id="toolu_1")
        async with FakeApi() as api, driving(api.url, settings=settings) as driven:
            api.reply(turn(call), turn("After."))
            driven.session.submit(UserInput("go"))
            await wait_for_file("hooked")
            await interrupt(driven)
            await driven.turn("again")
            await driven.close()
            block = api.calls[1].results["toolu_1"]
            assert "precious" in str(block["content"])
            assert "is_error" not in block
            assert [e.call_id for e in driven.of(ToolFinished)] == ["toolu_1"]

    asyncio.run(scenario())


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreToolUse", "PostToolBatch", "Stop"])
def test_a_hook_that_hangs_does_not_outlive_an_interrupt(event: str) -> None:
    async def scenario() -> None:
        settings = with_hook(event, "touch hooked; sleep 60")
        call = tool_use("Bash", {"command": "echo hi"}, id="toolu_1")
        async with FakeApi() as api, driving(api.url, settings=settings) as driven:
            if event != "Stop":
                api.reply(turn(call))
            api.reply(turn("Done."))
            driven.session.submit(UserInput("go"))
            await wait_for_file("hooked")
            result = await interrupt(driven)
            assert result.is_error == (event != "Stop")  # there the answer was complete
            await driven.close()
            assert api.refusals == []

    asyncio.run(scenario())


async def wait_for_file(name: str) -> None:
    async with asyncio.timeout(10):
        while not Path(name).exists():
            await asyncio.sleep(0.01)


def test_a_denial_that_interrupts_ends_the_turn_and_cancels_the_siblings() -> None:
    async def scenario() -> None:
        async with (
            FakeApi() as api,
            driving(
                api.url,
                allowed_tools=("Bash(sleep 60)",),
                answerable=frozenset({"permission"}),
                settings=PARALLEL,
            ) as driven,
        ):
            api.reply(
                turn(
                    tool_use("Bash", {"command": "sleep 60"}, id="toolu_runs"),
                    tool_use("Bash", {"command": "sleep 61"}, id="toolu_asks"),
                ),
                turn("After."),
            )
            driven.session.submit(UserInput("go"))
            asked = await driven.seen(Asked)
            answer = PermissionAnswer("deny", message="Not this way.", interrupt=True)
            await driven.do(Reply(asked.request_id, answer))
            result = (await driven.seen(TurnFinished)).result
            assert result.terminal_reason == "aborted_tools"
            await driven.turn("again")
            await driven.close()
            results = api.calls[1].results
            assert results["toolu_asks"]["content"] == "Not this way."
            assert results["toolu_runs"]["is_error"] is True
            assert api.refusals == []

    asyncio.run(scenario())
