"""The lean client on the wire: TLS, proxies, kept connections, large and hostile answers."""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from hames.harness.errors import ConfigError
from hames.harness.models.accumulate import Accumulator
from hames.harness.models.endpoint import endpoint_of
from hames.harness.models.factory import make_client
from hames.harness.models.pool import MAX_IDLE, ConnectionPool
from hames.harness.models.port import ApiError, ModelClient, TransportError
from support.certificates import Authority
from support.fake_api import FakeApi, turn
from support.model_requests import api_env, model_request, request_body
from support.proxy_server import ProxyServer

Respond = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

EVENTS = (
    b'data: {"type":"message_start","message":{"id":"msg_1","usage":{}}}\n\n'
    b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\n'
    b'data: {"type":"message_stop"}\n\n'
)


def client_of(env: Mapping[str, str]) -> ModelClient:
    return make_client("claude-sonnet-5", env, cwd=Path())


async def ask(client: ModelClient, **options: Any) -> str:
    """The text of the answer."""
    received = Accumulator()
    stream = await client.open(model_request(**options))
    async for event in stream:
        received.feed(event)
        if received.stopped:
            break
    await stream.aclose()
    return "".join(str(block.data["text"]) for block in received.blocks)


async def ask_once(env: Mapping[str, str], **options: Any) -> str:
    async with aclosing(client_of(env)) as client:
        return await ask(client, **options)


def replying(request: Any) -> Any:
    return turn("hello")


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return head + await reader.readexactly(int(line.partition(b":")[2]))
    return head


def answer_of(body: bytes, *more: bytes) -> bytes:
    lines = (
        b"HTTP/1.1 200 OK",
        b"content-type: text/event-stream",
        b"content-length: %d" % len(body),
        *more,
    )
    return b"\r\n".join((*lines, b"", body))


async def with_server(respond: Respond, scenario: Callable[[str], Awaitable[None]]) -> None:
    """A server of bare bytes; the scenario gets its URL."""

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await respond(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        await scenario(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    finally:
        server.close()
        await server.wait_closed()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.mark.parametrize("variable", ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"])
def test_a_custom_authority_is_trusted(authority: Authority, variable: str) -> None:
    async def scenario() -> None:
        async with FakeApi(script=replying, tls=authority.server_context("127.0.0.1")) as api:
            assert api.url.startswith("https://")
            env = api_env(api.url, **{variable: str(authority.file)})
            assert await ask_once(env) == "hello"

    asyncio.run(scenario())


def test_an_unknown_authority_is_refused_with_the_way_out(authority: Authority) -> None:
    async def scenario() -> None:
        async with FakeApi(tls=authority.server_context("127.0.0.1")) as api:
            with pytest.raises(TransportError) as caught:
                await ask_once(api_env(api.url))
            assert caught.value.reason == "tls"
            assert "NODE_EXTRA_CA_CERTS" in caught.value.message

    asyncio.run(scenario())


def test_a_certificate_for_another_name_is_refused(authority: Authority) -> None:
    async def scenario() -> None:
        async with FakeApi(tls=authority.server_context("elsewhere.test")) as api:
            with pytest.raises(TransportError) as caught:
                await ask_once(api_env(api.url, SSL_CERT_FILE=str(authority.file)))
            assert caught.value.reason == "tls"

    asyncio.run(scenario())


@pytest.mark.parametrize("password", [None, "pass phrase"])
def test_a_client_certificate_is_shown(authority: Authority, password: str | None) -> None:
    async def scenario() -> None:
        context = authority.server_context("127.0.0.1", ask_client=True)
        mine = authority.issue("client.test", password)
        async with FakeApi(script=replying, tls=context) as api:
            env = api_env(
                api.url,
                SSL_CERT_FILE=str(authority.file),
                CLAUDE_CODE_CLIENT_CERT=str(mine.certificate),
                CLAUDE_CODE_CLIENT_KEY=str(mine.key),
                CLAUDE_CODE_CLIENT_KEY_PASSPHRASE=password or "",
            )
            assert await ask_once(env) == "hello"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    "broken",
    [
        {"NODE_EXTRA_CA_CERTS": "/nowhere/ca.pem"},
        {"SSL_CERT_FILE": "/nowhere/ca.pem"},
        {"CLAUDE_CODE_CLIENT_CERT": "/nowhere/cert.pem"},
        {"CLAUDE_CODE_CLIENT_KEY": __file__},
        {"CLAUDE_CODE_CLIENT_CERT": __file__},
        {"NODE_EXTRA_CA_CERTS": __file__},
        {"SSL_CERT_FILE": __file__},
    ],
    ids=lambda value: "-".join(value),
)
def test_unusable_certificate_files_are_named(broken: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="|".join(broken)):
        asyncio.run(ask_once(api_env("https://127.0.0.1:1", **broken)))


def test_plain_http_where_tls_is_expected_is_a_tls_error() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()

    async def scenario(url: str) -> None:
        with pytest.raises(TransportError) as caught:
            await ask_once(api_env(url.replace("http:", "https:")))
        assert caught.value.reason == "tls"

    asyncio.run(with_server(respond, scenario))


def test_an_https_origin_is_reached_through_a_tunnel(authority: Authority) -> None:
    async def scenario() -> None:
        tls = authority.server_context("api.test")
        async with FakeApi(script=replying, tls=tls) as api, ProxyServer() as proxy:
            url = api.url.replace("127.0.0.1", "api.test")
            env = api_env(url, HTTPS_PROXY=f"http://{proxy.address}")
            env["SSL_CERT_FILE"] = str(authority.file)
            assert await ask_once(env) == "hello"
            port = api.url.rpartition(":")[2]
            assert proxy.requests == [f"CONNECT api.test:{port} HTTP/1.1"]

    asyncio.run(scenario())


def test_a_proxy_may_itself_speak_tls(authority: Authority) -> None:
    async def scenario() -> None:
        tls = authority.server_context("api.test")
        proxy_tls = authority.server_context("127.0.0.1")
        async with FakeApi(script=replying, tls=tls) as api, ProxyServer(tls=proxy_tls) as proxy:
            url = api.url.replace("127.0.0.1", "api.test")
            env = api_env(url, HTTPS_PROXY=f"https://{proxy.address}")
            env["SSL_CERT_FILE"] = str(authority.file)
            assert await ask_once(env) == "hello"

    asyncio.run(scenario())


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_an_http_origin_is_forwarded(variable: str) -> None:
    async def scenario() -> None:
        async with FakeApi(script=replying) as api, ProxyServer() as proxy:
            url = api.url.replace("127.0.0.1", "api.test")
            assert await ask_once(api_env(url, **{variable: proxy.address})) == "hello"
            assert proxy.requests == [f"POST {url}/v1/messages HTTP/1.1"]

    asyncio.run(scenario())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_name_and_password_of_a_proxy_are_sent_to_it_alone(
    authority: Authority, scheme: str
) -> None:
    async def scenario() -> None:
        value = "Basic " + base64.b64encode(b"me:p@ss").decode()
        tls = authority.server_context("api.test") if scheme == "https" else None
        async with (
            FakeApi(script=replying, tls=tls) as api,
            ProxyServer(authorization=value) as proxy,
        ):
            url = api.url.replace("127.0.0.1", "api.test")
            env = api_env(url, ALL_PROXY=f"http://me:p%40ss@{proxy.address}")
            env["SSL_CERT_FILE"] = str(authority.file)
            assert await ask_once(env) == "hello"
            if scheme == "https":
                assert "proxy-authorization" not in api.calls[0].headers
            with pytest.raises((TransportError, ApiError)) as caught:
                await ask_once({**env, "ALL_PROXY": f"http://me:wrong@{proxy.address}"})
            assert "407" in str(caught.value) and "wrong" not in str(caught.value)

    asyncio.run(scenario())


def test_no_proxy_leads_around_the_proxy() -> None:
    async def scenario() -> None:
        async with FakeApi(script=replying) as api, ProxyServer() as proxy:
            env = api_env(api.url, HTTP_PROXY=proxy.address, NO_PROXY="other.test, 127.0.0.1")
            assert await ask_once(env) == "hello"
            assert proxy.requests == []

    asyncio.run(scenario())


def test_a_kept_connection_that_the_server_closed_is_replaced_silently() -> None:
    asked: list[int] = []

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        asked.append(1)
        writer.write(answer_of(EVENTS))
        await writer.drain()

    async def scenario(url: str) -> None:
        async with aclosing(client_of(api_env(url))) as client:
            for _ in range(3):
                await ask(client)

    asyncio.run(with_server(respond, scenario))
    assert len(asked) == 3


def test_a_connection_that_was_idle_for_long_is_not_used_again() -> None:
    async def scenario() -> None:
        clock = [1000.0]
        async with FakeApi() as api:
            origin = endpoint_of(api_env(api.url)).origin
            pool = ConnectionPool(origin, {}, now=lambda: clock[0])
            first = await pool.open()
            await first.send("/v1/models", [("host", "a"), ("content-length", "0")], b"")
            await first.head()
            while await first.read() is not None:
                pass
            pool.keep(first)
            clock[0] += MAX_IDLE
            assert await pool.acquire() is first
            pool.keep(first)
            clock[0] += MAX_IDLE + 1
            second = await pool.acquire()
            assert second is not first
            second.abort()

    asyncio.run(scenario())


def test_a_kept_connection_that_dies_on_the_next_request_is_replaced_once() -> None:
    requests: list[int] = []

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        requests.append(1)
        if len(requests) >= 3:
            return
        writer.write(answer_of(EVENTS))
        await read_request(reader)
        requests.append(1)

    async def scenario(url: str) -> None:
        async with aclosing(client_of(api_env(url))) as client:
            await ask(client)
            with pytest.raises(TransportError) as caught:
                await ask(client)
            assert caught.value.reason == "reset"

    asyncio.run(with_server(respond, scenario))
    assert len(requests) == 3, "the kept connection, then one new one"


def test_an_answer_that_ends_with_its_connection_is_whole() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(b"HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + EVENTS)
        await writer.drain()

    async def scenario(url: str) -> None:
        async with aclosing(client_of(api_env(url))) as client:
            await ask(client)
            await ask(client)

    asyncio.run(with_server(respond, scenario))


def test_a_stream_that_stays_open_after_its_message_delays_nothing() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer_of(EVENTS).replace(b"content-length", b"x-length"))
        await reader.read()

    async def scenario(url: str) -> None:
        async with aclosing(client_of(api_env(url))) as client:
            await ask(client)
            await ask(client)

    asyncio.run(asyncio.wait_for(with_server(respond, scenario), 5))


def test_a_body_of_many_megabytes_arrives_whole() -> None:
    async def scenario() -> None:
        async with FakeApi(script=replying, window=50_000_000) as api:
            body = request_body("x" * 12_000_000)
            assert await ask_once(api_env(api.url), body=body) == "hello"
            assert api.calls[0].raw == body

    asyncio.run(scenario())


def test_an_early_refusal_of_a_large_body_is_read() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b'{"type":"error","error":{"type":"request_too_large","message":"too large"}}'
        writer.write(b"HTTP/1.1 413 Too Large\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        await reader.read()

    async def scenario(url: str) -> None:
        with pytest.raises(ApiError) as caught:
            await ask_once(api_env(url), body=b"x" * 5_000_000)
        assert (caught.value.status, caught.value.kind) == (413, "request_too_large")

    asyncio.run(with_server(respond, scenario))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "garbage"),
        (b"HTTP/1.1 200 OK\r\n" + b"x-filler: " + b"y" * 200_000, "garbage"),
        (answer_of(b"data: [1, 2]\n\n"), "garbage"),
        (answer_of(b"\xff\xfe" * 1_000_000), "reset"),
        (answer_of(b"<html>\n" * 200_000), "garbage"),
        (answer_of(EVENTS, b"content-encoding: gzip"), "garbage"),
        (b"HTTP/1.1 200 OK\r\n", "reset"),
        (b"", "reset"),
    ],
    ids=["ssh", "head", "list", "binary", "html", "gzip", "half", "nothing"],
)
def test_hostile_answers_end_with_a_reason(answer: bytes, reason: str) -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer)
        await writer.drain()

    async def scenario(url: str) -> None:
        with pytest.raises(TransportError) as caught:
            await ask_once(api_env(url))
            raise TransportError("reset", "the stream ended without a message")
        assert caught.value.reason == reason

    asyncio.run(with_server(respond, scenario))


def test_comments_of_a_proxy_do_not_keep_a_dead_stream_alive() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer_of(EVENTS).replace(b"content-length", b"x-length")[: -len(EVENTS)])
        while True:
            writer.write(b": still there\n\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    async def scenario(url: str) -> None:
        with pytest.raises(TransportError) as caught:
            await ask_once(api_env(url), idle=0.1)
        assert caught.value.reason == "idle"

    asyncio.run(asyncio.wait_for(with_server(respond, scenario), 5))


def test_a_redirect_is_not_followed() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(
            b"HTTP/1.1 307 Elsewhere\r\nlocation: https://b.test\r\ncontent-length: 0\r\n\r\n"
        )
        await writer.drain()

    async def scenario(url: str) -> None:
        with pytest.raises(ApiError, match=r"redirected to https://b\.test"):
            await ask_once(api_env(url))

    asyncio.run(with_server(respond, scenario))


def test_an_error_text_never_repeats_the_key() -> None:
    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        body = b'{"error":"unknown key sk-test-secret"}'
        writer.write(b"HTTP/1.1 401 No\r\ncontent-length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()

    async def scenario(url: str) -> None:
        with pytest.raises(ApiError) as caught:
            await ask_once(api_env(url))
        assert str(caught.value) == "API Error: 401 authentication_error: unknown key ***"
        assert "sk-test-secret" not in repr(caught.value)

    asyncio.run(with_server(respond, scenario))


def test_a_base_url_may_hold_a_path_and_end_in_v1() -> None:
    targets: list[bytes] = []

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        targets.append((await read_request(reader)).split(b" ")[1])
        writer.write(answer_of(EVENTS))
        await writer.drain()

    async def scenario(url: str) -> None:
        for suffix in ("", "/", "/v1", "/v1/", "/proxy/x", "/proxy/v1"):
            await ask_once(api_env(url + suffix))

    asyncio.run(with_server(respond, scenario))
    plain, prefixed = b"/v1/messages", b"/proxy/x/v1/messages"
    assert targets == [plain] * 4 + [prefixed, b"/proxy/v1/messages"]


def test_cancelling_closes_the_socket_at_once() -> None:
    async def scenario() -> None:
        reached, gone = asyncio.Event(), asyncio.Event()

        async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            head = answer_of(EVENTS).replace(b"content-length", b"x-length")[: -len(EVENTS)]
            writer.write(head + EVENTS.partition(b"\n\n")[0] + b"\n\n")
            reached.set()
            try:
                await reader.read()
            finally:
                gone.set()

        async def cancel(url: str) -> None:
            task = asyncio.create_task(ask_once(api_env(url)))
            await reached.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(gone.wait(), 1)

        await with_server(respond, cancel)

    asyncio.run(scenario())
