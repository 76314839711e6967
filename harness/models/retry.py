"""When to ask again after a failure: pure decisions over what has been completed so far."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from hames.harness.models.accumulate import Accumulator
from hames.harness.models.categories import (
    allows_other_model,
    is_overload,
    is_retryable,
)
from hames.harness.models.port import ApiError, ModelFailure, TransportError
from hames.harness.models.variables import is_on, whole_number

MAX_RETRIES_CAP = 15
UNATTENDED_RETRIES = 300
UNATTENDED_DELAY = 300.0
"""Seconds between two requests of an unattended run, at most."""
FIRST_DELAY = 1.0
LONGEST_DELAY = 32.0
QUICK_DELAY = 0.25
QUICK_REISSUES = 2
GARBAGE_RETRIES = 2
TRIES_BEFORE_FALLBACK = 3
IDLE_FLOOR_MS = 300_000


class RetryPolicy(NamedTuple):
    """Limits of one run; seconds. `scale` multiplies every wait, `jitter` is its random share."""

    max_retries: int = 10
    unattended: bool = False
    timeout: float = 600.0
    idle: float = 300.0
    scale: float = 1.0
    jitter: float = 0.25

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "RetryPolicy":
        """From CLAUDE_CODE_MAX_RETRIES, CLAUDE_CODE_RETRY_WATCHDOG, API_TIMEOUT_MS ..."""
        retries = whole_number(env, "CLAUDE_CODE_MAX_RETRIES")
        timeout = whole_number(env, "API_TIMEOUT_MS")
        idle = whole_number(env, "CLAUDE_STREAM_IDLE_TIMEOUT_MS") or 0
        exact = whole_number(env, "HAMES_STREAM_IDLE_TIMEOUT_MS")
        return cls(
            max_retries=min(10 if retries is None else retries, MAX_RETRIES_CAP),
            unattended=is_on(env, "CLAUDE_CODE_RETRY_WATCHDOG"),
            timeout=timeout / 1000 if timeout else 600.0,
            idle=(exact or max(idle, IDLE_FLOOR_MS)) / 1000,
            scale=_scale(env.get("HAMES_RETRY_SCALE", "")),
        )

    def limit(self, failure: ModelFailure) -> int | None:
        """How many retries this failure may use; None: without end."""
        if isinstance(failure, TransportError) and failure.reason == "garbage":
            return min(self.max_retries, GARBAGE_RETRIES)
        if not self.unattended:
            return self.max_retries
        return None if is_overload(failure) else UNATTENDED_RETRIES

    def delay(self, failure: ModelFailure, attempt: int) -> float:
        """Seconds to wait before retry number `attempt` (from 1), scaled and with jitter."""
        longest = UNATTENDED_DELAY if self.unattended else LONGEST_DELAY
        wait = min(FIRST_DELAY * 2.0 ** min(attempt - 1, 20), longest)
        if isinstance(failure, ApiError) and failure.retry_after is not None:
            wait = max(failure.retry_after, FIRST_DELAY)
        spread = min(wait, LONGEST_DELAY) * self.jitter * random.random()
        return (wait + spread) * self.scale


def _scale(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 1.0
    return value if 0 <= value <= 1000 else 1.0


@dataclass(slots=True)
class RetryBudget:
    """Retries since the last answer, shared by the requests of one turn and its subagents.

    Requests that fail together count once: a failure spends only if nobody has spent since its
    request was sent. So eight agents in one outage back off like one.
    """

    spent: int = 0

    def spend(self, seen: int) -> int:
        """The number of the retry after a request that was sent when `seen` were spent."""
        if seen >= self.spent:
            self.spent += 1
        return self.spent

    def reset(self) -> None:
        """An answer arrived, or a request was given up: the next failure starts from one."""
        self.spent = 0


class Tries(NamedTuple):
    """What one request has used up so far with its present model."""

    budget: int = 0
    quick: int = 0
    stalls: int = 0
    refreshes: int = 0

    @property
    def total(self) -> int:
        """All repetitions, of whatever cause."""
        return self.budget + self.quick + self.stalls + self.refreshes


Action = Literal["backoff", "again", "refresh", "fallback", "cut", "ignore", "fail"]
"""`backoff` spends from the budget; `again` asks once more outside it, after `Verdict.delay`."""


class Verdict(NamedTuple):
    """What follows a failure; `tries` is the count after it, `delay` seconds."""

    action: Action
    tries: Tries
    delay: float = 0.0


def judge(
    failure: ModelFailure,
    policy: RetryPolicy,
    tries: Tries,
    received: Accumulator,
    *,
    seen: int = 0,
    other_models: bool = False,
) -> Verdict:
    """Decide after `failure`. `seen` is what the shared budget had spent before this request."""
    if received.finished:
        return Verdict("ignore", tries)
    if received.answering:
        return Verdict("cut", tries)
    if isinstance(failure, TransportError) and failure.reason == "idle":
        return _after_stall(failure, policy, tries)
    if received.blocks:
        return _after_thinking(failure, policy, tries)
    if isinstance(failure, ApiError) and failure.kind == "authentication_error":
        counted = tries._replace(refreshes=tries.refreshes + 1)
        return Verdict("fail" if tries.refreshes else "refresh", counted)
    if other_models and _moves_on(failure, tries):
        return Verdict("fallback", tries)
    limit = policy.limit(failure)
    if not is_retryable(failure) or (limit is not None and max(tries.budget, seen) >= limit):
        return Verdict("fail", tries)
    return Verdict("backoff", tries._replace(budget=tries.budget + 1))


def _after_stall(failure: ModelFailure, policy: RetryPolicy, tries: Tries) -> Verdict:
    if tries.stalls:
        return Verdict("fail", tries)
    return Verdict("again", tries._replace(stalls=1), policy.delay(failure, 1))


def _after_thinking(failure: ModelFailure, policy: RetryPolicy, tries: Tries) -> Verdict:
    if tries.quick >= QUICK_REISSUES or not is_retryable(failure):
        return Verdict("fail", tries)
    return Verdict("again", tries._replace(quick=tries.quick + 1), QUICK_DELAY * policy.scale)


def _moves_on(failure: ModelFailure, tries: Tries) -> bool:
    if not allows_other_model(failure):
        return False
    return not is_retryable(failure) or tries.budget >= TRIES_BEFORE_FALLBACK
