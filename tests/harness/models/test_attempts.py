"""The whole way from a request to an answer, through failures of every kind."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hames.harness.models.attempts import (
    Attempt,
    Completed,
    Cut,
    Event,
    Fallback,
    Item,
    Retrying,
    stream_with_retries,
)
from hames.harness.models.factory import make_client
from hames.harness.models.port import ApiError, ModelFailure, ModelRequest, TransportError
from hames.harness.models.retry import RetryBudget, RetryPolicy
from support.fake_api import (
    FakeApi,
    Gate,
    Reply,
    cut,
    duplicate_events,
    error,
    garbage,
    held,
    overloaded,
    short,
    stall,
    stream_error,
    thinking,
    tool_use,
    turn,
    wrong_content_type,
)
from support.model_requests import MODEL, api_env, model_request, request_body

T = TypeVar("T")

POLICY = RetryPolicy(scale=0.0001, jitter=0, idle=0.1)
OTHER = "claude-opus-5"
SUMMARIZED = {"type": "adaptive", "display": "summarized"}
TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}}]


def build(model: str) -> ModelRequest:
    return model_request(
        model,
        body=request_body(model=model, tools=TOOLS, thinking=SUMMARIZED),
        idle=POLICY.idle,
    )


class Run:
    """What came out of one request; `failure` when it failed for good."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.failure: ModelFailure | None = None

    def of(self, kind: type[T]) -> list[T]:
        return [item for item in self.items if isinstance(item, kind)]

    @property
    def retries(self) -> list[Retrying]:
        return self.of(Retrying)

    @property
    def blocks(self) -> list[dict[str, Any]]:
        return [block.data for block in self.of(Completed)[0].received.blocks]


async def run(
    api: FakeApi,
    policy: RetryPolicy = POLICY,
    models: Sequence[str] = (MODEL,),
    budget: RetryBudget | None = None,
) -> Run:
    found = Run()
    client = make_client(MODEL, api_env(api.url), cwd=Path())
    async with aclosing(client):
        items = stream_with_retries(client, build, policy, budget or RetryBudget(), models)
        try:
            async with aclosing(items):
                async for item in items:
                    found.items.append(item)
        except ModelFailure as failure:
            found.failure = failure
    return found


def played(*replies: Reply, policy: RetryPolicy = POLICY, models: Sequence[str] = (MODEL,)) -> Run:
    """One request against an API that gives these answers and no others."""

    async def scenario() -> Run:
        async with FakeApi() as api:
            api.reply(*replies)
            found = await run(api, policy, models)
            assert (api.left, api.refusals) == (0, [])
            return found

    return asyncio.run(scenario())


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def test_a_good_answer_is_one_attempt_its_events_and_its_end() -> None:
    found = played(turn("hello"))
    assert [type(item) for item in found.items] == [Attempt, *[Event] * 7, Completed]
    assert [event.data["type"] for event in found.of(Event)] == [
        "message_start",
        "ping",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert found.blocks == [text("hello")]


def test_nine_overloads_are_waited_out() -> None:
    found = played(*[overloaded()] * 9, turn("at last"))
    assert found.blocks == [text("at last")]
    assert [(r.attempt, r.max_retries, r.error_status, r.error) for r in found.retries] == [
        (number, 10, 529, "overloaded") for number in range(1, 10)
    ]


def test_overload_for_ever_ends_after_the_budget() -> None:
    found = played(*[overloaded()] * 11)
    assert isinstance(found.failure, ApiError) and found.failure.status == 529
    assert len(found.retries) == 10


@pytest.mark.parametrize("seconds", [1, 60, 3600])
def test_retry_after_is_honoured(seconds: int) -> None:
    found = played(error(429, "rate_limit_error", "slow down", seconds), turn("ok"))
    (retrying,) = found.retries
    assert retrying.delay_ms == round(seconds * 1000 * POLICY.scale)
    assert (retrying.error, retrying.error_status) == ("rate_limit", 429)


def test_a_spend_cap_is_final() -> None:
    found = played(error(429, "rate_limit_error", "You have reached your usage limits"))
    assert isinstance(found.failure, ApiError)
    assert found.retries == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (402, "billing_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
    ],
)
def test_what_cannot_get_better_is_not_repeated(status: int, kind: str) -> None:
    found = played(error(status, kind, "no"))
    assert isinstance(found.failure, ApiError) and found.failure.status == status
    assert found.retries == []


def test_a_refused_key_is_asked_for_once_more_only_if_it_can_change() -> None:
    found = played(error(401, "authentication_error", "invalid x-api-key"))
    assert isinstance(found.failure, ApiError) and found.failure.status == 401


@pytest.mark.parametrize("place", [n / 20 for n in range(20)])
def test_a_cut_anywhere_gives_the_whole_answer_or_what_was_complete(place: float) -> None:
    reply = turn("first block of text", tool_use("Bash", {"command": "make test"}, id="toolu_1"))
    whole = [dict(block) for block in reply.blocks]

    async def scenario() -> tuple[Run, int]:
        async with FakeApi() as api:
            api.reply(cut(reply, at=place), reply)
            return await run(api), api.left

    found, left = asyncio.run(scenario())
    if found.of(Cut):
        assert left == 1, "what was complete is kept, so nothing is asked again"
        assert found.blocks == whole[: len(found.blocks)] and found.blocks
    else:
        assert found.blocks == whole
        assert len(found.retries) == 1 - left


def test_a_drop_before_any_complete_block_is_asked_again_even_in_mid_text() -> None:
    found = played(cut(turn("one two three four five six"), at=4), turn("whole"))
    assert found.blocks == [text("whole")]
    assert [attempt.number for attempt in found.of(Attempt)] == [1, 2]
    assert not found.of(Cut)


def test_a_drop_after_thinking_is_asked_again_twice_quickly_then_fails() -> None:
    dropped = cut(turn(thinking("hm", "sig"), "answer"), at=6)
    found = played(dropped, dropped, dropped)
    assert isinstance(found.failure, TransportError)
    assert [r.attempt for r in found.retries] == [1, 2]
    found = played(dropped, dropped, turn("answer"))
    assert found.blocks == [text("answer")]


def test_a_drop_in_text_after_thinking_keeps_the_thinking() -> None:
    found = played(cut(turn(thinking("hm", "sig"), "a long answer"), at=7))
    assert [block["type"] for block in found.blocks] == ["thinking"]
    assert found.of(Cut) and not found.retries


def test_a_drop_after_a_complete_call_keeps_it() -> None:
    call = tool_use("Bash", {"command": "ls"}, id="toolu_1")
    found = played(cut(turn("I look.", call, "more"), at=10))
    assert found.blocks == [text("I look."), call]
    received = found.of(Completed)[0].received
    assert (received.stop_reason, received.finished) == (None, False)


def test_a_failure_after_the_message_is_ignored() -> None:
    found = played(cut(turn("hello"), at=6))
    assert found.blocks == [text("hello")]
    assert not found.of(Cut) and not found.retries


def test_a_stall_is_retried_once_and_not_from_the_budget() -> None:
    policy = POLICY._replace(max_retries=0)
    assert played(stall(at=2), turn("ok"), policy=policy).blocks == [text("ok")]
    found = played(stall(at=2), stall(at=2), policy=policy)
    assert isinstance(found.failure, TransportError) and found.failure.reason == "idle"


@pytest.mark.parametrize("reply", [garbage(), wrong_content_type()], ids=["bytes", "type"])
def test_garbage_is_asked_again_twice(reply: Reply) -> None:
    assert played(reply, reply, turn("ok")).blocks == [text("ok")]
    found = played(reply, reply, reply)
    assert isinstance(found.failure, TransportError) and found.failure.reason == "garbage"


def test_an_error_event_before_any_block_is_an_overload_like_any_other() -> None:
    found = played(stream_error(after=2), turn("ok"))
    assert [(r.error, r.error_status) for r in found.retries] == [("overloaded", None)]
    assert found.blocks == [text("ok")]


def test_an_error_event_after_a_complete_block_keeps_it() -> None:
    found = played(stream_error(turn("kept", "lost"), after=5))
    assert (found.blocks, len(found.of(Cut))) == ([text("kept")], 1)


def test_a_body_that_ends_early_counts_as_a_drop() -> None:
    assert played(short(at=2), turn("ok")).blocks == [text("ok")]


def test_events_that_arrive_twice_count_once() -> None:
    call = tool_use("Bash", {"command": "echo ha ha"}, id="toolu_1")
    found = played(duplicate_events(turn("ha ha ha", call)))
    assert found.blocks == [text("ha ha ha"), call]
    assert sum(event.data["type"] == "message_start" for event in found.of(Event)) == 1


def test_another_model_takes_over_after_repeated_overload() -> None:
    found = played(*[overloaded()] * 4, turn("from opus"), models=(MODEL, OTHER))
    assert [(f.model, f.reason) for f in found.of(Fallback)] == [(OTHER, "overloaded")]
    assert [a.model for a in found.of(Attempt)] == [*[MODEL] * 4, OTHER]
    assert found.of(Completed)[0].model == OTHER


def test_another_model_takes_over_at_once_when_the_first_is_not_there() -> None:
    missing = error(404, "not_found_error", "model: gone")
    found = played(missing, turn("ok"), models=(MODEL, OTHER))
    assert [f.reason for f in found.of(Fallback)] == ["model_not_found"]


@pytest.mark.parametrize(
    "reply",
    [
        error(400, "invalid_request_error", "no"),
        error(401, "authentication_error", "no"),
        error(402, "billing_error", "no"),
        error(413, "request_too_large", "no"),
    ],
)
def test_another_model_does_not_help_against_these(reply: Reply) -> None:
    found = played(reply, models=(MODEL, OTHER))
    assert found.failure is not None and not found.of(Fallback)


def test_the_last_model_has_the_whole_budget() -> None:
    found = played(*[overloaded()] * (4 + 11), models=(MODEL, OTHER))
    assert isinstance(found.failure, ApiError)


def test_agents_in_one_outage_back_off_together() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: overloaded()) as api:
            budget = RetryBudget()
            runs = await asyncio.gather(*(run(api, budget=budget) for _ in range(8)))
            assert all(found.failure is not None for found in runs)
            assert len(api.calls) <= 8 * 11

    asyncio.run(scenario())


def test_one_lost_moment_of_eight_agents_costs_none_of_them_the_answer() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api:
            api.reply(*[overloaded()] * 40)
            budget = RetryBudget()
            runs = await asyncio.gather(*(run(api, budget=budget) for _ in range(8)))
            assert [found.blocks for found in runs] == [[text("ok")]] * 8

    asyncio.run(scenario())


def test_a_wait_ends_when_the_task_is_cancelled() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(error(429, "rate_limit_error", "slow", 3600))
            waiting = asyncio.create_task(run(api, RetryPolicy()))
            await api.wait_for_requests(1)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    asyncio.run(asyncio.wait_for(scenario(), 10))


def test_complete_blocks_of_a_cancelled_answer_can_be_read() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            gate = Gate()
            api.reply(held(turn("kept", "unfinished"), gate=gate, at=6))
            seen: list[Item] = []
            client = make_client(MODEL, api_env(api.url), cwd=Path())

            async def consume() -> None:
                items = stream_with_retries(client, build, RetryPolicy(), RetryBudget(), [MODEL])
                async with aclosing(items):
                    async for item in items:
                        seen.append(item)

            task = asyncio.create_task(consume())
            await asyncio.wrap_future(gate.reached)
            while not any(isinstance(i, Event) and i.data.get("index") == 1 for i in seen):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            first = seen[0]
            assert isinstance(first, Attempt)
            assert [block.data for block in first.received.blocks] == [text("kept")]
            gate.release()
            await client.aclose()

    asyncio.run(asyncio.wait_for(scenario(), 10))
