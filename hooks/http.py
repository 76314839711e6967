"""Runs an http hook: one POST, one JSON object back."""

import asyncio
import contextlib
import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import h11

from hames.hooks.policy import HookPolicy
from hames.hooks.ports import RawOutput
from hames.hooks.spec import Http, public_url
from hames.system.types import JsonObject, is_object

BODY_LIMIT = 8 << 20
"""Bytes of a response body; a longer one is an error."""

_CHUNK = 65_536
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_FORBIDDEN = re.compile(r"[\r\n\0]")
_OWN_HEADERS = ("host", "content-length", "content-type", "connection", "transfer-encoding")


@dataclass(frozen=True, slots=True)
class _Target:
    host: str
    port: int
    path: str
    secure: bool
    authority: str


async def post(
    handler: Http, given: JsonObject, policy: HookPolicy, env: Mapping[str, str]
) -> RawOutput:
    """Send the input; redirects are not followed. The caller bounds the time."""
    if not policy.permits_url(handler.url):
        return _failure(f"{public_url(handler.url)} is not in allowedHttpHookUrls")
    try:
        target = _target(handler.url)
        status, body = await _exchange(target, _headers(handler, policy, env), given, env)
    except (OSError, ValueError, h11.RemoteProtocolError, h11.LocalProtocolError) as error:
        return _failure(f"no answer from {public_url(handler.url)}: {error}")
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if not 200 <= status < 300:
        return _failure(f"{public_url(handler.url)} answered with status {status}", text)
    if text.strip() and not _is_json_object(text):
        return _failure(f"{public_url(handler.url)} answered with something else than JSON", text)
    return RawOutput(text)


def _failure(why: str, body: str = "") -> RawOutput:
    return RawOutput(stdout=body, exit_code=None, failure=why)


def _target(url: str) -> _Target:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("the url must start with http:// or https:// and name a host")
    secure = parts.scheme == "https"
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    authority = parts.netloc.rpartition("@")[2]
    return _Target(parts.hostname, parts.port or (443 if secure else 80), path, secure, authority)


def _headers(handler: Http, policy: HookPolicy, env: Mapping[str, str]) -> list[tuple[str, str]]:
    names = policy.permitted_names(handler.env_names)

    def value_of(found: re.Match[str]) -> str:
        name = found.group(1) or found.group(2)
        return env.get(name, "") if name in names else ""

    return [
        (name, _FORBIDDEN.sub("", _VARIABLE.sub(value_of, value)).strip())
        for name, value in handler.headers
        if name.lower() not in _OWN_HEADERS
    ]


async def _exchange(
    target: _Target,
    headers: list[tuple[str, str]],
    given: JsonObject,
    env: Mapping[str, str],
) -> tuple[int, bytes]:
    """Status and body. Raises OSError, ValueError, RemoteProtocolError."""
    context = await asyncio.to_thread(_tls, env) if target.secure else None
    reader, writer = await asyncio.open_connection(target.host, target.port, ssl=context)
    try:
        connection = h11.Connection(h11.CLIENT)
        body = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace")
        own = [
            ("Host", target.authority),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Connection", "close"),
        ]
        request = h11.Request(method="POST", target=target.path, headers=own + headers)
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            writer.write(connection.send(event) or b"")
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        return await _response(connection, reader)
    finally:
        writer.transport.abort()


def _tls(env: Mapping[str, str]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    extra = env.get("NODE_EXTRA_CA_CERTS")
    if extra:
        context.load_verify_locations(extra)
    return context


async def _response(connection: h11.Connection, reader: asyncio.StreamReader) -> tuple[int, bytes]:
    status, body = 0, bytearray()
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(_CHUNK))
        elif isinstance(event, h11.Response):
            status = event.status_code
        elif isinstance(event, h11.Data):
            body += event.data
            if len(body) > BODY_LIMIT:
                raise ValueError(f"the body is longer than {BODY_LIMIT >> 20} MiB")
        elif isinstance(event, h11.EndOfMessage | h11.ConnectionClosed) or event is h11.PAUSED:
            return status, bytes(body)


def _is_json_object(text: str) -> bool:
    try:
        return is_object(json.loads(text))
    except (ValueError, RecursionError):
        return False
