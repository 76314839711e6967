"""What every model client must do, against a Messages API that refuses what the real one does."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from hames.harness.models.accumulate import Accumulator
from hames.harness.models.factory import make_client
from hames.harness.models.port import ApiError, ModelClient, TransportError
from support.fake_api import (
    FakeApi,
    Gate,
    closed,
    cut,
    error,
    fragmented,
    garbage,
    held,
    html_error,
    overloaded,
    short,
    stall,
    stream_error,
    thinking,
    tool_use,
    truncated_tool_json,
    turn,
    wrong_content_type,
)
from support.model_requests import api_env, model_request, request_body

MakeClient = Callable[[Mapping[str, str]], ModelClient]


def lean(env: Mapping[str, str]) -> ModelClient:
    return make_client("claude-sonnet-5", env, cwd=Path())


def sdk(env: Mapping[str, str]) -> ModelClient:
    return lean({**env, "HAMES_MODEL_CLIENT": "sdk"})


CLIENTS = {"lean": lean, "sdk": sdk}


@pytest.fixture(params=list(CLIENTS))
def make(request: pytest.FixtureRequest) -> MakeClient:
    return CLIENTS[request.param]


async def receive(client: ModelClient, **options: Any) -> Accumulator:
    received = Accumulator()
    stream = await client.open(model_request(**options))
    try:
        async for event in stream:
            received.feed(event)
    finally:
        await stream.aclose()
    return received


async def receive_once(
    make: MakeClient, api: FakeApi, env: Mapping[str, str] | None = None, **options: Any
) -> Accumulator:
    async with aclosing(make(api_env(api.url, **(env or {})))) as client:
        return await receive(client, **options)


def contents(received: Accumulator) -> list[dict[str, Any]]:
    return [block.data for block in received.blocks]


def test_an_answer_arrives_as_its_blocks(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            call = tool_use("Bash", {"command": "ls ünï", "n": [1, {"a": None}]}, id="toolu_1")
            api.reply(turn("Hällo 🌍", call))
            tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
            received = await receive_once(make, api, body=request_body(tools=tools))
            assert contents(received) == [{"type": "text", "text": "Hällo 🌍"}, call]
            assert (received.stop_reason, received.finished) == ("tool_use", True)
            assert received.message["model"] == "claude-sonnet-5"
            assert api.refusals == []

    asyncio.run(scenario())


def test_signed_thinking_is_kept_whole(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(turn(thinking("Let me see.", "sig-1"), "Done."))
            body = request_body(thinking={"type": "adaptive", "display": "summarized"})
            received = await receive_once(make, api, body=body)
            assert contents(received)[0] == {
                "type": "thinking",
                "thinking": "Let me see.",
                "signature": "sig-1",
            }

    asyncio.run(scenario())


def test_the_body_is_sent_byte_for_byte_with_its_betas(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(turn("ok"))
            body = request_body("ünï  spaced")
            env = {"ANTHROPIC_BETAS": "beta-b, beta-a"}
            await receive_once(make, api, env, body=body, betas=("beta-a",))
            sent = api.calls[0]
            assert sent.raw == body
            assert sent.headers["anthropic-beta"] == "beta-a,beta-b"
            assert sent.headers["anthropic-version"] == "2023-06-01"
            assert sent.headers["user-agent"].startswith("hames/")

    asyncio.run(scenario())


def test_the_request_id_and_headers_are_known_before_the_first_event(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(turn("ok"))
            stream = await make(api_env(api.url)).open(model_request())
            assert stream.request_id is not None and stream.request_id.startswith("req_")
            assert stream.headers["anthropic-ratelimit-requests-limit"] == "4000"
            await stream.aclose()
            await stream.aclose()

    asyncio.run(scenario())


@pytest.mark.parametrize("size", [1, 7, 61])
def test_fragments_may_end_anywhere(make: MakeClient, size: int) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(fragmented(turn("Zwölf Boxkämpfer 🥊 jagen Viktor"), size=size))
            received = await receive_once(make, api)
            assert contents(received) == [
                {"type": "text", "text": "Zwölf Boxkämpfer 🥊 jagen Viktor"}
            ]

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (error(400, "invalid_request_error", "bad"), (400, "invalid_request_error", "bad", None)),
        (error(429, "rate_limit_error", "slow", 3600), (429, "rate_limit_error", "slow", 3600.0)),
        (
            error(429, "rate_limit_error", "slow", headers={"retry-after-ms": "1500"}),
            (429, "rate_limit_error", "slow", 1.5),
        ),
        (overloaded(), (529, "overloaded_error", "Overloaded", None)),
        (error(500), (500, "api_error", "Internal server error", None)),
    ],
)
def test_an_error_status_becomes_an_api_error(
    make: MakeClient, reply: Any, expected: tuple[Any, ...]
) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(reply)
            with pytest.raises(ApiError) as caught:
                await receive_once(make, api)
            found = caught.value
            assert (found.status, found.kind, found.message, found.retry_after) == expected
            assert found.request_id is not None and not found.in_stream
            assert len(api.calls) == 1, "a client never retries"

    asyncio.run(scenario())


def test_the_error_page_of_a_proxy_is_an_api_error_without_its_html(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(html_error(502))
            with pytest.raises(ApiError) as caught:
                await receive_once(make, api)
            assert (caught.value.status, caught.value.kind) == (502, "api_error")
            assert "<" not in str(caught.value)

    asyncio.run(scenario())


def test_an_error_event_is_an_error_of_the_stream(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(stream_error())
            with pytest.raises(ApiError) as caught:
                await receive_once(make, api)
            found = caught.value
            assert (found.status, found.kind, found.in_stream) == (None, "overloaded_error", True)

    asyncio.run(scenario())


@pytest.mark.parametrize("place", [n / 20 for n in range(20)])
@pytest.mark.parametrize("how", [cut, closed])
def test_a_broken_stream_is_never_taken_for_a_whole_one(
    make: MakeClient, how: Any, place: float
) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(how(turn("one two three", "four"), at=place))
            received = Accumulator()
            with pytest.raises(TransportError) as caught:
                stream = await make(api_env(api.url)).open(model_request())
                async for event in stream:
                    received.feed(event)
            assert caught.value.reason == "reset"
            assert not received.stopped

    asyncio.run(scenario())


def test_a_body_that_ends_early_but_properly_leaves_an_unfinished_answer(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(short(at=0.5))
            received = await receive_once(make, api)
            assert not received.finished

    asyncio.run(scenario())


def test_silence_ends_with_the_idle_limit(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(stall(at=0.5))
            with pytest.raises(TransportError) as caught:
                await receive_once(make, api, idle=0.1)
            assert caught.value.reason == "idle"

    asyncio.run(scenario())


def test_a_server_that_never_answers_ends_with_the_time_limit(make: MakeClient) -> None:
    async def scenario() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await reader.read()
            finally:
                writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        client = make(api_env(f"http://127.0.0.1:{port}"))
        with pytest.raises(TransportError) as caught:
            await client.open(model_request(timeout=0.1))
        assert caught.value.reason == "timeout"
        server.close()
        await server.wait_closed()

    asyncio.run(scenario())


@pytest.mark.parametrize("reply", [garbage(), wrong_content_type()], ids=["bytes", "type"])
def test_an_answer_that_is_no_event_stream_is_garbage(make: MakeClient, reply: Any) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(reply)
            with pytest.raises(TransportError) as caught:
                await receive_once(make, api)
            assert caught.value.reason == "garbage"

    asyncio.run(scenario())


def test_a_cut_tool_input_is_marked_and_stays_resendable(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(truncated_tool_json("Bash", '{"command": "ls -l'))
            tools = [{"name": "Bash", "input_schema": {"type": "object"}}]
            received = await receive_once(make, api, body=request_body(tools=tools))
            block = received.blocks[1]
            assert block.input_error is not None
            assert (block.data["input"], block.raw_input) == ({}, '{"command": "ls -l')

    asyncio.run(scenario())


def test_nobody_there_is_a_connect_error_that_names_the_address(make: MakeClient) -> None:
    async def scenario() -> None:
        server = await asyncio.start_server(lambda r, w: None, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        with pytest.raises(TransportError) as caught:
            await make(api_env(f"http://127.0.0.1:{port}")).open(model_request())
        assert caught.value.reason == "connect"

    asyncio.run(scenario())


def test_connections_are_reused(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api:
            client = make(api_env(api.url))
            for _ in range(3):
                await receive(client)
            assert (len(api.calls), api.connections) == (3, 1)
            await client.aclose()

    asyncio.run(scenario())


def test_parallel_requests_do_not_mix(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn(f"to {request.last_text}")) as api:
            client = make(api_env(api.url))
            prompts = [f"prompt {number}" for number in range(8)]
            answers = await asyncio.gather(
                *(receive(client, body=request_body(prompt)) for prompt in prompts)
            )
            assert [contents(a)[0]["text"] for a in answers] == [f"to {p}" for p in prompts]
            await client.aclose()

    asyncio.run(scenario())


def test_giving_up_in_the_middle_closes_the_connection_at_once(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            gate = Gate()
            api.reply(held(turn("one two three four"), gate=gate, at=0.5))
            client = make(api_env(api.url))
            stream = await client.open(model_request())

            async def consume() -> None:
                async for _ in stream:
                    pass

            task = asyncio.create_task(consume())
            await asyncio.wrap_future(gate.reached)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await stream.aclose()
            gate.release()
            api.reply(turn("next"))
            assert contents(await receive(client)) == [{"type": "text", "text": "next"}]
            assert api.connections == 2
            await client.aclose()

    asyncio.run(scenario())


def test_tokens_are_counted(make: MakeClient) -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            body = json.loads(request_body("count me please"))
            counted = {name: body[name] for name in ("model", "messages")}
            async with aclosing(make(api_env(api.url))) as client:
                tokens = await client.count_tokens(json.dumps(counted).encode())
            assert tokens is not None and tokens > 0

    asyncio.run(scenario())


def test_a_service_that_cannot_count_gives_none(make: MakeClient) -> None:
    async def scenario() -> None:
        async with (
            FakeApi() as api,
            aclosing(make(api_env(f"{api.url}/elsewhere"))) as client,
        ):
            assert await client.count_tokens(b"{}") is None

    asyncio.run(scenario())


def test_a_key_has_no_second_source(make: MakeClient) -> None:
    async def scenario() -> None:
        client = make(api_env("http://127.0.0.1:1"))
        assert await client.refresh_credentials() is False

    asyncio.run(scenario())
