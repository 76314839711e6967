"""Tokens and money."""

from typing import Any

import pytest

from hames.harness.usage import Tokens, UsageLedger, priced, sum_usage

SONNET, HAIKU = "claude-sonnet-5-5", "claude-haiku-5-5"


def used(**counts: Any) -> dict[str, Any]:
    return {"input_tokens": 0, "output_tokens": 0, **counts}


@pytest.mark.parametrize(
    ("model", "usage", "usd"),
    [
        (SONNET, used(input_tokens=1_000_000), 2.0),
        (SONNET, used(output_tokens=1_000_000), 10.0),
        (SONNET, used(cache_read_input_tokens=1_000_000), 0.10),
        ("claude-opus-5-5", used(cache_read_input_tokens=1_000_000), 0.20),
        ("claude-opus-5", used(cache_read_input_tokens=1_000_000), 0.50),
        ("claude-opus-5-5", used(cache_creation_input_tokens=1_000_000), 5.0),
        (
            "claude-opus-5-5",
            used(
                cache_creation_input_tokens=1_000_000,
                cache_creation={
                    "ephemeral_5m_input_tokens": 400_000,
                    "ephemeral_1h_input_tokens": 600_000,
                },
            ),
            0.4 * 5 + 0.6 * 8,
        ),
        (HAIKU, used(input_tokens=100_000), 0.01),
        (HAIKU, used(input_tokens=100_001), 0.0500005),
        (HAIKU, used(input_tokens=1, cache_read_input_tokens=100_000), 0.0000005 + 0.005),
        (HAIKU, used(input_tokens=10, output_tokens=1_000_000), 0.000001 + 0.5),
        (SONNET, used(server_tool_use={"web_search_requests": 3}), 0.03),
        (SONNET, used(input_tokens=9, iterations=[used(input_tokens=1_000_000)] * 2), 4.0),
        ("unknown", used(input_tokens=1_000_000), 0.0),
        (SONNET, {}, 0.0),
        (SONNET, {"input_tokens": None, "output_tokens": "many", "cache_creation": []}, 0.0),
    ],
)
def test_prices(model: str, usage: dict[str, Any], usd: float) -> None:
    assert priced(model, usage).usd == pytest.approx(usd)


def test_a_message_counts_once_with_its_newest_numbers() -> None:
    ledger = UsageLedger()
    ledger.add("msg_1", SONNET, used(input_tokens=10, output_tokens=1))
    ledger.add("msg_1", SONNET, used(input_tokens=10, output_tokens=50))
    ledger.add("msg_2", HAIKU, used(input_tokens=5))
    sums = ledger.by_model()
    assert (sums[SONNET].input, sums[SONNET].output, sums[HAIKU].input) == (10, 50, 5)
    assert ledger.total_usd == pytest.approx((10 * 2 + 50 * 10 + 5 * 0.1) / 1e6)


def test_the_object_of_results() -> None:
    ledger = UsageLedger()
    ledger.add(
        "msg_1",
        SONNET,
        used(
            input_tokens=1,
            output_tokens=2,
            cache_read_input_tokens=3,
            cache_creation_input_tokens=4,
            server_tool_use={"web_search_requests": 1},
        ),
    )
    ledger.add("msg_2", "claude-haiku-4-5-20251001", used())
    shown = ledger.model_usage({})
    assert shown[SONNET] == {
        "inputTokens": 1,
        "outputTokens": 2,
        "cacheReadInputTokens": 3,
        "cacheCreationInputTokens": 4,
        "webSearchRequests": 1,
        "costUSD": pytest.approx((1 * 2 + 2 * 10 + 3 * 0.1 + 4 * 2.5) / 1e6 + 0.01),
        "contextWindow": 1_000_000,
        "maxOutputTokens": 128_000,
    }
    assert shown["claude-haiku-4-5-20251001"]["canonicalModel"] == "claude-haiku-4-5"


def test_the_whole_prompt_counts_cached_tokens() -> None:
    assert Tokens(input=1, output=100, read=2, write_5m=3, write_1h=4).prompt == 10


def test_the_usage_of_a_turn_is_a_sum_in_the_spelling_of_the_api() -> None:
    first = used(input_tokens=1, output_tokens=2, service_tier="standard", speed=None)
    second = used(
        input_tokens=10,
        cache_creation_input_tokens=5,
        cache_creation={"ephemeral_5m_input_tokens": 5},
        server_tool_use={"web_search_requests": 2},
    )
    assert sum_usage([first, second]) == {
        "input_tokens": 11,
        "output_tokens": 2,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 0},
        "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0},
        "service_tier": "standard",
    }
    assert sum_usage([])["input_tokens"] == 0
