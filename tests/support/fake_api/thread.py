"""The fake API in a thread of its own, for tests that start hames as a program."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from support.fake_api.record import RecordedRequest
from support.fake_api.server import FakeApi, Predicate
from support.fake_api.turns import Reply, Script

_START = 10.0


class FakeApiThread:
    """The same doors as FakeApi, blocking."""

    def __init__(self, api: FakeApi, loop: asyncio.AbstractEventLoop) -> None:
        self._api = api
        self._loop = loop

    @property
    def url(self) -> str:
        """The base URL."""
        return self._api.url

    @property
    def requests(self) -> list[RecordedRequest]:
        """Every request so far."""
        return list(self._api.requests)

    @property
    def calls(self) -> list[RecordedRequest]:
        """The requests for messages."""
        return self._api.calls

    @property
    def refusals(self) -> list[str]:
        """What the validator refused."""
        return self._api.refusals

    @property
    def left(self) -> int:
        """Queued replies that nobody asked for yet."""
        return self._api.left

    def reply(self, *replies: Reply) -> None:
        """Queue answers."""
        self._api.reply(*replies)

    def when(self, predicate: Predicate, reply: Reply) -> None:
        """Answer every fitting request so."""
        self._api.when(predicate, reply)

    def script(self, script: Script) -> None:
        """Answer every request that the queue and the routes leave."""
        self._api.script(script)

    def wait_for_requests(self, count: int, timeout: float = 10.0) -> None:
        """Block until so many requests have arrived; TimeoutError."""
        waiting = self._api.wait_for_requests(count, timeout)
        asyncio.run_coroutine_threadsafe(waiting, self._loop).result(timeout + 5)


@contextmanager
def running_fake_api(kind: type[FakeApi] = FakeApi, **options: Any) -> Generator[FakeApiThread]:
    """Run a server in a thread; the options are those of `kind`."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="fake-api", daemon=True)
    thread.start()

    async def start() -> FakeApi:
        return await kind(**options).__aenter__()

    try:
        api = asyncio.run_coroutine_threadsafe(start(), loop).result(_START)
        try:
            yield FakeApiThread(api, loop)
        finally:
            stopping = api.__aexit__(None, None, None)
            asyncio.run_coroutine_threadsafe(stopping, loop).result(_START)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_START)
        loop.close()
