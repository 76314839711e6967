"""Who waits for whom inside one assistant message, and exclusion across agents."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from enum import Enum, auto


class _Phase(Enum):
    WAITING = auto()
    RUNNING = auto()
    NARROWING = auto()
    DONE = auto()


class Place:
    """The turn of one call among the calls of its message; see `Places`."""

    def __init__(self, places: "Places", index: int, shared: bool) -> None:
        self.shared = shared
        self.phase = _Phase.WAITING
        self._places = places
        self._index = index

    async def narrow(self, *, shared: bool) -> None:
        """The final input is known: when the call may no longer share, wait until it is alone.

        Waits for earlier unfinished calls and for later running ones, never for a later one that
        also waits here, so two such calls cannot wait for each other.
        """
        if shared or not self.shared:
            return
        self.shared = False
        self.phase = _Phase.NARROWING
        await self._places.until(lambda: self._places.is_alone(self._index))
        self.phase = _Phase.RUNNING


class Places:
    """The places of the calls of one message, entered in call order.

    A call enters when every earlier call is done, or when it and all unfinished earlier ones may
    share. At most `limit` calls run at a time.
    """

    def __init__(self, count: int, limit: int) -> None:
        self._calls = [Place(self, index, False) for index in range(count)]
        self._limit = limit
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def of(self, index: int, *, shared: bool) -> AsyncGenerator[Place]:
        """Wait for the place of call `index`, hold it, and give it up at the end."""
        place = self._calls[index]
        place.shared = shared
        try:
            await self.until(lambda: self._may_enter(index))
            place.phase = _Phase.RUNNING
            await self._announce()
            yield place
        finally:
            place.phase = _Phase.DONE
            await asyncio.shield(self._announce())

    @property
    def count(self) -> int:
        """How many calls the message has."""
        return len(self._calls)

    async def skip(self, index: int) -> None:
        """Give up the place of a call that will not run, so that later calls do not wait for it."""
        self._calls[index].phase = _Phase.DONE
        await self._announce()

    async def until(self, ready: Callable[[], bool]) -> None:
        """Wait until `ready()`; every change of a phase asks again."""
        async with self._changed:
            self._changed.notify_all()
            await self._changed.wait_for(ready)

    async def _announce(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _may_enter(self, index: int) -> bool:
        place = self._calls[index]
        earlier = [p for p in self._calls[:index] if p.phase is not _Phase.DONE]
        if sum(p.phase is _Phase.RUNNING for p in self._calls) >= self._limit:
            return False
        return not earlier or (
            place.shared and all(p.shared and p.phase is _Phase.RUNNING for p in earlier)
        )

    def is_alone(self, index: int) -> bool:
        """Whether all earlier calls are done and no later call runs."""
        return all(p.phase is _Phase.DONE for p in self._calls[:index]) and not any(
            p.phase is _Phase.RUNNING for p in self._calls[index + 1 :]
        )


class KeyLocks:
    """Exclusion across agents by key, e.g. one writer per file; free keys cost nothing."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._users: Counter[str] = Counter()

    @asynccontextmanager
    async def hold(self, key: str | None) -> AsyncGenerator[None]:
        """Hold `key` for as long as the block runs; None holds nothing."""
        if key is None:
            yield
            return
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._users[key] += 1
        try:
            async with lock:
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._locks[key], self._users[key]
