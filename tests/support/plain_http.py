"""A small HTTP client for tests of fake servers: no product code, no library but h11."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import h11

_WAIT = 10.0


@dataclass
class PlainAnswer:
    """What came back. `broken` names how the body ended early: reset or closed."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    broken: str | None = None

    @property
    def events(self) -> list[dict[str, Any]]:
        """The data of the server-sent events."""
        lines = self.body.decode("utf-8", "replace").splitlines()
        return [json.loads(line[6:]) for line in lines if line.startswith("data: ")]

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


async def request(
    url: str, method: str, path: str, headers: Mapping[str, str], body: bytes = b""
) -> PlainAnswer:
    """One request on a connection of its own."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    http = h11.Connection(h11.CLIENT)
    pairs = [("host", parts.netloc), ("content-length", str(len(body))), *headers.items()]
    for event in (
        h11.Request(method=method, target=path, headers=pairs),
        *([h11.Data(data=body)] if body else []),
        h11.EndOfMessage(),
    ):
        writer.write(http.send(event) or b"")
    answer = PlainAnswer()
    try:
        await asyncio.wait_for(_read(http, reader, answer), _WAIT)
    except ConnectionResetError:
        answer.broken = "reset"
    except h11.RemoteProtocolError:
        answer.broken = "closed"
    finally:
        writer.close()
    return answer


async def _read(http: h11.Connection, reader: asyncio.StreamReader, answer: PlainAnswer) -> None:
    while True:
        event = http.next_event()
        if isinstance(event, h11.Response):
            answer.status = event.status_code
            answer.headers = {k.decode(): v.decode() for k, v in event.headers}
        elif isinstance(event, h11.Data):
            answer.body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            return
        elif event is h11.NEED_DATA:
            http.receive_data(await reader.read(65536))


async def post_message(
    url: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> PlainAnswer:
    """POST /v1/messages with a key and the current version."""
    sent = {"x-api-key": "k", "anthropic-version": "2026-10-21", **(headers or {})}
    return await request(url, "POST", "/v1/messages", sent, json.dumps(body).encode())
