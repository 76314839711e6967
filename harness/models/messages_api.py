"""The default model client: Messages API over HTTP/1.1, raw JSON events in and out."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from urllib.parse import quote

import h11

from hames.harness.errors import AuthError
from hames.harness.models.api_errors import error_of_event, error_of_response
from hames.harness.models.credentials import NO_CREDENTIALS, Credentials, CredentialSource
from hames.harness.models.endpoint import Endpoint
from hames.harness.models.http_connection import HttpConnection
from hames.harness.models.pool import ConnectionPool
from hames.harness.models.port import ApiError, ModelRequest, TransportError
from hames.harness.models.sse import EventDecoder
from hames.system.types import JsonObject, as_object

MAX_ERROR_BYTES = 262_144
ERROR_BODY_SECONDS = 10.0
COUNT_SECONDS = 30.0

Headers = list[tuple[str, str]]
OnSent = Callable[[], None] | None


class MessagesApi:
    """Speaks to one endpoint. Keeps connections, never retries an answered request."""

    def __init__(
        self,
        endpoint: Endpoint,
        credentials: CredentialSource,
        pool: ConnectionPool,
        *,
        key_required: bool,
    ) -> None:
        self._endpoint = endpoint
        self._credentials = credentials
        self._pool = pool
        self._key_required = key_required

    async def open(self, request: ModelRequest) -> "MessageStream":
        """Send and wait for the head. Raises ApiError, TransportError, AuthError."""
        credentials = await self._get_credentials()
        betas = (*request.betas, *self._endpoint.betas)
        headers = self._headers(credentials, len(request.body), betas)
        connection, head = await self._post(
            "/v1/messages", headers, request.body, request.timeout, request.on_sent
        )
        try:
            await _require(head, connection, "text/event-stream", credentials)
        except BaseException:
            connection.abort()
            raise
        return MessageStream(connection, self._pool, head, request.idle)

    async def refresh_credentials(self) -> bool:
        """Fetch the credential anew; False when there is nothing to fetch."""
        return await self._credentials.refresh()

    async def count_tokens(self, body: bytes) -> int | None:
        """Input tokens of a body; None when the service does not say."""
        try:
            credentials = await self._get_credentials()
            headers = self._headers(credentials, len(body), self._endpoint.betas)
            path = "/v1/messages/count_tokens"
            connection, head = await self._post(path, headers, body, COUNT_SECONDS)
            try:
                await _require(head, connection, "application/json", credentials)
                answer = as_object(json.loads(await _read_all(connection)))
            except BaseException:
                connection.abort()
                raise
        except (ApiError, TransportError, ValueError):
            return None
        self._pool.keep(connection)
        count = answer.get("input_tokens") if answer is not None else None
        return count if isinstance(count, int) else None

    async def aclose(self) -> None:
        """Close kept connections."""
        self._pool.close()

    async def _get_credentials(self) -> Credentials:
        credentials = await self._credentials.get()
        own = any(name in ("authorization", "x-api-key") for name, _ in self._endpoint.headers)
        if self._key_required and not own and not credentials.headers():
            raise AuthError(NO_CREDENTIALS)
        return credentials

    def _headers(self, credentials: Credentials, size: int, betas: tuple[str, ...]) -> Headers:
        """All headers; custom ones win over ours of the same name, betas are united."""
        ours = {
            "host": self._pool.origin.host_header,
            "content-type": "application/json",
            "content-length": str(size),
            "accept": "text/event-stream, application/json",
            "accept-encoding": "identity",
            **dict(credentials.headers()),
            **dict(self._endpoint.headers),
        }
        given = ours.get("anthropic-beta", "").split(",")
        united = dict.fromkeys(beta.strip() for beta in (*betas, *given) if beta.strip())
        if united:
            ours["anthropic-beta"] = ",".join(united)
        proxy = self._pool.proxy
        if proxy is not None and proxy.authorization is not None and not self._pool.origin.secure:
            ours["proxy-authorization"] = proxy.authorization
        return list(ours.items())

    async def _post(
        self, path: str, headers: Headers, body: bytes, seconds: float, on_sent: OnSent = None
    ) -> tuple[HttpConnection, h11.Response]:
        target = quote(self._endpoint.prefix, safe="/%:@!$&'()*+,;=~") + path
        if self._pool.proxy is not None and not self._pool.origin.secure:
            target = f"http://{self._pool.origin.host_header}{target}"
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(target, headers, body, on_sent)
        except TimeoutError:
            text = f"no answer within {seconds:g} seconds"
            raise TransportError("timeout", text) from None

    async def _exchange(
        self, target: str, headers: Headers, body: bytes, on_sent: OnSent
    ) -> tuple[HttpConnection, h11.Response]:
        """One POST; once more on a new connection if a kept one turns out to be closed."""
        connection = await self._pool.acquire()
        try:
            return connection, await _send(connection, target, headers, body, on_sent)
        except TransportError as error:
            if error.reason != "reset" or not connection.reused or connection.answered:
                raise
        connection = await self._pool.open()
        return connection, await _send(connection, target, headers, body, on_sent)


class MessageStream:
    """An open answer. Iterate once; `aclose` gives the connection back, or up."""

    def __init__(
        self, connection: HttpConnection, pool: ConnectionPool, head: h11.Response, idle: float
    ) -> None:
        self.headers: Mapping[str, str] = _headers_of(head)
        self.request_id = self.headers.get("request-id")
        self._connection: HttpConnection | None = connection
        self._pool = pool
        self._idle = idle
        self._decoder = EventDecoder()
        self._waiting: list[JsonObject] = []
        self._stopped = False

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        try:
            event = await self._next_event()
        except BaseException:
            self._drop()
            raise
        if event is None:
            await self.aclose()
            raise StopAsyncIteration
        if event.get("type") == "error":
            self._drop()
            raise error_of_event(event, self.headers)
        self._stopped = self._stopped or event.get("type") == "message_stop"
        return event

    async def aclose(self) -> None:
        """Keep the connection when the message has ended, else close it at once."""
        if self._connection is not None and self._stopped:
            self._pool.keep(self._connection)
            self._connection = None
        self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.abort()
            self._connection = None

    async def _next_event(self) -> JsonObject | None:
        """Bytes without an event, such as comments of a proxy, extend the wait only once."""
        if not self._waiting:
            try:
                async with asyncio.timeout(self._idle * 2):
                    await self._fill()
            except TimeoutError:
                text = f"the stream was silent for {self._idle:g} seconds"
                raise TransportError("idle", text) from None
        return self._waiting.pop(0) if self._waiting else None

    async def _fill(self) -> None:
        while not self._waiting and self._connection is not None:
            async with asyncio.timeout(self._idle):
                chunk = await self._connection.read()
            if chunk is None:
                return
            self._waiting = self._decoder.feed(chunk)


async def _send(
    connection: HttpConnection, target: str, headers: Headers, body: bytes, on_sent: OnSent
) -> h11.Response:
    try:
        await connection.send(target, headers, body)
        if on_sent is not None:
            on_sent()
        return await connection.head()
    except BaseException:
        connection.abort()
        raise


async def _require(
    head: h11.Response, connection: HttpConnection, media_type: str, credentials: Credentials
) -> None:
    """Raise unless the answer is a 200 of that type, not compressed."""
    headers = _headers_of(head)
    if head.status_code != 200:
        error = error_of_response(head.status_code, headers, await _read_all(connection))
        error.message = credentials.redact(error.message)
        raise error
    given = headers.get("content-type", "none").partition(";")[0].strip().lower()
    if given != media_type or headers.get("content-encoding", "identity") != "identity":
        text = f"the endpoint answered with {given} instead of {media_type}: not a Messages API?"
        raise TransportError("garbage", text)


async def _read_all(connection: HttpConnection) -> bytes:
    """The body of a short answer; what has arrived when it is too long or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(ERROR_BODY_SECONDS):
            while len(body) < MAX_ERROR_BYTES and (part := await connection.read()) is not None:
                body += part
    except (TimeoutError, TransportError):
        pass
    return bytes(body)


def _headers_of(head: h11.Response) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
