"""The server speaks the protocol, keeps what it saw, and breaks answers as it is told."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from support import plain_http
from support.fake_api import (
    FakeApi,
    Gate,
    Turn,
    closed,
    cut,
    duplicate_events,
    error,
    fragmented,
    garbage,
    held,
    html_error,
    overloaded,
    redacted_thinking,
    running_fake_api,
    short,
    slow,
    stall,
    stream_error,
    text,
    thinking,
    tool_use,
    truncated_tool_json,
    turn,
    wrong_content_type,
)
from support.plain_http import PlainAnswer, post_message

TOOL = {"name": "Bash", "input_schema": {"type": "object"}}


def body(**fields: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": "Hello"}]
    base = {"model": "claude-opus-5-5", "max_tokens": 1000, "stream": True, "tools": [TOOL]}
    return {**base, "messages": messages, **fields}


def with_api(test: Callable[[FakeApi], Awaitable[Any]], **options: Any) -> Any:
    async def main() -> Any:
        async with FakeApi(**options) as api:
            return await test(api)

    return asyncio.run(main())


def answer_to(reply: Any, **fields: Any) -> PlainAnswer:
    async def test(api: FakeApi) -> PlainAnswer:
        api.reply(reply)
        return await post_message(api.url, body(**fields))

    found: PlainAnswer = with_api(test)
    return found


def rebuilt(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The blocks that a client makes of the events."""
    blocks: list[dict[str, Any]] = []
    partial: dict[int, str] = {}
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append(dict(event["content_block"]))
        elif event["type"] == "content_block_delta":
            index, delta = event["index"], event["delta"]
            match delta["type"]:
                case "text_delta":
                    blocks[index]["text"] += delta["text"]
                case "thinking_delta":
                    blocks[index]["thinking"] += delta["thinking"]
                case "signature_delta":
                    blocks[index]["signature"] += delta["signature"]
                case "input_json_delta":
                    partial[index] = partial.get(index, "") + delta["partial_json"]
    for index, value in partial.items():
        blocks[index]["input"] = json.loads(value or "{}")
    return blocks


def test_a_stream_has_the_events_of_the_api_in_order() -> None:
    answer = answer_to(
        turn(thinking("Hm."), "Héllo", tool_use("Bash", {"command": "ls"}, "toolu_1"))
    )
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["request-id"].startswith("req_")
    kinds = [(e["type"], e.get("delta", {}).get("type")) for e in answer.events]
    assert kinds == [
        ("message_start", None),
        ("ping", None),
        ("content_block_start", None),
        ("content_block_delta", "thinking_delta"),
        ("content_block_delta", "signature_delta"),
        ("content_block_stop", None),
        ("content_block_start", None),
        ("content_block_delta", "text_delta"),
        ("content_block_stop", None),
        ("content_block_start", None),
        ("content_block_delta", "input_json_delta"),
        ("content_block_delta", "input_json_delta"),
        ("content_block_stop", None),
        ("message_delta", None),
        ("message_stop", None),
    ]
    assert answer.events[-2]["delta"]["stop_reason"] == "tool_use"
    blocks = rebuilt(answer.events)
    assert blocks[1:] == [
        {"type": "text", "text": "Héllo"},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}},
    ]


def test_without_stream_the_answer_is_one_message() -> None:
    answer = answer_to(turn("Hi"), stream=False).json
    assert answer["content"] == [{"type": "text", "text": "Hi"}]
    assert answer["stop_reason"] == "end_turn"
    assert answer["id"].startswith("msg_01")
    assert answer["usage"]["output_tokens"] > 0


def test_signed_thinking_is_taken_back() -> None:
    async def test(api: FakeApi) -> None:
        calls = [tool_use("Bash"), tool_use("Bash")]
        api.reply(
            turn(thinking("One"), redacted_thinking(), "x", thinking("Two"), *calls), turn("Done")
        )
        sent = body()
        first = await post_message(api.url, sent)
        results = [{"type": "tool_result", "tool_use_id": c["id"], "content": "ok"} for c in calls]
        messages = [
            *sent["messages"],
            {"role": "assistant", "content": rebuilt(first.events)},
            {"role": "user", "content": results},
        ]
        second = await post_message(api.url, {**sent, "messages": messages})
        assert second.status == 200, second.body
        assert api.refusals == []

    with_api(test)


def test_a_refused_request_takes_no_reply() -> None:
    async def test(api: FakeApi) -> None:
        api.reply(turn("Hi"))
        refused = await post_message(api.url, body(temperature=1))
        assert refused.status == 400
        assert refused.json["error"]["type"] == "invalid_request_error"
        assert (api.left, len(api.refusals)) == (1, 1)
        assert (await post_message(api.url, body())).status == 200

    with_api(test)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "k"}, 400),
        ({"x-api-key": "k", "anthropic-version": "2023-06-01"}, 200),
        ({"authorization": "Bearer t", "anthropic-version": "2026-10-21"}, 200),
    ],
)
def test_a_key_and_a_version_are_needed(headers: dict[str, str], status: int) -> None:
    async def test(api: FakeApi) -> int:
        api.reply(turn("Hi"))
        raw = json.dumps(body()).encode()
        return (await plain_http.request(api.url, "POST", "/v1/messages", headers, raw)).status

    assert with_api(test) == status


def test_requests_are_kept_as_they_came() -> None:
    async def test(api: FakeApi) -> None:
        api.reply(turn("Hi"))
        sent = body()
        await post_message(api.url, sent, {"anthropic-beta": "a-1, b-2"})
        (request,) = api.calls
        assert request.raw == json.dumps(sent).encode()
        assert request.body == sent
        assert request.headers["x-api-key"] == "k"
        assert request.betas == {"a-1", "b-2"}
        assert (request.status, request.finished, request.last_text) == (200, True, "Hello")
        times = (request.first_byte, request.last_byte, request.answer_first, request.answer_last)
        assert list(times) == sorted(times)

    with_api(test)


def test_a_request_without_a_reply_is_a_clear_error() -> None:
    async def test(api: FakeApi) -> PlainAnswer:
        return await post_message(api.url, body())

    answer: PlainAnswer = with_api(test)
    assert (answer.status, answer.json["error"]["message"]) == (400, "fake API: no reply is queued")


def test_routes_come_before_the_queue_and_the_script_after() -> None:
    async def test(api: FakeApi) -> list[str]:
        api.script(lambda request: turn(f"script saw {request.last_text}"))
        api.when(lambda request: "haiku" in request.model, turn("route"))
        api.reply(turn("queue"))
        said = []
        for model in ("claude-haiku-5-5", "claude-opus-5-5", "claude-opus-5-5"):
            answer = await post_message(api.url, body(model=model))
            said.append(rebuilt(answer.events)[0]["text"])
        return said

    assert with_api(test) == ["route", "queue", "script saw Hello"]


def test_errors_have_the_shape_of_the_api() -> None:
    answer = answer_to(error(429, "rate_limit_error", "Slow down", retry_after=1.5))
    assert (answer.status, answer.headers["retry-after"]) == (429, "1.5")
    assert answer.json["error"] == {"type": "rate_limit_error", "message": "Slow down"}
    assert answer.json["request_id"] == answer.headers["request-id"]
    assert answer_to(overloaded()).status == 529
    page = answer_to(html_error())
    assert (page.status, page.headers["content-type"], page.body[:6]) == (
        502,
        "text/html",
        b"<html>",
    )


WHOLE = turn("A text of some length, so that it has a middle.")


@pytest.mark.parametrize(
    ("reply", "broken"), [(cut(WHOLE, at=0.5), "reset"), (closed(WHOLE, at=0.5), "closed")]
)
def test_a_broken_connection_comes_after_the_bytes_asked_for(reply: Turn, broken: str) -> None:
    answer = answer_to(reply)
    assert answer.broken == broken
    assert 0.4 < len(answer.body) / len(answer_to(WHOLE).body) < 0.6


def test_a_short_body_ends_properly() -> None:
    answer = answer_to(short(WHOLE, at=3))
    assert answer.broken is None
    assert [e["type"] for e in answer.events] == ["message_start", "ping", "content_block_start"]


def test_an_error_event_ends_the_stream() -> None:
    answer = answer_to(stream_error(WHOLE, after=4, type="api_error", message="Oops"))
    assert len(answer.events) == 5
    assert answer.events[-1] == {"type": "error", "error": {"type": "api_error", "message": "Oops"}}


def test_a_stalled_stream_stays_silent_until_the_client_goes() -> None:
    async def test(api: FakeApi) -> None:
        api.reply(stall(WHOLE, at=2))
        task = asyncio.create_task(post_message(api.url, body()))
        await api.wait_for_requests(1)
        done, _ = await asyncio.wait({task}, timeout=0.1)
        assert not done
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert not api.calls[0].finished

    with_api(test)


@pytest.mark.parametrize("at", [0, 3, 0.5])
def test_a_held_stream_waits_for_the_test(at: float) -> None:
    async def test(api: FakeApi) -> None:
        gate = Gate()
        api.reply(held(WHOLE, gate=gate, at=at))
        task = asyncio.create_task(post_message(api.url, body()))
        await asyncio.wait_for(asyncio.wrap_future(gate.reached), 5)
        assert not task.done()
        gate.release()
        answer = await task
        assert rebuilt(answer.events) == [text("A text of some length, so that it has a middle.")]

    with_api(test)


def test_garbage_and_foreign_types_are_sent_as_asked() -> None:
    assert b"nonsense" in answer_to(garbage()).body
    assert answer_to(wrong_content_type()).headers["content-type"] == "text/html"


def test_events_can_be_doubled_split_and_slow() -> None:
    plain = answer_to(WHOLE).events
    assert len(answer_to(duplicate_events(WHOLE)).events) == 2 * len(plain)
    assert rebuilt(answer_to(fragmented(WHOLE, size=1)).events) == rebuilt(plain)
    started = time.monotonic()
    answer_to(slow(WHOLE, delay=0.01))
    assert time.monotonic() - started >= 0.01 * (len(plain) - 1)


def test_a_cut_call_ends_in_broken_json() -> None:
    answer = answer_to(truncated_tool_json(partial='{"command": "ls'))
    pieces = [
        e["delta"]["partial_json"]
        for e in answer.events
        if e.get("delta", {}).get("type") == "input_json_delta"
    ]
    assert "".join(pieces) == '{"command": "ls'
    assert answer.events[-2]["delta"]["stop_reason"] == "max_tokens"


def test_usage_follows_the_marks() -> None:
    async def test(api: FakeApi) -> list[tuple[int, int]]:
        api.script(lambda _: turn("Hi"))
        mark = {"type": "ephemeral"}
        system = [{"type": "text", "text": "x" * 8000, "cache_control": mark}]
        seen = []
        for number in range(3):
            question = {"type": "text", "text": f"Question {number}"}
            messages = [{"role": "user", "content": [question]}]
            answer = await post_message(api.url, body(system=system, messages=messages))
            usage = answer.events[0]["message"]["usage"]
            seen.append((usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]))
            assert usage["input_tokens"] > 0
        return seen

    (created, nothing), *later = with_api(test)
    assert created > 2000
    assert nothing == 0
    assert later == [(0, created), (0, created)]


def test_a_history_over_the_window_is_too_long() -> None:
    async def test(api: FakeApi) -> str:
        api.reply(turn("Hi"))
        long = [{"role": "user", "content": "x" * 8000}]
        answer = await post_message(api.url, body(messages=long))
        return str(answer.json["error"]["message"])

    message = with_api(test, window=1000)
    assert message.startswith("prompt is too long: ")
    assert message.endswith("> 1000 maximum")


def test_tokens_are_counted_and_models_listed() -> None:
    async def test(api: FakeApi) -> tuple[Any, Any, int]:
        headers = {"x-api-key": "k", "anthropic-version": "2026-10-21"}
        counted = {"model": "claude-opus-5-5", "messages": body()["messages"]}
        raw = json.dumps(counted).encode()
        path = "/v1/messages/count_tokens"
        count = await plain_http.request(api.url, "POST", path, headers, raw)
        models = await plain_http.request(api.url, "GET", "/v1/models", headers)
        unknown = await plain_http.request(api.url, "GET", "/v1/models/gpt", headers)
        return count.json, models.json, unknown.status

    count, models, unknown = with_api(test)
    assert count["input_tokens"] > 0
    assert "claude-opus-5-5" in [model["id"] for model in models["data"]]
    assert unknown == 404


def test_dropped_thinking_is_reported() -> None:
    async def test(api: FakeApi) -> list[Any]:
        api.reply(turn(thinking("Hm."), "Hi"), turn("Done"))
        first = await post_message(api.url, body())
        messages = [
            {"role": "user", "content": "Hello, edited"},
            {"role": "assistant", "content": rebuilt(first.events)},
            {"role": "user", "content": "Go on"},
        ]
        binding = {"prefix_mismatch_behavior": "drop_block"}
        config = {"type": "adaptive", "block_binding": binding}
        answer = await post_message(
            api.url,
            body(messages=messages, thinking=config),
            {"anthropic-beta": "thinking-binding-controls-2026-08-01"},
        )
        return list(answer.events[0]["message"]["input_transformations"])

    assert with_api(test) == [
        {
            "type": "thinking_dropped",
            "path": "messages.1.content.0",
            "reason": "prefix_binding_mismatch",
        }
    ]


def test_it_runs_in_a_thread_for_programs() -> None:
    with running_fake_api() as api:
        gate = Gate()
        api.reply(held(WHOLE, gate=gate))

        async def client() -> PlainAnswer:
            return await post_message(api.url, body())

        async def main() -> PlainAnswer:
            task = asyncio.create_task(client())
            await asyncio.to_thread(api.wait_for_requests, 1)
            await asyncio.to_thread(gate.wait_reached)
            gate.release()
            return await task

        assert asyncio.run(main()).status == 200
        assert [request.path for request in api.calls] == ["/v1/messages"]
