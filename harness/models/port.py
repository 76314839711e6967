"""The one port to language models: a request in, raw Messages API events out."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hames.system.types import JsonObject


class ModelRequest(NamedTuple):
    """One request. `body` is the whole JSON body, `stream: true` included, as sent.

    `betas` become the `anthropic-beta` header. `timeout` is the wait for the head of the answer
    in seconds (a long answer may stream for longer), `idle` the longest silence of its stream.
    `on_sent` is called when the body is on its way and the wait for the answer begins; a client
    that cannot tell never calls it.
    """

    body: bytes
    model: str
    betas: tuple[str, ...] = ()
    timeout: float = 600.0
    idle: float = 300.0
    on_sent: Callable[[], None] | None = None


class ModelStream(Protocol):
    """An open response: headers first, then events in the order of the wire."""

    request_id: str | None
    headers: Mapping[str, str]

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        """Raw events, `ping` and unknown types included. Raises ApiError, TransportError."""
        ...

    async def aclose(self) -> None:
        """Give the connection up; safe at any time and twice."""
        ...


class ModelClient(Protocol):
    """A model client. It never retries: retries are events that users see."""

    async def open(self, request: ModelRequest) -> ModelStream:
        """Send and wait for the response head. Raises ApiError, TransportError."""
        ...

    async def refresh_credentials(self) -> bool:
        """After a 401: fetch the credential anew; False when there is nothing to refresh."""
        ...

    async def count_tokens(self, body: bytes) -> int | None:
        """Input tokens of a request body (no `stream`, no `max_tokens`); None if not offered."""
        ...

    async def aclose(self) -> None:
        """Close kept connections."""
        ...


class ModelFailure(Exception):
    """A request failed; see the subclasses."""


@dataclass(eq=False)
class ApiError(ModelFailure):
    """The service answered with an error, as a status or as an `error` event of the stream.

    `status` is None for an `error` event (then `in_stream` is true). `kind` is `error.type`,
    `retry_after` seconds (None: not sent), `headers` lower-case names.
    """

    status: int | None
    kind: str
    message: str
    retry_after: float | None = None
    request_id: str | None = None
    in_stream: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def __str__(self) -> str:
        where = f"{self.status} " if self.status is not None else ""
        return f"API Error: {where}{self.kind}: {self.message}"


@dataclass(eq=False)
class TransportError(ModelFailure):
    """No usable answer arrived.

    `reason` is connect, proxy (it refused), tls, timeout, idle, reset or garbage.
    """

    reason: str
    message: str

    def __str__(self) -> str:
        return f"API Error: {self.message}"
