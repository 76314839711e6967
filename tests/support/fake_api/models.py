"""What the fake API knows of each model: limits and the forms it accepts."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Limits of one model. `minimum` is the shortest prefix that is cached, in tokens."""

    id: str
    window: int = 1_000_000
    max_output: int = 128_000
    minimum: int = 512
    thinking: frozenset[str] = frozenset({"adaptive", "disabled"})
    disabled_at_high_effort: bool = True
    prefill: bool = False
    effort: bool = True
    forced_choice: bool = True
    system_messages: bool = False
    bound_prefix: bool = False
    bound_account: bool = False


_MANUAL = frozenset({"enabled", "disabled"})
_EITHER = frozenset({"enabled", "adaptive", "disabled"})
_ADAPTIVE = frozenset({"adaptive"})


def _old(name: str, minimum: int, effort: bool = False) -> ModelFacts:
    return ModelFacts(
        name,
        window=200_000,
        max_output=64_000,
        minimum=minimum,
        thinking=_MANUAL,
        prefill=True,
        effort=effort,
    )


def _fable(name: str, bound: bool = True) -> ModelFacts:
    return ModelFacts(
        name,
        thinking=_ADAPTIVE,
        forced_choice=not bound,
        system_messages=True,
        bound_prefix=bound,
    )


_KNOWN = (
    _old("claude-sonnet-4-5", 1024),
    _old("claude-opus-4-5", 4096, effort=True),
    _old("claude-haiku-4-5", 4096),
    ModelFacts("claude-opus-4-6", minimum=4096, thinking=_EITHER),
    ModelFacts("claude-sonnet-4-6", minimum=1024, thinking=_EITHER),
    ModelFacts("claude-opus-4-7", minimum=2048),
    ModelFacts("claude-opus-4-8", minimum=1024, system_messages=True),
    ModelFacts("claude-opus-5", system_messages=True, disabled_at_high_effort=False),
    ModelFacts("claude-sonnet-5", minimum=1024),
    _fable("claude-fable-5", bound=False),
    _fable("claude-mythos-5", bound=False),
    _fable("claude-fable-5-1"),
    _fable("claude-fable-5-2"),
    _fable("claude-mythos-5-1"),
    _fable("claude-mythos-5-2"),
    ModelFacts(
        "claude-opus-5-5",
        thinking=_ADAPTIVE,
        forced_choice=False,
        system_messages=True,
        bound_prefix=True,
    ),
    ModelFacts("claude-sonnet-5-5", bound_prefix=True, bound_account=True),
    ModelFacts("claude-haiku-5-5", bound_prefix=True, bound_account=True),
)

_DATED = {
    "claude-haiku-4-5-20251001": "claude-haiku-4-5",
    "claude-opus-4-5-20251101": "claude-opus-4-5",
    "claude-sonnet-4-5-20250929": "claude-sonnet-4-5",
}

MODELS = {facts.id: facts for facts in _KNOWN}


def find_model(name: str) -> ModelFacts | None:
    """Facts of a model id, dated ids included; None for an unknown one."""
    return MODELS.get(_DATED.get(name, name))
