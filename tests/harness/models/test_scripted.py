"""The scripted model: its file, its events, its complaints."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hames.harness.errors import ConfigError, ModelError
from hames.harness.models.accumulate import Accumulator
from hames.harness.models.factory import make_client
from hames.harness.models.port import ApiError, ModelClient
from support.model_requests import model_request, request_body


def client_of(folder: Path, script: Any) -> ModelClient:
    (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
    return make_client("scripted:script.json", {}, cwd=folder)


async def receive(client: ModelClient, body: bytes | None = None) -> Accumulator:
    received = Accumulator()
    stream = await client.open(model_request(body=body or request_body()))
    async for event in stream:
        received.feed(event)
    await stream.aclose()
    return received


def played(folder: Path, *turns: Any) -> list[Accumulator]:
    async def scenario() -> list[Accumulator]:
        client = client_of(folder, {"turns": list(turns)})
        return [await receive(client) for _ in turns]

    return asyncio.run(scenario())


def test_turns_are_played_in_order_as_streams(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls " * 30}}
    image = {"type": "from_the_future", "x": [1]}
    signed = {"type": "thinking", "thinking": "hm " * 20, "signature": "s"}
    first, second = played(
        tmp_path,
        {"content": [signed, "I look. " * 9, call, image]},
        {"content": "Done.", "usage": {"output_tokens": 7}},
    )
    assert [block.data for block in first.blocks] == [
        signed,
        {"type": "text", "text": "I look. " * 9},
        call,
        image,
    ]
    assert (first.stop_reason, first.message["model"]) == ("tool_use", "scripted")
    assert (second.stop_reason, second.usage["output_tokens"]) == ("end_turn", 7)
    assert second.message["id"] != first.message["id"]


def test_a_call_without_id_gets_one(tmp_path: Path) -> None:
    calls = [{"type": "tool_use", "name": "Bash", "input": {}}] * 2
    (received,) = played(tmp_path, {"content": calls})
    assert len({block.data["id"] for block in received.blocks}) == 2


def test_placeholders_are_filled_in(tmp_path: Path) -> None:
    call = {"type": "tool_use", "name": "Bash", "input": {"command": ["${python} -V", "${cwd}"]}}
    (received,) = played(tmp_path, {"content": [call]})
    assert received.blocks[0].data["input"] == {"command": [f"{sys.executable} -V", str(tmp_path)]}


def test_a_stop_reason_may_be_given(tmp_path: Path) -> None:
    (received,) = played(tmp_path, {"content": "cut", "stop_reason": "max_tokens"})
    assert received.stop_reason == "max_tokens"


def test_an_exhausted_script_says_so(tmp_path: Path) -> None:
    async def scenario() -> None:
        client = client_of(tmp_path, {"turns": [{"content": "only"}]})
        await receive(client)
        with pytest.raises(ModelError, match=r"script\.json: the script has no turn left after 1"):
            await receive(client)

    asyncio.run(scenario())


def test_errors_can_be_played(tmp_path: Path) -> None:
    async def scenario() -> None:
        wrong = {"status": 429, "type": "rate_limit_error", "message": "slow", "retry_after": 2}
        client = client_of(
            tmp_path,
            {"turns": [{"error": wrong}, {"content": "kept", "error": {"type": "api_error"}}]},
        )
        with pytest.raises(ApiError) as caught:
            await receive(client)
        assert (caught.value.status, caught.value.retry_after) == (429, 2.0)
        received = Accumulator()
        with pytest.raises(ApiError) as caught:
            async for event in await client.open(model_request()):
                received.feed(event)
        assert caught.value.in_stream
        assert [block.data["text"] for block in received.blocks] == ["kept"]

    asyncio.run(scenario())


def test_a_turn_may_take_its_time(tmp_path: Path) -> None:
    (received,) = played(tmp_path, {"content": "later", "delay_ms": 1})
    assert received.finished


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ({"contains": "hello"}, None),
        ({"contains": ['say "hi"', "grüße"], "tools": ["Bash"]}, None),
        ({"contains": "absent"}, "expects 'absent' in the newest message"),
        ({"tools": "Write"}, "expects the tool Write"),
    ],
)
def test_a_turn_may_expect_something_of_its_request(
    tmp_path: Path, expect: Any, problem: str | None
) -> None:
    async def scenario() -> None:
        client = client_of(tmp_path, {"turns": [{"content": "ok", "expect": expect}]})
        body = request_body('hello, say "hi" and grüße', tools=[{"name": "Bash"}])
        if problem is None:
            await receive(client, body)
            return
        with pytest.raises(ModelError, match=problem):
            await receive(client, body)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ([], '"turns"'),
        ({"turns": {}}, '"turns"'),
        ({"turns": ["x"]}, r"turns\[0\]: must be an object"),
        ({"turns": [{}, {"text": "x"}]}, r"turns\[1\]: unknown key 'text'"),
        ({"turns": [{"content": 5}]}, r"turns\[0\]\.content"),
        ({"turns": [{"content": [{"text": "x"}]}]}, r"turns\[0\]\.content\[0\]: .* type"),
        ({"turns": [{"content": [{"type": "tool_use"}]}]}, "needs the name of a tool"),
        ({"turns": [{"content": "x", "delay_ms": -1}]}, r"delay_ms: must be a number"),
        ({"turns": [{"content": "x", "stop_reason": 1}]}, r"stop_reason: must be a text"),
        ({"turns": [{"content": "x", "usage": []}]}, r"usage: must be an object"),
        ({"turns": [{"expect": {"has": "x"}}]}, r"expect: unknown key 'has'"),
        ({"turns": [{"error": {"status": "x"}}]}, r"error\.status: must be a number"),
    ],
)
def test_a_wrong_script_is_refused_with_its_place(tmp_path: Path, script: Any, place: str) -> None:
    with pytest.raises(ConfigError, match=place):
        client_of(tmp_path, script)


def test_a_file_that_is_missing_or_no_json_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.json: cannot be read: No such file"):
        make_client("scripted:absent.json", {}, cwd=tmp_path)
    (tmp_path / "bad.json").write_text("{turns", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.json: not valid JSON"):
        make_client("scripted:bad.json", {}, cwd=tmp_path)


def test_a_stored_session_is_replayed(tmp_path: Path) -> None:
    def line(identity: str | None, block: Any, **more: Any) -> str:
        message = {"id": identity, "role": "assistant", "content": [block], **more}
        return json.dumps({"type": "assistant", "message": message})

    text = {"type": "text", "text": "I look."}
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    done = {"type": "text", "text": "Done."}
    error = json.dumps(
        {"type": "assistant", "isApiErrorMessage": True, "message": {"content": [done]}}
    )
    side = json.dumps({"type": "assistant", "isSidechain": True, "message": {"content": [done]}})
    lines = [
        json.dumps({"type": "user", "message": {"role": "user", "content": "hi"}}),
        line("msg_1", text),
        line("msg_1", call, stop_reason="tool_use", usage={"output_tokens": 9}),
        error,
        side,
        "{torn",
        line("msg_2", done, stop_reason="end_turn"),
    ]
    stored = tmp_path / "session.jsonl"
    stored.write_text("\n".join(lines), encoding="utf-8")

    async def scenario() -> None:
        client = make_client("replay:abc", {}, cwd=tmp_path, find_session=lambda _: stored)
        first, second = await receive(client), await receive(client)
        assert [block.data for block in first.blocks] == [text, call]
        assert (first.stop_reason, first.usage["output_tokens"]) == ("tool_use", 9)
        assert [block.data for block in second.blocks] == [done]
        with pytest.raises(ModelError):
            await receive(client)
        assert await client.count_tokens(b"{}") is None
        assert await client.refresh_credentials() is False
        await client.aclose()

    asyncio.run(scenario())


def test_a_session_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="replay"):
        make_client("replay:abc", {}, cwd=tmp_path)
    absent = tmp_path / "absent.jsonl"
    with pytest.raises(ConfigError, match="cannot be read"):
        make_client("replay:abc", {}, cwd=tmp_path, find_session=lambda _: absent)
