"""Model and wishes -> the fields of a request body that depend on the model, and its betas."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from hames.harness.models.catalog import EFFORTS, Model
from hames.harness.models.profiles import Profile
from hames.harness.models.variables import is_on, whole_number
from hames.system.types import JsonObject

MIN_BUDGET = 1024
DEFAULT_BUDGET = 31_999

INTERLEAVED = "interleaved-thinking-2025-05-14"
TASK_BUDGETS = "task-budgets-2026-03-13"
THINKING_BINDING = "thinking-binding-controls-2026-08-01"


class Wishes(NamedTuple):
    """What flags and settings ask for; None: nothing said. Numbers are tokens.

    `always_thinking` is the setting `alwaysThinkingEnabled`. `drop_block`: the conversation has
    gone on after a refused thinking block. `long_context`: the name ended in `[1m]`.
    """

    effort: str | None = None
    thinking: Literal["adaptive", "disabled"] | None = None
    max_thinking_tokens: int | None = None
    display: Literal["summarized", "omitted"] | None = None
    always_thinking: bool | None = None
    max_output: int | None = None
    task_budget: int | None = None
    drop_block: bool = False
    long_context: bool = False
    betas: tuple[str, ...] = ()


class Parameters(NamedTuple):
    """`body`: max_tokens, thinking, output_config. `betas` in a stable order."""

    body: JsonObject
    betas: tuple[str, ...]


def parameters(
    model: Model, wishes: Wishes, profile: Profile, env: Mapping[str, str]
) -> Parameters:
    """The fields for one conversation; the same arguments always give the same bytes."""
    limit = max_tokens(model, wishes, env)
    body: JsonObject = {"max_tokens": limit}
    thinking = _thinking(model, wishes, profile, env)
    if thinking is not None:
        if thinking["type"] == "enabled":
            thinking["budget_tokens"] = _clamp(thinking["budget_tokens"], limit)
        body["thinking"] = thinking
    output: JsonObject = {}
    effort = _effort(model, wishes, env)
    if effort is not None and (model.known or profile.thinking_of_unknown_models):
        output["effort"] = effort
    if wishes.task_budget and profile.experimental_betas:
        output["task_budget"] = {"type": "tokens", "total": wishes.task_budget}
    if output:
        body["output_config"] = output
    return Parameters(body, _betas(model, wishes, profile, env, body))


def max_tokens(model: Model, wishes: Wishes, env: Mapping[str, str]) -> int:
    """The output limit: CLAUDE_CODE_MAX_OUTPUT_TOKENS, else the wish, else the model's usual."""
    given = whole_number(env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS") or wishes.max_output
    return min(given or model.default_output, model.max_output)


def effective_effort(model: Model, wishes: Wishes, env: Mapping[str, str]) -> str | None:
    """The effort that the model works at; None when it has no such setting."""
    if not model.efforts:
        return None
    return _effort(model, wishes, env) or model.default_effort


def _effort(model: Model, wishes: Wishes, env: Mapping[str, str]) -> str | None:
    """The wished level, lowered to one the model has; None: nothing to send."""
    named = env.get("CLAUDE_CODE_EFFORT_LEVEL", "").strip().lower() or wishes.effort
    level = "xhigh" if named == "ultracode" else named
    if level not in EFFORTS or not model.efforts:
        return None
    below = EFFORTS[: EFFORTS.index(level) + 1]
    usable = [effort for effort in model.efforts if effort in below]
    return max(usable, key=EFFORTS.index, default=model.efforts[0])


def _thinking(
    model: Model, wishes: Wishes, profile: Profile, env: Mapping[str, str]
) -> JsonObject | None:
    budget = _budget(wishes, env)
    if not model.known and not profile.thinking_of_unknown_models:
        return _explicit_thinking(wishes, budget)
    wanted = _wants_thinking(wishes, budget)
    manual = model.thinking == "manual" or (
        model.thinking == "either" and is_on(env, "CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING")
    )
    if manual:
        return {"type": "enabled", "budget_tokens": budget or DEFAULT_BUDGET} if wanted else None
    if not wanted and _can_be_disabled(model, wishes, env):
        return {"type": "disabled"}
    return _adaptive(wishes, summarise=model.progress_in_thinking)


def _explicit_thinking(wishes: Wishes, budget: int | None) -> JsonObject | None:
    """For a model nobody knows: only what was asked for by name."""
    if wishes.thinking == "adaptive":
        return _adaptive(wishes, summarise=False)
    if budget and wishes.thinking is None:
        return {"type": "enabled", "budget_tokens": budget}
    return None


def _adaptive(wishes: Wishes, *, summarise: bool) -> JsonObject:
    thinking: JsonObject = {"type": "adaptive"}
    display = wishes.display or ("summarized" if summarise else None)
    if display is not None:
        thinking["display"] = display
    if wishes.drop_block:
        thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    return thinking


def _budget(wishes: Wishes, env: Mapping[str, str]) -> int | None:
    given = wishes.max_thinking_tokens
    return whole_number(env, "MAX_THINKING_TOKENS") if given is None else given


def _wants_thinking(wishes: Wishes, budget: int | None) -> bool:
    if wishes.thinking is not None:
        return wishes.thinking == "adaptive"
    if budget is not None:
        return budget > 0
    return wishes.always_thinking is not False


def _can_be_disabled(model: Model, wishes: Wishes, env: Mapping[str, str]) -> bool:
    if model.thinking == "always":
        return False
    return effective_effort(model, wishes, env) not in model.no_disabled_at


def _clamp(budget: int, limit: int) -> int:
    return max(MIN_BUDGET, min(budget, limit - 1))


def _betas(
    model: Model, wishes: Wishes, profile: Profile, env: Mapping[str, str], body: JsonObject
) -> tuple[str, ...]:
    thinking: JsonObject = body.get("thinking", {})
    found: list[str] = []
    if profile.experimental_betas:
        interleaved = not is_on(env, "DISABLE_INTERLEAVED_THINKING")
        if thinking.get("type") == "enabled" and interleaved:
            found.append(INTERLEAVED)
        if "task_budget" in body.get("output_config", {}):
            found.append(TASK_BUDGETS)
    if "block_binding" in thinking:
        found.append(THINKING_BINDING)
    if wishes.long_context and model.long_beta is not None:
        found.append(model.long_beta)
    return tuple(dict.fromkeys((*found, *wishes.betas)))
