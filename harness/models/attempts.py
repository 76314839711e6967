"""One model response, whatever it takes: retries, fallback models, partial answers."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import NamedTuple

from hames.harness.models.accumulate import Accumulator, Block, clean
from hames.harness.models.categories import category, status_of
from hames.harness.models.port import ModelClient, ModelFailure, ModelRequest, TransportError
from hames.harness.models.repeats import RepeatFilter
from hames.harness.models.retry import RetryBudget, RetryPolicy, Tries, Verdict, judge
from hames.system.types import JsonObject


class Attempt(NamedTuple):
    """A request goes out. Partial text shown before is void; `received` fills while it streams."""

    number: int
    model: str
    received: Accumulator


class Event(NamedTuple):
    """One raw stream event, and the content block that it completed."""

    data: JsonObject
    block: Block | None


class Retrying(NamedTuple):
    """A failure will be retried after `delay_ms`. `max_retries` is 0 when there is no limit."""

    attempt: int
    max_retries: int
    delay_ms: int
    error_status: int | None
    error: str
    message: str


class Fallback(NamedTuple):
    """The next attempts use `model`; `reason` is the category of the failure."""

    model: str
    reason: str
    message: str


class Cut(NamedTuple):
    """The response broke off after complete blocks, which are kept."""

    note: str


class Completed(NamedTuple):
    """The response as far as it counts; `model` is the one that was asked."""

    received: Accumulator
    model: str


Item = Attempt | Event | Retrying | Fallback | Cut | Completed


async def stream_with_retries(
    client: ModelClient,
    build: Callable[[str], ModelRequest],
    policy: RetryPolicy,
    budget: RetryBudget,
    models: Sequence[str],
) -> AsyncGenerator[Item, None]:
    """Ask `models[0]`, later ones only after overload or server errors; ends with Completed.

    `build` makes the request for a model. Raises the last ModelFailure when nothing helps.
    Leave it early only through `contextlib.aclosing`: that gives the connection up at once.
    """
    tries, number, rest = Tries(), 0, list(models)
    while True:
        number += 1
        received, seen, failure = Accumulator(), budget.spent, None
        yield Attempt(number, rest[0], received)
        try:
            async with aclosing(_events(client, build(rest[0]), received)) as events:
                async for event in events:
                    yield event
        except ModelFailure as error:
            failure = error
        if failure is None:
            break
        verdict = judge(failure, policy, tries, received, seen=seen, other_models=len(rest) > 1)
        tries = verdict.tries
        if verdict.action == "cut":
            yield Cut(f"The response broke off and may be incomplete ({failure}).")
        if verdict.action in ("cut", "ignore"):
            break
        if verdict.action == "fallback":
            del rest[0]
            tries = Tries()
            budget.reset()
            yield Fallback(rest[0], category(failure), str(failure))
            continue
        retrying = await _next_try(failure, verdict, client, policy, budget=budget, seen=seen)
        yield retrying
        await asyncio.sleep(retrying.delay_ms / 1000)
    budget.reset()
    yield Completed(received, rest[0])


async def _events(
    client: ModelClient, request: ModelRequest, received: Accumulator
) -> AsyncGenerator[Event, None]:
    stream = await client.open(request)
    repeats = RepeatFilter()
    try:
        async for event in stream:
            if repeats.is_repeat(event):
                continue
            yield Event(clean(event), received.feed(event))
            if received.stopped:
                break
    finally:
        await stream.aclose()
    if not received.finished:
        raise TransportError("reset", "the response ended before it was complete")


async def _next_try(
    failure: ModelFailure,
    verdict: Verdict,
    client: ModelClient,
    policy: RetryPolicy,
    *,
    budget: RetryBudget,
    seen: int,
) -> Retrying:
    """What to announce before asking again. Raises `failure` when it is final."""
    attempt, delay = verdict.tries.total, verdict.delay
    if verdict.action == "fail" or (
        verdict.action == "refresh" and not await client.refresh_credentials()
    ):
        budget.reset()
        raise failure
    if verdict.action == "backoff":
        attempt = max(attempt, budget.spend(seen))
        delay = policy.delay(failure, max(verdict.tries.budget, budget.spent))
    limit = policy.limit(failure)
    return Retrying(
        attempt=attempt,
        max_retries=limit or 0,
        delay_ms=round(delay * 1000),
        error_status=status_of(failure),
        error=category(failure),
        message=str(failure),
    )
