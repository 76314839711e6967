"""The one stream of events out of a session."""

import asyncio
from collections.abc import AsyncIterator

from hames.harness.events import Event, SessionClosed


class Bus:
    """Unbounded, in order, for one reader. A crash of the engine is raised to the reader."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | BaseException] = asyncio.Queue()

    def emit(self, event: Event) -> None:
        """Append an event; never waits."""
        self._queue.put_nowait(event)

    def crash(self, error: BaseException) -> None:
        """End the stream with an exception: a bug in the engine."""
        self._queue.put_nowait(error)

    async def events(self) -> AsyncIterator[Event]:
        """The events until `SessionClosed`, which is the last one."""
        while True:
            item = await self._queue.get()
            if isinstance(item, BaseException):
                raise item
            yield item
            if isinstance(item, SessionClosed):
                return
