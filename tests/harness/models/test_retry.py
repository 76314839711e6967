"""The decisions after a failure, as tables."""

from typing import Any

import pytest

from hames.harness.models import categories
from hames.harness.models.accumulate import Accumulator
from hames.harness.models.port import ApiError, ModelFailure, TransportError
from hames.harness.models.retry import RetryBudget, RetryPolicy, Tries, Verdict, judge

NOTHING = Accumulator()
POLICY = RetryPolicy(jitter=0)


def api(status: int | None, kind: str = "", message: str = "", **more: Any) -> ApiError:
    named = kind or categories.kind_of_status(status or 500)
    return ApiError(status, named, message, in_stream=status is None, **more)


def transport(reason: str) -> TransportError:
    return TransportError(reason, reason)


def after_thinking() -> Accumulator:
    received = Accumulator()
    for event in (
        {"type": "message_start", "message": {"id": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
        {"type": "content_block_stop", "index": 0},
    ):
        received.feed(event)
    return received


@pytest.mark.parametrize(
    ("failure", "error", "retryable"),
    [
        (api(400), "invalid_request", False),
        (api(400, message="Your credit balance is too low"), "billing_error", False),
        (api(400, message="You have reached your spend limit"), "billing_error", False),
        (api(401), "authentication_failed", False),
        (api(402), "billing_error", False),
        (api(403), "authentication_failed", False),
        (
            api(403, message="OAuth authentication is not allowed for this organization"),
            "oauth_org_not_allowed",
            False,
        ),
        (api(404), "model_not_found", False),
        (api(408), "server_error", True),
        (api(409), "server_error", True),
        (api(413), "invalid_request", False),
        (api(418), "invalid_request", False),
        (api(429, retry_after=1.0), "rate_limit", True),
        (api(429, retry_after=3600.0), "rate_limit", True),
        (api(429), "rate_limit", False),
        (api(429, headers={"x-should-retry": "true"}), "rate_limit", True),
        (api(429, message="Monthly spend limit reached", retry_after=9.0), "billing_error", False),
        (api(500), "server_error", True),
        (api(500, headers={"x-should-retry": "false"}), "server_error", False),
        (api(502), "server_error", True),
        (api(503), "overloaded", True),
        (api(504), "server_error", True),
        (api(529), "overloaded", True),
        (api(599, "new_error"), "server_error", True),
        (api(None, "overloaded_error"), "overloaded", True),
        (api(None, "api_error"), "server_error", True),
        (api(None, "rate_limit_error"), "rate_limit", True),
        (api(None, "invalid_request_error"), "invalid_request", False),
        (api(None, "new_error"), "server_error", False),
        (transport("connect"), "unknown", True),
        (transport("reset"), "unknown", True),
        (transport("timeout"), "unknown", True),
        (transport("idle"), "unknown", True),
        (transport("garbage"), "unknown", True),
        (transport("tls"), "unknown", False),
        (transport("proxy"), "unknown", False),
        (ModelFailure("odd"), "unknown", False),
    ],
    ids=str,
)
def test_categories_and_whether_to_try_again(
    failure: ModelFailure, error: str, retryable: bool
) -> None:
    assert (categories.category(failure), categories.is_retryable(failure)) == (error, retryable)


@pytest.mark.parametrize(
    ("failure", "action"),
    [
        (api(529), "backoff"),
        (api(401), "refresh"),
        (api(400), "fail"),
        (transport("reset"), "backoff"),
        (transport("idle"), "again"),
        (transport("tls"), "fail"),
    ],
    ids=str,
)
def test_actions_before_anything_arrived(failure: ModelFailure, action: str) -> None:
    assert judge(failure, POLICY, Tries(), NOTHING).action == action


@pytest.mark.parametrize(
    ("failure", "tries"),
    [
        (api(529), Tries(budget=10)),
        (api(401), Tries(refreshes=1)),
        (transport("idle"), Tries(stalls=1)),
        (transport("garbage"), Tries(budget=2)),
    ],
    ids=str,
)
def test_every_kind_of_repetition_has_an_end(failure: ModelFailure, tries: Tries) -> None:
    assert judge(failure, POLICY, tries, NOTHING).action == "fail"


def test_quick_repetitions_after_thinking_are_counted_apart() -> None:
    received, failure = after_thinking(), transport("reset")
    first = judge(failure, POLICY, Tries(budget=10), received)
    assert first == Verdict("again", Tries(budget=10, quick=1), 0.25)
    assert judge(failure, POLICY, Tries(quick=2), received).action == "fail"
    assert judge(api(None, "invalid_request_error"), POLICY, Tries(), received).action == "fail"


def test_a_shared_budget_that_is_spent_ends_the_retries() -> None:
    assert judge(api(529), POLICY, Tries(), NOTHING, seen=10).action == "fail"


@pytest.mark.parametrize(
    ("failure", "budget", "action"),
    [
        (api(529), 2, "backoff"),
        (api(529), 3, "fallback"),
        (api(404), 0, "fallback"),
        (api(500, headers={"x-should-retry": "false"}), 0, "fallback"),
        (api(429, retry_after=1.0), 3, "backoff"),
        (transport("connect"), 3, "backoff"),
        (api(400), 0, "fail"),
        (api(402), 0, "fail"),
    ],
    ids=str,
)
def test_when_another_model_takes_over(failure: ModelFailure, budget: int, action: str) -> None:
    verdict = judge(failure, POLICY, Tries(budget=budget), NOTHING, other_models=True)
    assert verdict.action == action


def test_delays_double_up_to_a_limit() -> None:
    delays = [POLICY.delay(api(529), attempt) for attempt in range(1, 9)]
    assert delays == [1, 2, 4, 8, 16, 32, 32, 32]
    unattended = POLICY._replace(unattended=True)
    assert unattended.delay(api(529), 50) == 300


@pytest.mark.parametrize(("told", "delay"), [(0.0, 1), (0.2, 1), (7.0, 7), (3600.0, 3600)])
def test_a_told_delay_wins_but_is_never_below_a_second(told: float, delay: float) -> None:
    assert POLICY.delay(api(429, retry_after=told), 9) == delay


def test_jitter_only_lengthens_and_stays_small() -> None:
    policy = RetryPolicy(jitter=0.25)
    for attempt in range(1, 11):
        usual = POLICY.delay(api(529), attempt)
        assert usual <= policy.delay(api(529), attempt) <= usual * 1.25
    assert policy.delay(api(429, retry_after=3600.0), 1) <= 3608


@pytest.mark.parametrize(
    ("env", "policy"),
    [
        ({}, RetryPolicy()),
        ({"CLAUDE_CODE_MAX_RETRIES": "3"}, RetryPolicy(max_retries=3)),
        ({"CLAUDE_CODE_MAX_RETRIES": "0"}, RetryPolicy(max_retries=0)),
        ({"CLAUDE_CODE_MAX_RETRIES": "99"}, RetryPolicy(max_retries=15)),
        ({"CLAUDE_CODE_MAX_RETRIES": "many"}, RetryPolicy()),
        ({"CLAUDE_CODE_MAX_RETRIES": "-1"}, RetryPolicy()),
        ({"CLAUDE_CODE_RETRY_WATCHDOG": "1"}, RetryPolicy(unattended=True)),
        ({"API_TIMEOUT_MS": "1500"}, RetryPolicy(timeout=1.5)),
        ({"API_TIMEOUT_MS": "0"}, RetryPolicy()),
        ({"CLAUDE_STREAM_IDLE_TIMEOUT_MS": "1"}, RetryPolicy(idle=300)),
        ({"CLAUDE_STREAM_IDLE_TIMEOUT_MS": "900000"}, RetryPolicy(idle=900)),
        ({"HAMES_STREAM_IDLE_TIMEOUT_MS": "200"}, RetryPolicy(idle=0.2)),
        ({"HAMES_RETRY_SCALE": "0.01"}, RetryPolicy(scale=0.01)),
        ({"HAMES_RETRY_SCALE": "-1"}, RetryPolicy()),
        ({"HAMES_RETRY_SCALE": "nan"}, RetryPolicy()),
        ({"HAMES_RETRY_SCALE": "fast"}, RetryPolicy()),
    ],
    ids=str,
)
def test_the_policy_comes_from_variables(env: dict[str, str], policy: RetryPolicy) -> None:
    assert RetryPolicy.from_env(env) == policy


@pytest.mark.parametrize(
    ("failure", "limit"),
    [(api(529), None), (api(429, retry_after=1.0), None), (api(500), 300)],
    ids=str,
)
def test_an_unattended_run_waits_out_overload(failure: ModelFailure, limit: int | None) -> None:
    assert POLICY._replace(unattended=True).limit(failure) == limit


def test_an_unattended_run_stops_at_a_spend_limit() -> None:
    unattended = POLICY._replace(unattended=True)
    assert judge(api(429), unattended, Tries(), NOTHING).action == "fail"


def test_failures_together_spend_once() -> None:
    budget = RetryBudget()
    assert [budget.spend(seen=0) for _ in range(8)] == [1] * 8
    assert [budget.spend(seen=1), budget.spend(seen=0)] == [2, 2]
    budget.reset()
    assert budget.spend(seen=2) == 1


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("prompt is too long: 210000 tokens > 200000 maximum", {"too_long"}),
        ("input length exceeds the context window of this model", {"too_long"}),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, "
            "decrease input length or `max_tokens` and try again",
            {"overflow"},
        ),
        (
            "messages.1.content.0: Invalid `signature` in `thinking` block: the block is bound to "
            "a different conversation",
            {"thinking", (1, 0)},
        ),
        (
            "messages.3.content.2.image.source.base64: image exceeds 5 MB maximum",
            {"image", (3, 2)},
        ),
        ("Could not process image", {"image"}),
        ("tools.0.name: invalid", set()),
        ("`tool_use` ids were found without `tool_result` blocks immediately after", set()),
    ],
)
def test_what_a_400_asks_to_repair(message: str, expected: set[Any]) -> None:
    failure = api(400, message=message)
    found: set[Any] = {
        name
        for name, test in (
            ("too_long", categories.is_prompt_too_long),
            ("overflow", categories.output_overflow),
            ("thinking", categories.is_thinking_mismatch),
            ("image", categories.is_unprocessable_image),
        )
        if test(failure)
    }
    block = categories.names_block(failure)
    assert found | ({block} if block else set()) == expected
    assert not categories.is_prompt_too_long(api(500, message=message))


def test_the_numbers_of_an_overflow() -> None:
    message = "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"
    found = categories.output_overflow(api(400, message=message))
    assert found == categories.Overflow(190_000, 32_000, 200_000)


def test_a_body_that_is_too_large_is_recognised() -> None:
    assert categories.is_too_large(api(413))
    assert not categories.is_too_large(api(400))
