"""Kept connections of one client."""

import ssl
import time
from collections.abc import Callable, Mapping
from functools import cached_property

from hames.harness.models.connect import connect
from hames.harness.models.endpoint import Origin
from hames.harness.models.http_connection import HttpConnection
from hames.harness.models.proxy import proxy_for
from hames.harness.models.tls import tls_context

MAX_KEPT = 8
MAX_IDLE = 90.0
"""Seconds after which a kept connection is not trusted: routers forget it without a word."""


class ConnectionPool:
    """Connections to one origin; nothing is opened or loaded before it is needed.

    `now` is the wall clock, which unlike the monotonic one counts the sleep of a laptop.
    """

    def __init__(
        self, origin: Origin, env: Mapping[str, str], now: Callable[[], float] = time.time
    ) -> None:
        self.origin = origin
        self.proxy = proxy_for(origin, env)
        self._env = env
        self._now = now
        self._kept: list[tuple[HttpConnection, float]] = []

    @cached_property
    def _context(self) -> ssl.SSLContext:
        return tls_context(self._env)

    async def acquire(self) -> HttpConnection:
        """The newest kept connection that is still usable, else a new one."""
        while self._kept:
            connection, since = self._kept.pop()
            if 0 <= self._now() - since <= MAX_IDLE and await connection.make_ready():
                return connection
            connection.abort()
        return await self.open()

    async def open(self) -> HttpConnection:
        """A new connection. Raises TransportError, ConfigError."""
        return await connect(self.origin, self.proxy, lambda: self._context)

    def keep(self, connection: HttpConnection) -> None:
        """Take back a connection whose answer is read, but for its end; checked before reuse."""
        if len(self._kept) >= MAX_KEPT:
            self._kept.pop(0)[0].abort()
        self._kept.append((connection, self._now()))

    def close(self) -> None:
        """Close what is kept."""
        while self._kept:
            self._kept.pop()[0].abort()
