"""The fake Messages API: a real HTTP server on loopback that refuses what the API refuses."""

import asyncio
import ssl
from collections import deque
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from support.fake_api.connection import ClientGone, Connection
from support.fake_api.delivery import Action, Send, json_bytes, plan
from support.fake_api.models import MODELS, find_model
from support.fake_api.record import RecordedRequest
from support.fake_api.request import Judged, Refusal
from support.fake_api.stream import Rendering, encode, new_id
from support.fake_api.turns import Failure, Reply, Script, Turn, partial_json
from support.fake_api.usage import PromptCache, count_tokens, tokens_of
from support.fake_api.validate import Caller, judge

Predicate = Callable[[RecordedRequest], bool]


class FakeApi:
    """The server. Replies are taken in order; then the first fitting route; then the script.

    `window` overrides the context window of every model, in tokens. `account` is the organisation
    of every key. `enforce_binding` off lets thinking with a changed prefix pass, as for accounts
    of before September 2026.
    """

    content_type = "text/event-stream; charset=utf-8"

    def __init__(
        self,
        *,
        script: Script | None = None,
        window: int | None = None,
        account: str = "main",
        enforce_binding: bool = True,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.requests: list[RecordedRequest] = []
        self.connections = 0
        self.url = ""
        self.account = account
        self.enforce_binding = enforce_binding
        self.window = window
        self._script = script
        self._tls = tls
        self._replies: deque[Reply] = deque()
        self._routes: list[tuple[Predicate, Reply]] = []
        self._cache = PromptCache()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"{'https' if self._tls else 'http'}://127.0.0.1:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._server.wait_closed()

    def reply(self, *replies: Reply) -> None:
        """Queue answers; a function is called with the request when its turn comes."""
        self._replies.extend(replies)

    def when(self, predicate: Predicate, reply: Reply) -> None:
        """Answer every fitting request so, before the queue is looked at."""
        self._routes.append((predicate, reply))

    def script(self, script: Script) -> None:
        """Answer every request that the queue and the routes leave."""
        self._script = script

    @property
    def calls(self) -> list[RecordedRequest]:
        """The requests for messages, refused ones included."""
        return [request for request in self.requests if self.is_message_path(request.path)]

    @property
    def refusals(self) -> list[str]:
        """What the validator refused; [] after a good test."""
        return [request.refusal for request in self.requests if request.refusal]

    @property
    def left(self) -> int:
        """Queued replies that nobody asked for yet."""
        return len(self._replies)

    async def wait_for_requests(self, count: int, timeout: float = 10.0) -> None:
        """Wait until so many requests (of any path) have arrived whole; TimeoutError."""
        async with self._changed:
            await asyncio.wait_for(
                self._changed.wait_for(lambda: len(self.requests) >= count), timeout
            )

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        connection = Connection(self.connections, reader, writer)
        try:
            await self._serve(connection)
        except (ClientGone, asyncio.CancelledError):
            pass
        finally:
            await connection.aclose()
            self._tasks.discard(task)

    async def _serve(self, connection: Connection) -> None:
        while True:
            request = await connection.receive()
            self.requests.append(request)
            async with self._changed:
                self._changed.notify_all()
            await self._answer(connection, request)
            if not connection.next_cycle():
                return

    async def _answer(self, connection: Connection, request: RecordedRequest) -> None:
        match (request.method, request.path):
            case ("POST", path) if self.is_message_path(path):
                await self._messages(connection, request)
            case ("POST", "/v1/messages/count_tokens"):
                judged = self._judge(request, counting=True)
                if isinstance(judged, Refusal):
                    await self._refuse(connection, request, judged)
                else:
                    await _json(connection, request, {"input_tokens": count_tokens(judged)})
            case ("GET", path) if path == "/v1/models" or path.startswith("/v1/models/"):
                await self._models(connection, request)
            case _:
                refusal = Refusal(404, "not_found_error", "Not Found")
                await self._refuse(connection, request, refusal)

    async def _models(self, connection: Connection, request: RecordedRequest) -> None:
        refusal = _unauthorised(request)
        name = request.path.removeprefix("/v1/models").lstrip("/")
        if refusal is None and name and find_model(name) is None:
            refusal = Refusal(404, "not_found_error", f"model: {name}")
        if refusal is not None:
            await self._refuse(connection, request, refusal)
        elif name:
            await _json(connection, request, _model(name))
        else:
            listed = [_model(known) for known in MODELS]
            page = {"data": listed, "has_more": False, "first_id": None, "last_id": None}
            await _json(connection, request, page)

    def is_message_path(self, path: str) -> bool:
        """Whether a POST to it asks for a message."""
        return path == "/v1/messages"

    def message_body(self, request: RecordedRequest) -> bytes:
        """The Messages API body of a request; a cloud keeps parts of it elsewhere."""
        return request.raw

    def version_of(self, request: RecordedRequest) -> str | None:
        """The API version that a request names."""
        return request.headers.get("anthropic-version")

    def unauthorised(self, request: RecordedRequest) -> Refusal | None:
        """The refusal of a request without credentials."""
        return _unauthorised(request)

    def frame(self, event: Mapping[str, Any]) -> bytes:
        """One event of a stream on the wire."""
        return encode(event)

    def _judge(self, request: RecordedRequest, *, counting: bool = False) -> Judged | Refusal:
        refusal = self.unauthorised(request)
        if refusal is not None:
            return refusal
        version = self.version_of(request)
        if version is None:
            return Refusal(400, "invalid_request_error", "anthropic-version: header is required")
        betas = request.headers.get("anthropic-beta", "")
        request.betas = frozenset(name.strip() for name in betas.split(",") if name.strip())
        caller = Caller(request.betas, version, self.account, self.enforce_binding)
        judged = judge(self.message_body(request), caller, counting=counting)
        if isinstance(judged, Judged) and not counting:
            return self._too_long(judged) or judged
        return judged

    def _too_long(self, judged: Judged) -> Refusal | None:
        limit = self.window or judged.facts.window
        tokens = count_tokens(judged)
        if tokens <= limit:
            return None
        message = f"prompt is too long: {tokens} tokens > {limit} maximum"
        return Refusal(400, "invalid_request_error", message)

    def _next(self, request: RecordedRequest) -> Turn | Failure:
        reply: Reply | None = next((r for fits, r in self._routes if fits(request)), None)
        if reply is None:
            reply = self._replies.popleft() if self._replies else self._script
        if reply is None:
            return Failure(400, "invalid_request_error", "fake API: no reply is queued")
        return reply if isinstance(reply, Turn | Failure) else reply(request)

    async def _messages(self, connection: Connection, request: RecordedRequest) -> None:
        judged = self._judge(request)
        if isinstance(judged, Refusal):
            await self._refuse(connection, request, judged)
            return
        reply = self._next(request)
        if isinstance(reply, Failure):
            await _fail(connection, request, reply)
            return
        usage = self._cache.account(judged)
        usage.update({k: v for k, v in reply.usage.items() if k != "output_tokens"})
        rendering = Rendering(judged, reply, usage, _output_tokens(reply))
        if not judged.body.get("stream"):
            await _json(connection, request, rendering.whole(), **_rate_headers())
            return
        content_type = reply.delivery.content_type or self.content_type
        headers = {
            "content-type": content_type,
            "cache-control": "no-cache",
            "request-id": new_id("req"),
            "transfer-encoding": "chunked",
            **_rate_headers(),
        }
        events = [self.frame(event) for event in rendering.events()]
        await connection.answer(request, 200, headers, plan(events, reply.delivery, self.frame))

    async def _refuse(
        self, connection: Connection, request: RecordedRequest, refusal: Refusal
    ) -> None:
        request.refusal = refusal.message
        await _fail(connection, request, Failure(refusal.status, refusal.kind, refusal.message))


def _unauthorised(request: RecordedRequest) -> Refusal | None:
    bearer = request.headers.get("authorization", "")
    if request.headers.get("x-api-key") or bearer.startswith("Bearer "):
        return None
    return Refusal(401, "authentication_error", "x-api-key header is required")


def _output_tokens(reply: Turn) -> int:
    if "output_tokens" in reply.usage:
        return int(reply.usage["output_tokens"])
    parts = (
        str(block.get("text") or block.get("thinking") or partial_json(block.get("input") or {}))
        for block in reply.blocks
    )
    return 1 + sum(tokens_of(part) for part in parts)


def _model(name: str) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": "2026-10-21T00:00:00Z",
    }


def _rate_headers() -> dict[str, str]:
    found: dict[str, str] = {"anthropic-organization-id": "00000000-0000-4000-8000-000000000000"}
    for kind, limit in (
        ("requests", 4000),
        ("input-tokens", 2_000_000),
        ("output-tokens", 400_000),
    ):
        found[f"anthropic-ratelimit-{kind}-limit"] = str(limit)
        found[f"anthropic-ratelimit-{kind}-remaining"] = str(limit - 1)
        found[f"anthropic-ratelimit-{kind}-reset"] = "2026-12-01T00:00:00Z"
    return found


async def _json(
    connection: Connection, request: RecordedRequest, body: object, /, **headers: str
) -> None:
    data = json_bytes(body)
    sent = {
        "content-type": "application/json",
        "content-length": str(len(data)),
        "request-id": new_id("req"),
        **headers,
    }
    await connection.answer(request, 200, sent, [Send(data)])


async def _fail(connection: Connection, request: RecordedRequest, failure: Failure) -> None:
    request_id = new_id("req")
    refusal = Refusal(failure.status, failure.kind, failure.message)
    data = failure.raw if failure.raw is not None else json_bytes(refusal.body(request_id))
    headers = {
        "content-type": "application/json",
        "content-length": str(len(data)),
        "request-id": request_id,
        **failure.headers,
    }
    actions: list[Action] = [Send(data)]
    await connection.answer(request, failure.status, headers, actions)
