"""Model and wishes -> body fields and betas."""

from typing import Any

import pytest

from hames.harness.models.catalog import find
from hames.harness.models.parameters import Parameters, Wishes, effective_effort, parameters
from hames.harness.models.profiles import FIRST_PARTY, GATEWAY

ADAPTIVE = {"type": "adaptive"}
DISABLED = {"type": "disabled"}
INTERLEAVED = ("interleaved-thinking-2025-05-14",)


def enabled(budget: int) -> dict[str, Any]:
    return {"type": "enabled", "budget_tokens": budget}


def thinking_of(identity: str, wishes: Wishes, **env: str) -> Any:
    return parameters(find(identity), wishes, FIRST_PARTY, env).body.get("thinking")


@pytest.mark.parametrize(
    ("identity", "wishes", "env", "thinking"),
    [
        ("claude-sonnet-5-5", Wishes(), {}, ADAPTIVE),
        ("claude-sonnet-5-5", Wishes(thinking="disabled"), {}, DISABLED),
        ("claude-sonnet-5-5", Wishes(always_thinking=False), {}, DISABLED),
        ("claude-sonnet-5-5", Wishes(), {"MAX_THINKING_TOKENS": "0"}, DISABLED),
        ("claude-sonnet-5-5", Wishes(max_thinking_tokens=0), {}, DISABLED),
        ("claude-sonnet-5-5", Wishes(), {"MAX_THINKING_TOKENS": "5000"}, ADAPTIVE),
        (
            "claude-sonnet-5-5",
            Wishes(always_thinking=False),
            {"MAX_THINKING_TOKENS": "5000"},
            ADAPTIVE,
        ),
        (
            "claude-sonnet-5-5",
            Wishes(max_thinking_tokens=2000),
            {"MAX_THINKING_TOKENS": "0"},
            ADAPTIVE,
        ),
        ("claude-sonnet-5-5", Wishes(), {"CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING": "1"}, ADAPTIVE),
        ("claude-sonnet-5-5", Wishes(display="omitted"), {}, {**ADAPTIVE, "display": "omitted"}),
        ("claude-opus-5-5", Wishes(), {}, {**ADAPTIVE, "display": "summarized"}),
        (
            "claude-opus-5-5",
            Wishes(thinking="disabled", display="omitted"),
            {},
            {**ADAPTIVE, "display": "omitted"},
        ),
        ("claude-fable-5-2", Wishes(thinking="disabled"), {}, ADAPTIVE),
        ("claude-mythos-5", Wishes(always_thinking=False), {}, ADAPTIVE),
        ("claude-opus-5", Wishes(thinking="disabled", effort="high"), {}, DISABLED),
        ("claude-opus-5", Wishes(thinking="disabled", effort="xhigh"), {}, ADAPTIVE),
        ("claude-opus-4-6", Wishes(), {}, ADAPTIVE),
        (
            "claude-opus-4-6",
            Wishes(),
            {"CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING": "1", "MAX_THINKING_TOKENS": "9000"},
            enabled(9000),
        ),
        ("claude-haiku-4-5", Wishes(), {}, enabled(31_999)),
        ("claude-haiku-4-5", Wishes(max_thinking_tokens=10), {}, enabled(1024)),
        ("claude-haiku-4-5", Wishes(max_thinking_tokens=99_999), {}, enabled(31_999)),
        ("claude-haiku-4-5", Wishes(), {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "8000"}, enabled(7999)),
        ("claude-haiku-4-5", Wishes(thinking="disabled"), {}, None),
        ("claude-haiku-4-5", Wishes(display="omitted"), {}, enabled(31_999)),
        ("brand-new-model", Wishes(), {}, ADAPTIVE),
    ],
)
def test_the_form_of_thinking(
    identity: str, wishes: Wishes, env: dict[str, str], thinking: Any
) -> None:
    assert thinking_of(identity, wishes, **env) == thinking


@pytest.mark.parametrize(
    ("wishes", "thinking"),
    [
        (Wishes(), None),
        (Wishes(thinking="disabled"), None),
        (Wishes(thinking="adaptive"), ADAPTIVE),
        (Wishes(max_thinking_tokens=3000), enabled(3000)),
    ],
)
def test_an_unknown_model_behind_a_gateway_thinks_only_when_told(
    wishes: Wishes, thinking: Any
) -> None:
    found = parameters(find("qwen3-coder"), wishes, GATEWAY, {})
    assert found.body.get("thinking") == thinking
    assert found.betas == ()


@pytest.mark.parametrize(
    ("identity", "wished", "env", "sent", "effective"),
    [
        ("claude-sonnet-5-5", None, {}, None, "high"),
        ("claude-opus-5-5", None, {}, None, "medium"),
        ("claude-sonnet-5-5", "max", {}, "max", "max"),
        ("claude-sonnet-5-5", "ultracode", {}, "xhigh", "xhigh"),
        ("claude-sonnet-4-6", "xhigh", {}, "high", "high"),
        ("claude-opus-4-5", "max", {}, "high", "high"),
        ("claude-haiku-4-5", "high", {}, None, None),
        ("claude-sonnet-5-5", "low", {"CLAUDE_CODE_EFFORT_LEVEL": "max"}, "max", "max"),
        ("claude-sonnet-5-5", "low", {"CLAUDE_CODE_EFFORT_LEVEL": "auto"}, None, "high"),
        ("claude-sonnet-5-5", "extreme", {}, None, "high"),
    ],
)
def test_effort(
    identity: str,
    wished: str | None,
    env: dict[str, str],
    sent: str | None,
    effective: str | None,
) -> None:
    model, wishes = find(identity), Wishes(effort=wished)
    output = parameters(model, wishes, FIRST_PARTY, env).body.get("output_config", {})
    assert (output.get("effort"), effective_effort(model, wishes, env)) == (sent, effective)


@pytest.mark.parametrize(
    ("identity", "wishes", "env", "limit"),
    [
        ("claude-sonnet-5-5", Wishes(), {}, 64_000),
        ("claude-haiku-4-5", Wishes(), {}, 32_000),
        ("unknown", Wishes(), {}, 32_000),
        ("claude-sonnet-5-5", Wishes(max_output=100_000), {}, 100_000),
        ("claude-sonnet-5-5", Wishes(max_output=999_999), {}, 128_000),
        ("claude-sonnet-5-5", Wishes(), {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "4096"}, 4096),
        ("claude-sonnet-5-5", Wishes(), {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": "many"}, 64_000),
    ],
)
def test_output_limits(identity: str, wishes: Wishes, env: dict[str, str], limit: int) -> None:
    assert parameters(find(identity), wishes, FIRST_PARTY, env).body["max_tokens"] == limit


def test_everything_at_once() -> None:
    wishes = Wishes(effort="low", task_budget=50_000, drop_block=True, betas=("mine",))
    assert parameters(find("claude-opus-5-5"), wishes, FIRST_PARTY, {}) == Parameters(
        {
            "max_tokens": 64_000,
            "thinking": {
                "type": "adaptive",
                "display": "summarized",
                "block_binding": {"prefix_mismatch_behavior": "drop_block"},
            },
            "output_config": {
                "effort": "low",
                "task_budget": {"type": "tokens", "total": 50_000},
            },
        },
        ("task-budgets-2026-03-13", "thinking-binding-controls-2026-08-01", "mine"),
    )


@pytest.mark.parametrize(
    ("identity", "wishes", "env", "betas"),
    [
        ("claude-haiku-4-5", Wishes(), {}, INTERLEAVED),
        ("claude-haiku-4-5", Wishes(), {"DISABLE_INTERLEAVED_THINKING": "1"}, ()),
        ("claude-sonnet-5-5", Wishes(), {}, ()),
        (
            "claude-sonnet-4-5",
            Wishes(long_context=True),
            {},
            (*INTERLEAVED, "context-1m-2025-08-07"),
        ),
        ("claude-sonnet-5-5", Wishes(long_context=True), {}, ()),
    ],
)
def test_betas(identity: str, wishes: Wishes, env: dict[str, str], betas: tuple[str, ...]) -> None:
    assert parameters(find(identity), wishes, FIRST_PARTY, env).betas == betas


def test_a_gateway_gets_no_experimental_betas() -> None:
    found = parameters(find("claude-haiku-4-5"), Wishes(task_budget=9), GATEWAY, {})
    assert (found.betas, "output_config" in found.body) == ((), False)
