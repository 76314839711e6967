"""The clouds: what reaches them, what comes back, and what is said when something is missing."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hames.harness.errors import AuthError, ConfigError, HamesError
from hames.harness.models.accumulate import Accumulator
from hames.harness.models.factory import make_client
from hames.harness.models.port import ApiError, ModelClient, TransportError
from support.fake_api import FakeApi, cut, error, fragmented, stream_error, tool_use, turn
from support.fake_api.clouds import FakeBedrock, FakeVertex
from support.model_requests import model_request, request_body

BEDROCK = {
    "CLAUDE_CODE_USE_BEDROCK": "1",
    "AWS_REGION": "eu-west-1",
    "AWS_BEARER_TOKEN_BEDROCK": "bedrock-key",
}
VERTEX = {
    "CLAUDE_CODE_USE_VERTEX": "1",
    "CLOUD_ML_REGION": "global",
    "ANTHROPIC_VERTEX_PROJECT_ID": "project-1",
    "CLAUDE_CODE_SKIP_VERTEX_AUTH": "1",
    "ANTHROPIC_AUTH_TOKEN": "vertex-token",
}
FOUNDRY = {"CLAUDE_CODE_USE_FOUNDRY": "1", "ANTHROPIC_FOUNDRY_API_KEY": "foundry-key"}
AWS = {
    "CLAUDE_CODE_USE_ANTHROPIC_AWS": "1",
    "AWS_REGION": "us-east-1",
    "ANTHROPIC_AWS_API_KEY": "aws-key",
    "ANTHROPIC_AWS_WORKSPACE_ID": "wrkspc_1",
}


def client_of(env: Mapping[str, str]) -> ModelClient:
    return make_client("claude-sonnet-5", env, cwd=Path())


def at(env: Mapping[str, str], name: str, api: FakeApi) -> dict[str, str]:
    return {**env, name: api.url}


async def receive(env: Mapping[str, str], **options: Any) -> Accumulator:
    received = Accumulator()
    async with aclosing(client_of(env)) as client:
        stream = await client.open(model_request(**options))
        try:
            async for event in stream:
                received.feed(event)
        finally:
            await stream.aclose()
    return received


def blocks(received: Accumulator) -> list[dict[str, Any]]:
    return [block.data for block in received.blocks]


CALL = tool_use("Bash", {"command": "ls ünï"}, id="toolu_1")
TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}}]


def test_bedrock_gets_the_model_in_the_path_and_answers_in_frames() -> None:
    async def scenario() -> None:
        async with FakeBedrock() as api:
            api.reply(fragmented(turn("Hällo 🌍", CALL), size=11))
            body = request_body(tools=TOOLS, model="claude-sonnet-4-6")
            env = at(BEDROCK, "ANTHROPIC_BEDROCK_BASE_URL", api)
            received = await receive(env, body=body, betas=("beta-a",))
            assert blocks(received) == [{"type": "text", "text": "Hällo 🌍"}, CALL]
            assert received.finished
            (sent,) = api.calls
            assert sent.path == "/model/claude-sonnet-4-6/invoke-with-response-stream"
            assert sent.headers["authorization"] == "Bearer bedrock-key"
            assert sent.headers["user-agent"].startswith("hames/")
            assert sent.body["anthropic_beta"] == ["beta-a"]
            assert sent.body["messages"] == json.loads(body)["messages"]

    asyncio.run(scenario())


def test_an_exception_frame_is_an_error_of_the_stream() -> None:
    async def scenario() -> None:
        async with FakeBedrock() as api:
            api.reply(stream_error())
            with pytest.raises(ApiError) as caught:
                await receive(at(BEDROCK, "ANTHROPIC_BEDROCK_BASE_URL", api))
            found = caught.value
            assert (found.kind, found.message, found.in_stream) == (
                "overloaded_error",
                "Overloaded",
                True,
            )

    asyncio.run(scenario())


def test_a_cut_frame_is_a_broken_stream() -> None:
    async def scenario() -> None:
        async with FakeBedrock() as api:
            api.reply(cut(at=0.6))
            with pytest.raises(TransportError) as caught:
                await receive(at(BEDROCK, "ANTHROPIC_BEDROCK_BASE_URL", api))
            assert caught.value.reason == "reset"

    asyncio.run(scenario())


def test_bedrock_counts_no_tokens() -> None:
    async def scenario() -> None:
        async with aclosing(client_of(BEDROCK)) as client:
            assert await client.count_tokens(b"{}") is None

    asyncio.run(scenario())


def test_vertex_gets_project_region_and_model_in_the_path() -> None:
    async def scenario() -> None:
        async with FakeVertex() as api:
            api.reply(turn("Hi", CALL))
            body = request_body(tools=TOOLS)
            env = at(VERTEX, "ANTHROPIC_VERTEX_BASE_URL", api)
            received = await receive(env, body=body, betas=("beta-a",))
            assert blocks(received) == [{"type": "text", "text": "Hi"}, CALL]
            (sent,) = api.calls
            assert sent.path == (
                "/projects/project-1/locations/global/publishers/anthropic/models/"
                "claude-sonnet-5:streamRawPredict"
            )
            assert sent.headers["authorization"] == "Bearer vertex-token"
            assert sent.headers["anthropic-beta"] == "beta-a"

    asyncio.run(scenario())


def test_foundry_gets_its_key_and_the_body_byte_for_byte() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(turn("Hi"))
            body = request_body("ünï  spaced")
            await receive(at(FOUNDRY, "ANTHROPIC_FOUNDRY_BASE_URL", api), body=body)
            (sent,) = api.calls
            assert (sent.raw, sent.headers["x-api-key"]) == (body, "foundry-key")
            assert "authorization" not in sent.headers

    asyncio.run(scenario())


def test_claude_on_aws_gets_its_workspace() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(turn("Hi"))
            body = request_body("ünï  spaced")
            await receive(at(AWS, "ANTHROPIC_AWS_BASE_URL", api), body=body)
            (sent,) = api.calls
            assert sent.raw == body
            assert sent.headers["anthropic-workspace-id"] == "wrkspc_1"

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("env", "name"),
    [
        (BEDROCK, "ANTHROPIC_BEDROCK_BASE_URL"),
        (FOUNDRY, "ANTHROPIC_FOUNDRY_BASE_URL"),
        (AWS, "ANTHROPIC_AWS_BASE_URL"),
    ],
)
def test_the_key_of_the_messages_api_never_reaches_a_cloud(env: dict[str, str], name: str) -> None:
    async def scenario() -> None:
        api = FakeBedrock() if env is BEDROCK else FakeApi()
        async with api:
            api.reply(error(403, "permission_error", "no"))
            secrets = {
                "ANTHROPIC_API_KEY": "sk-first-party",
                "ANTHROPIC_AUTH_TOKEN": "token-first-party",
                "ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: sk-first-party\nX-Mine: yes",
            }
            with pytest.raises(ApiError):
                await receive({**at(env, name, api), **secrets})
            (sent,) = api.requests
            assert "first-party" not in str(sent.headers)
            assert sent.headers["x-mine"] == "yes"

    asyncio.run(scenario())


def test_a_redirect_is_not_followed() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(error(307, headers={"location": f"{api.url}/v1/elsewhere"}))
            with pytest.raises(ApiError) as caught:
                await receive(at(FOUNDRY, "ANTHROPIC_FOUNDRY_BASE_URL", api))
            assert caught.value.status == 307
            assert len(api.requests) == 1

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("env", "text"),
    [
        ({**BEDROCK, "AWS_REGION": ""}, "AWS_REGION is not set"),
        ({**BEDROCK, "AWS_REGION": "x.evil.example/"}, "AWS_REGION holds characters"),
        ({**VERTEX, "CLOUD_ML_REGION": ""}, "CLOUD_ML_REGION is not set"),
        ({**VERTEX, "ANTHROPIC_VERTEX_PROJECT_ID": ""}, "ANTHROPIC_VERTEX_PROJECT_ID"),
        ({**FOUNDRY, "ANTHROPIC_FOUNDRY_API_KEY": ""}, "ANTHROPIC_FOUNDRY_API_KEY"),
        (FOUNDRY, "ANTHROPIC_FOUNDRY_RESOURCE is not set"),
        ({**AWS, "ANTHROPIC_AWS_WORKSPACE_ID": ""}, "ANTHROPIC_AWS_WORKSPACE_ID"),
        ({**BEDROCK, "ANTHROPIC_BEDROCK_BASE_URL": "ftp://x"}, "must be an http or https"),
    ],
)
def test_what_is_missing_is_named(env: dict[str, str], text: str) -> None:
    with pytest.raises(HamesError, match=text):
        asyncio.run(receive(env))


def test_two_clouds_at_once_are_refused() -> None:
    with pytest.raises(ConfigError, match="keep one of them"):
        client_of({**BEDROCK, **VERTEX})


@pytest.mark.parametrize(
    ("env", "library", "extra"),
    [
        ({**BEDROCK, "AWS_BEARER_TOKEN_BEDROCK": ""}, "boto3", "bedrock"),
        ({**VERTEX, "CLAUDE_CODE_SKIP_VERTEX_AUTH": ""}, "google.auth", "vertex"),
    ],
)
def test_a_missing_sign_in_library_is_named_with_its_extra(
    env: dict[str, str], library: str, extra: str
) -> None:
    """With the library there, it looks for credentials of this machine and finds none."""
    try:
        present = find_spec(library) is not None
    except ModuleNotFoundError:
        present = False
    if present:
        expected: tuple[type[HamesError], str] = (AuthError, "no usable credentials")
    else:
        expected = (ConfigError, rf"pip install 'hames\[{extra}\]'")
    with pytest.raises(expected[0], match=expected[1]):
        asyncio.run(receive(env))


def test_the_package_is_imported_by_the_first_request_only() -> None:
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from hames.harness.models.factory import make_client\n"
        "make_client('m', {'CLAUDE_CODE_USE_BEDROCK': '1'}, cwd=Path())\n"
        "print([n for n in ('anthropic', 'httpx2', 'pydantic', 'boto3') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "[]\n"
