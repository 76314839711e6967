"""The prefix law on the raw bodies of a long session."""

import asyncio
import json

import pytest

from hames.harness.events import BlockCompleted, StreamDelta, TurnFinished
from hames.harness.ops import Interrupt, UserInput
from support.fake_api import (
    FakeApi,
    Gate,
    Turn,
    assert_prefix_law,
    cut,
    held,
    overloaded,
    thinking,
    tool_use,
    turn,
)
from support.sessions import driving

PARALLEL = json.dumps({"hames": {"dispatch": {"parallelCommands": "all"}}})
MODEL = "claude-opus-5-5"


def with_calls(number: int) -> Turn:
    """Thinking, text, and calls of which some run side by side and one fails."""
    return turn(
        thinking(f"Step {number}."),
        f"Step {number}.",
        tool_use("Bash", {"command": "echo one"}),
        tool_use("Bash", {"command": "echo two; exit 3"}),
        tool_use("Read", {"file_path": "/none"}),
        tool_use("Nothing", {"a": 1}),
    )


@pytest.mark.fault
def test_forty_turns_repeat_each_other_byte_for_byte() -> None:
    async def scenario() -> None:
        growths: list[int] = []
        async with FakeApi() as api:
            session_id: str | None = None
            for part in range(4):
                async with driving(
                    api.url, model=MODEL, settings=PARALLEL, resume=session_id
                ) as driven:
                    for number in range(10):
                        after = len(driven.events)
                        if number == 3:
                            api.reply(overloaded())
                        if number == 4:
                            api.reply(cut(turn(thinking("Hm."), "Kept.", "Never there."), at=0.8))
                        if number == 5:
                            gate = Gate()
                            api.reply(held(turn("One.", "Two. " * 9), gate=gate, at=0.6))
                            driven.session.submit(UserInput("interrupted"))
                            await driven.seen(BlockCompleted, after)
                            await driven.do(Interrupt())
                            await driven.seen(TurnFinished, after)
                            after = len(driven.events)
                        if number == 6:
                            gate = Gate()
                            api.reply(held(turn("Nothing. " * 9), gate=gate, at=0.5))
                            driven.session.submit(UserInput("interrupted at once"))
                            await driven.seen(StreamDelta, after)
                            await driven.do(Interrupt())
                            await driven.seen(TurnFinished, after)
                            growths.append(len(api.calls))
                        api.reply(with_calls(number), turn(thinking("So."), f"Done {number}."))
                        result = await driven.turn(f"turn {part}.{number}")
                        assert (result.text, result.is_error) == (f"Done {number}.", False)
                    session_id = driven.events[0].scope.session_id
                    await driven.close()
            assert api.refusals == []
            assert api.left == 0
            assert_prefix_law(api.calls, growths=growths)
            assert len(api.calls[-1].blocks("thinking")) >= 80

    asyncio.run(scenario())
