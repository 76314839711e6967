"""Names, aliases and limits of models."""

import pytest

from hames.harness.models.catalog import (
    Choice,
    Price,
    choose_name,
    context_window,
    find,
    is_scripted,
    resolve,
    resolve_small,
)


@pytest.mark.parametrize(
    ("name", "env", "choice"),
    [
        ("sonnet", {}, Choice("claude-sonnet-5-5")),
        ("Opus", {}, Choice("claude-opus-5-5")),
        ("best", {}, Choice("claude-opus-5-5")),
        ("haiku", {}, Choice("claude-haiku-5-5")),
        ("fable", {}, Choice("claude-fable-5-2")),
        ("default", {}, Choice("claude-sonnet-5-5")),
        ("default", {"ANTHROPIC_DEFAULT_MODEL": "opus[1m]"}, Choice("claude-opus-5-5", True)),
        ("default", {"ANTHROPIC_DEFAULT_MODEL": "default"}, Choice("claude-sonnet-5-5")),
        ("sonnet[1m]", {}, Choice("claude-sonnet-5-5", True)),
        ("claude-sonnet-4-5[1m]", {}, Choice("claude-sonnet-4-5", True)),
        ("opus", {"ANTHROPIC_DEFAULT_OPUS_MODEL": "my-opus"}, Choice("my-opus")),
        ("best", {"ANTHROPIC_DEFAULT_OPUS_MODEL": "my-opus[1m]"}, Choice("my-opus", True)),
        ("opus", {"ANTHROPIC_DEFAULT_OPUS_MODEL": "sonnet"}, Choice("claude-sonnet-5-5")),
        ("opusplan", {}, Choice("claude-sonnet-5-5")),
        ("claude-opus-4-6", {}, Choice("claude-opus-4-6")),
        ("qwen3-coder:30b", {}, Choice("qwen3-coder:30b")),
        ("Org/Model", {}, Choice("Org/Model")),
    ],
)
def test_names_resolve(name: str, env: dict[str, str], choice: Choice) -> None:
    assert resolve(name, env) == choice


def test_opusplan_is_opus_while_planning() -> None:
    assert resolve("opusplan", {}, planning=True) == Choice("claude-opus-5-5")
    assert resolve("opusplan[1m]", {}, planning=True) == Choice("claude-opus-5-5", True)


@pytest.mark.parametrize(
    ("env", "identity"),
    [
        ({}, "claude-haiku-5-5"),
        ({"ANTHROPIC_DEFAULT_HAIKU_MODEL": "tiny"}, "tiny"),
        ({"ANTHROPIC_SMALL_FAST_MODEL": "old"}, "old"),
        ({"ANTHROPIC_SMALL_FAST_MODEL": "old", "ANTHROPIC_DEFAULT_HAIKU_MODEL": "tiny"}, "tiny"),
    ],
)
def test_the_model_of_background_work(env: dict[str, str], identity: str) -> None:
    assert resolve_small(env) == Choice(identity)


@pytest.mark.parametrize(
    ("flag", "env", "setting", "name"),
    [
        ("a", {"ANTHROPIC_MODEL": "b"}, "c", "a"),
        (None, {"ANTHROPIC_MODEL": "b"}, "c", "b"),
        (None, {"ANTHROPIC_DEFAULT_MODEL": "d"}, "c", "c"),
        (None, {"ANTHROPIC_DEFAULT_MODEL": "d"}, None, "d"),
        ("", {"ANTHROPIC_MODEL": " "}, None, "sonnet"),
    ],
)
def test_who_chooses_the_model(
    flag: str | None, env: dict[str, str], setting: str | None, name: str
) -> None:
    assert choose_name(flag, env, setting) == name


@pytest.mark.parametrize(
    ("identity", "known"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("anthropic/claude-opus-5.5", "claude-opus-5-5"),
        ("claude-opus-5", "claude-opus-5"),
        ("global.anthropic.claude-opus-5-5", "claude-opus-5-5"),
    ],
)
def test_ids_of_other_providers_are_recognised(identity: str, known: str) -> None:
    assert find(identity).id == known


@pytest.mark.parametrize("identity", ["llama", "claude-opus-9", "my-claude-opus-5-tuned", ""])
def test_unknown_ids_have_safe_limits(identity: str) -> None:
    model = find(identity)
    assert (model.id, model.known, model.window, model.default_output, model.prices) == (
        identity,
        False,
        200_000,
        32_000,
        (),
    )


def test_facts_of_a_model_with_a_price_step() -> None:
    model = find("claude-haiku-5-5")
    assert model.default_effort == "medium" and model.preserved_thinking and model.account_bound
    assert model.prices == (
        Price(0.1, 0.5, 0.125, 0.2, pytest.approx(0.01), 100_000),
        Price(0.5, 2.5, 0.625, 1.0, pytest.approx(0.05)),
    )


@pytest.mark.parametrize(
    ("identity", "env", "long_context", "window"),
    [
        ("claude-sonnet-5-5", {}, False, 1_000_000),
        ("claude-sonnet-4-6", {}, False, 200_000),
        ("claude-sonnet-4-6", {}, True, 1_000_000),
        ("claude-haiku-4-5", {}, True, 200_000),
        ("unknown", {}, True, 1_000_000),
        ("claude-opus-5", {"CLAUDE_CODE_DISABLE_1M_CONTEXT": "1"}, True, 200_000),
        ("claude-opus-5", {"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "50000"}, False, 50_000),
    ],
)
def test_windows(identity: str, env: dict[str, str], long_context: bool, window: int) -> None:
    assert context_window(find(identity), env, long_context=long_context) == window


def test_prepared_answers_are_told_from_models() -> None:
    assert is_scripted("scripted:a.json") and is_scripted("replay:abc")
    assert not is_scripted("llama:8b")
