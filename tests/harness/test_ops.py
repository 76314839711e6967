"""Every op ends exactly once: idle, in the middle of a turn, and after Close."""

import asyncio
from collections.abc import Callable
from typing import get_args

import pytest

from hames.harness import ops
from hames.harness.events import (
    AskCancelled,
    Asked,
    BlockCompleted,
    Event,
    Notice,
    OpDone,
    OpFailed,
    PromptTaken,
    SessionClosed,
    SessionReset,
    StatusChanged,
    StreamDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from support.fake_api import FakeApi, Gate, held, tool_use, turn
from support.sessions import Driven, driving

EXAMPLES: dict[type[ops.Op], Callable[[], ops.Op]] = {
    ops.Initialize: lambda: ops.Initialize(),
    ops.UserInput: lambda: ops.UserInput("more"),
    ops.Interrupt: lambda: ops.Interrupt(),
    ops.TakeBack: lambda: ops.TakeBack(),
    ops.Reply: lambda: ops.Reply("nobody", ops.PermissionAnswer("allow")),
    ops.SetMode: lambda: ops.SetMode("plan"),
    ops.SetModel: lambda: ops.SetModel("haiku"),
    ops.SetEffort: lambda: ops.SetEffort("low"),
    ops.SetThinking: lambda: ops.SetThinking(0),
    ops.Clear: lambda: ops.Clear(),
    ops.Resume: lambda: ops.Resume("00000000-0000-4000-8000-000000000000"),
    ops.AddDirectory: lambda: ops.AddDirectory("/tmp"),
    ops.Describe: lambda: ops.Describe("session"),
    ops.Reload: lambda: ops.Reload(),
    ops.Close: lambda: ops.Close(),
}


def ends(driven: Driven) -> list[str]:
    return [e.op_id for e in driven.events if isinstance(e, OpDone | OpFailed)]


def assert_nothing_after_the_end_of_a_turn(events: list[Event]) -> None:
    over: set[str] = set()
    for event in events:
        turn_id = event.scope.turn_id
        assert turn_id not in over, event
        if isinstance(event, TurnFinished) and turn_id is not None:
            over.add(turn_id)


def test_every_op_type_has_an_example() -> None:
    assert set(EXAMPLES) == set(get_args(ops.Op))


@pytest.mark.parametrize("kind", list(EXAMPLES), ids=lambda kind: kind.__name__)
def test_an_op_ends_once_while_nothing_runs(kind: type[ops.Op]) -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            op_id = driven.session.submit(EXAMPLES[kind]())
            await driven.close(drain=True)
            assert ends(driven).count(op_id) == 1
            assert_nothing_after_the_end_of_a_turn(driven.events)

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", list(EXAMPLES), ids=lambda kind: kind.__name__)
def test_an_op_ends_once_in_the_middle_of_a_turn(kind: type[ops.Op]) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            api.reply(held(turn("a long answer"), gate=gate))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(StreamDelta)
            op_id = driven.session.submit(EXAMPLES[kind]())
            await driven.until(lambda e: isinstance(e, OpDone | OpFailed) and e.op_id == op_id)
            gate.release()
            await driven.close(drain=True)
            assert ends(driven).count(op_id) == 1
            assert isinstance(driven.events[-1], SessionClosed)
            assert_nothing_after_the_end_of_a_turn(driven.events)

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", list(EXAMPLES), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("drain", [True, False])
def test_an_op_after_close_ends_once_before_the_session_is_closed(
    kind: type[ops.Op], drain: bool
) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            api.reply(held(turn("a long answer"), gate=gate))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(StreamDelta)
            driven.session.submit(ops.Close(drain))
            op_id = driven.session.submit(EXAMPLES[kind]())
            gate.release()
            await driven.seen(SessionClosed)
            assert ends(driven).count(op_id) == 1
            assert_nothing_after_the_end_of_a_turn(driven.events)

    asyncio.run(scenario())


def test_input_after_close_is_refused() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            driven.session.submit(ops.UserInput("go"))
            driven.session.submit(ops.Close(drain=True))
            op_id = driven.session.submit(ops.UserInput("too late"))
            await driven.seen(SessionClosed)
            (failed,) = driven.of(OpFailed)
            assert (failed.op_id, failed.text) == (op_id, "The session is closing.")
            assert len(driven.of(TurnFinished)) == 1

    asyncio.run(scenario())


def test_close_ends_a_question_and_leaves_it_unanswered() -> None:
    async def scenario() -> None:
        call = tool_use("Bash", {"command": "touch made"}, id="toolu_asked")
        async with (
            FakeApi() as api,
            driving(api.url, allowed_tools=(), answerable=frozenset({"permission"})) as driven,
        ):
            api.reply(turn(call))
            driven.session.submit(ops.UserInput("go"))
            asked = await driven.seen(Asked)
            await driven.close()
            assert [e.request_id for e in driven.of(AskCancelled)] == [asked.request_id]
            assert [e.call_id for e in driven.of(ToolFinished)] == ["toolu_asked"]
            assert driven.of(ToolStarted) == []
            assert driven.of(TurnFinished)[0].result.is_error
            assert len(api.calls) == 1

    asyncio.run(scenario())


def test_close_stops_what_a_tool_runs() -> None:
    async def scenario() -> None:
        call = tool_use("Bash", {"command": "sleep 60"}, id="toolu_sleeps")
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(turn(call))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(ToolStarted)
            started = asyncio.get_running_loop().time()
            await driven.close()
            assert asyncio.get_running_loop().time() - started < 4
            (finished,) = driven.of(ToolFinished)
            assert finished.block["is_error"] is True
            assert len(api.calls) == 1

    asyncio.run(scenario())


def test_close_in_a_hurry_overtakes_one_that_waits() -> None:
    async def scenario() -> None:
        gate = Gate()
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(held(turn("never finished"), gate=gate))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(StreamDelta)
            first = driven.session.submit(ops.Close(drain=True))
            second = driven.session.submit(ops.Close())
            await driven.seen(SessionClosed)
            assert ends(driven)[-2:] == [first, second]
            assert driven.of(TurnFinished)[0].result.interrupted

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("op", "problem"),
    [
        (ops.SetMode("relaxed"), "unknown permission mode 'relaxed'"),
        (ops.SetMode("bypassPermissions"), "must be enabled when the session starts"),
        (ops.SetEffort("a bit"), "unknown effort 'a bit'"),
        (ops.SetThinking(-1), "not be negative"),
        (ops.SetModel("  "), "name a model"),
        (ops.SetModel("two words"), "name a model"),
        (ops.AddDirectory("/nowhere/at/all"), "is not a directory"),
        (ops.Resume("no such title"), "No conversation found"),
        (ops.Describe("the weather"), "the weather"),
    ],
)
def test_a_bad_op_is_refused_with_a_reason(op: ops.Op, problem: str) -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url) as driven:
            ended = await driven.do(op)
            assert isinstance(ended, OpFailed)
            assert problem in ended.text
            await driven.close()

    asyncio.run(scenario())


@pytest.mark.parametrize("op", [ops.Clear(), ops.Resume("anything")])
def test_a_running_turn_keeps_its_conversation(op: ops.Op) -> None:
    async def scenario() -> None:
        gate = Gate()
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(held(turn("an answer"), gate=gate))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(StreamDelta)
            ended = await driven.do(op)
            assert isinstance(ended, OpFailed)
            assert "interrupt it first" in ended.text
            gate.release()
            await driven.close(drain=True)

    asyncio.run(scenario())


def test_a_change_of_the_model_tells_that_the_cache_is_lost() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            await driven.do(ops.SetModel("haiku"))
            assert driven.of(Notice) == []  # nothing is cached yet
            await driven.turn("one")
            await driven.do(ops.SetModel("haiku"))
            assert driven.of(Notice) == []
            await driven.do(ops.SetModel("sonnet"))
            (notice,) = driven.of(Notice)
            assert "cache" in notice.text
            await driven.turn("two")
            await driven.close()
            assert [r.model for r in api.calls] == ["claude-haiku-5-5", "claude-sonnet-5-5"]

    asyncio.run(scenario())


def test_clear_starts_over_in_another_file() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            await driven.turn("before")
            ended = await driven.do(ops.Clear())
            assert isinstance(ended, OpDone)
            (reset,) = driven.of(SessionReset)
            assert reset.new_session_id == ended.value["session_id"] != reset.scope.session_id
            await driven.turn("after")
            assert driven.of(TurnFinished)[-1].scope.session_id == reset.new_session_id
            back = await driven.do(ops.Resume(reset.scope.session_id))
            assert back == OpDone(driven.of(OpDone)[-1].scope, back.op_id, back.value)
            await driven.turn("again")
            await driven.close()
            texts = [r.last_text for r in api.calls]
            assert "before" not in texts[1]
            assert len(api.calls[2].messages) == 3

    asyncio.run(scenario())


def test_queued_messages_can_be_taken_back_and_cancelled() -> None:
    async def scenario() -> None:
        gate = Gate()
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            api.reply(held(turn("an answer"), gate=gate))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(StreamDelta)
            await driven.do(ops.UserInput("first", uuid="a"))
            await driven.do(ops.UserInput("second", uuid="b"))
            again = await driven.do(ops.UserInput("second", uuid="b"))
            assert isinstance(again, OpDone)
            assert again.value == {"uuid": "b", "queued": False}
            taken = await driven.do(ops.TakeBack())
            assert isinstance(taken, OpDone)
            assert taken.value == {"contents": ["first", "second"]}
            await driven.do(ops.UserInput("third", uuid="c"))
            receipt = await driven.do(ops.Interrupt(cancel_queued=True))
            assert isinstance(receipt, OpDone)
            assert receipt.value == {"still_queued": [], "cancelled": ["c"]}
            await driven.seen(TurnFinished)
            await driven.close(drain=True)
            assert len(api.calls) == 1

    asyncio.run(scenario())


def test_a_message_typed_during_tools_joins_their_results() -> None:
    async def scenario() -> None:
        call = tool_use("Bash", {"command": "sleep 0.3"}, id="toolu_1")
        async with FakeApi() as api, driving(api.url) as driven:
            api.reply(turn(call), turn("Done."))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(ToolStarted)
            await driven.do(ops.UserInput("by the way"))
            result = (await driven.seen(TurnFinished)).result
            await driven.close(drain=True)
            assert api.calls[1].last_text.endswith("by the way")
            assert len(driven.of(TurnStarted)) == 1
            assert [p.content for p in driven.of(PromptTaken)] == ["go", "by the way"]
            assert result.prompt_uuids == tuple(p.uuid for p in driven.of(PromptTaken))

    asyncio.run(scenario())


def test_messages_that_remain_after_an_interrupt_run_next() -> None:
    async def scenario() -> None:
        gate = Gate()
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            api.reply(held(turn("an answer"), gate=gate))
            driven.session.submit(ops.UserInput("go"))
            await driven.seen(StreamDelta)
            await driven.do(ops.UserInput("next", uuid="n"))
            receipt = await driven.do(ops.Interrupt())
            assert isinstance(receipt, OpDone)
            assert receipt.value == {"still_queued": ["n"]}
            await driven.close(drain=True)
            assert [e.result.interrupted for e in driven.of(TurnFinished)] == [True, False]
            assert api.calls[1].last_text.endswith("next")
            states = [e.state for e in driven.of(StatusChanged)]
            assert states == ["running", "idle"]

    asyncio.run(scenario())


def test_blocks_come_out_before_the_end_of_their_turn() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            await driven.turn("go")
            await driven.close()
            kinds = [type(e) for e in driven.events]
            assert kinds.index(BlockCompleted) < kinds.index(TurnFinished)

    asyncio.run(scenario())
