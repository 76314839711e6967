"""Who waits for whom inside one message."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.harness.place import KeyLocks, Places

LIMIT = 10


async def settle() -> None:
    """Let everything that can go on go on."""
    for _ in range(20):
        await asyncio.sleep(0)


class Calls:
    """Calls that run until they are told to end, and what they have reached."""

    def __init__(self, shared: str, limit: int = LIMIT) -> None:
        self.places = Places(len(shared), limit)
        self.state = ["waiting"] * len(shared)
        self._shared = [letter == "s" for letter in shared]
        self._narrow = [asyncio.Event() for _ in shared]
        self._end = [asyncio.Event() for _ in shared]
        self.tasks = [asyncio.create_task(self._run(index)) for index in range(len(shared))]

    async def _run(self, index: int) -> None:
        async with self.places.of(index, shared=self._shared[index]) as place:
            self.state[index] = "runs"
            narrowing = asyncio.create_task(self._narrow[index].wait())
            ending = asyncio.create_task(self._end[index].wait())
            try:
                await asyncio.wait({narrowing, ending}, return_when=asyncio.FIRST_COMPLETED)
                if narrowing.done():
                    self.state[index] = "narrows"
                    await place.narrow(shared=False)
                    self.state[index] = "alone"
                    await ending
            finally:
                # Before the place is given up: who enters next must not be seen beside this one.
                self.state[index] = "done"
                narrowing.cancel()
                ending.cancel()

    async def narrow(self, index: int) -> None:
        self._narrow[index].set()
        await settle()

    async def end(self, index: int) -> None:
        self._end[index].set()
        await settle()

    async def cancel(self, index: int) -> None:
        self.tasks[index].cancel()
        await settle()
        self.state[index] = "done"


def seen(shared: str, *steps: Callable[[Calls], object], limit: int = LIMIT) -> list[str]:
    """The states after the steps, as words joined by blanks."""

    async def scenario() -> list[str]:
        calls = Calls(shared, limit)
        await settle()
        states = [" ".join(calls.state)]
        for step in steps:
            await step(calls)  # type: ignore[misc]  # every step is a coroutine function
            states.append(" ".join(calls.state))
        for task in calls.tasks:
            task.cancel()
        await asyncio.gather(*calls.tasks, return_exceptions=True)
        return states

    return asyncio.run(scenario())


def test_calls_that_may_share_run_side_by_side() -> None:
    assert seen("sss") == ["runs runs runs"]


def test_calls_that_may_not_run_one_after_another() -> None:
    assert seen("xx", lambda c: c.end(0)) == ["runs waiting", "done runs"]


def test_a_call_that_may_not_share_waits_for_all_before_it_and_holds_all_after_it() -> None:
    assert seen("ssxs", lambda c: c.end(0), lambda c: c.end(1), lambda c: c.end(2)) == [
        "runs runs waiting waiting",
        "done runs waiting waiting",
        "done done runs waiting",
        "done done done runs",
    ]


def test_no_more_than_the_limit_run() -> None:
    assert seen("sss", lambda c: c.end(1), limit=2) == ["runs runs waiting", "runs done runs"]


def test_a_narrowed_call_waits_for_earlier_and_for_running_later_ones() -> None:
    assert seen("sss", lambda c: c.narrow(1), lambda c: c.end(2), lambda c: c.end(0)) == [
        "runs runs runs",
        "runs narrows runs",
        "runs narrows done",
        "done alone done",
    ]


def test_a_narrowed_call_keeps_later_ones_from_starting() -> None:
    assert seen("sxs", lambda c: c.narrow(0), lambda c: c.end(0)) == [
        "runs waiting waiting",
        "alone waiting waiting",
        "done runs waiting",
    ]


@pytest.mark.parametrize(("first", "second"), [(0, 1), (1, 0)])
def test_two_narrowed_calls_run_in_order_whichever_narrowed_first(first: int, second: int) -> None:
    states = seen("ss", lambda c: c.narrow(first), lambda c: c.narrow(second), lambda c: c.end(0))
    assert states[2:] == ["alone narrows", "done alone"]


def test_a_skipped_call_holds_nobody() -> None:
    assert seen("xx", lambda c: c.places.skip(0))[0] == "runs waiting"

    async def scenario() -> str:
        calls = Calls("xx")
        calls.tasks[0].cancel()
        await calls.places.skip(0)
        await settle()
        state = calls.state[1]
        calls.tasks[1].cancel()
        await asyncio.gather(*calls.tasks, return_exceptions=True)
        return state

    assert asyncio.run(scenario()) == "runs"


def test_a_cancelled_call_gives_up_its_place() -> None:
    assert seen("xx", lambda c: c.cancel(0)) == ["runs waiting", "done runs"]
    assert seen("sss", lambda c: c.narrow(1), lambda c: c.cancel(1), lambda c: c.end(0))[-1] == (
        "done done runs"
    )


@pytest.mark.property
@given(
    shared=st.text("sx", min_size=1, max_size=6),
    steps=st.lists(st.tuples(st.sampled_from("nec"), st.integers(0, 5)), max_size=12),
    limit=st.integers(1, 4),
)
def test_no_order_of_events_locks_up(shared: str, steps: list[tuple[str, int]], limit: int) -> None:
    async def scenario() -> None:
        calls = Calls(shared, limit)
        await settle()
        for kind, index in steps:
            index %= len(shared)
            if kind == "n":
                await calls.narrow(index)
            elif kind == "c":
                await calls.cancel(index)
            else:
                await calls.end(index)
            alone = [n for n, state in enumerate(calls.state) if state == "alone"]
            running = [n for n, state in enumerate(calls.state) if state == "runs"]
            assert not alone or not running
            assert len(alone) <= 1
            assert len(running) <= limit
        for index in range(len(shared)):
            await calls.end(index)
        await asyncio.wait_for(asyncio.gather(*calls.tasks, return_exceptions=True), 5)

    asyncio.run(scenario())


def test_a_key_is_held_by_one_at_a_time_and_forgotten() -> None:
    async def scenario() -> None:
        locks, inside = KeyLocks(), 0

        async def hold(key: str | None) -> None:
            nonlocal inside
            async with locks.hold(key):
                inside += key == "a"
                assert inside <= 1
                await asyncio.sleep(0)
                inside -= key == "a"

        await asyncio.gather(*(hold(key) for key in ("a", "b", None, "a", "a", None)))
        assert vars(locks) == {"_locks": {}, "_users": {}}

    asyncio.run(scenario())
