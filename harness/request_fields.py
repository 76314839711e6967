"""The model-dependent fields of requests, from flags, settings and the state of the session."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hames.harness.conversation import ConversationOptions, RequestFields
from hames.harness.models import catalog
from hames.harness.models.parameters import Wishes, parameters
from hames.harness.models.profiles import Profile
from hames.harness.models.retry import RetryPolicy
from hames.harness.models.variables import is_on, whole_number
from hames.harness.request import CachePolicy
from hames.harness.run_config import RunConfig
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.tools.registry import Registry

MAX_FALLBACKS = 3


@dataclass(slots=True)
class FieldSource:
    """Computes the fields of a request, once for each model and state of choices.

    `model` is the name the run started with, `fallbacks` those of the run.
    """

    model: str
    fallbacks: tuple[str, ...]
    wishes: Wishes
    profile: Profile
    env: Mapping[str, str]
    _cached: tuple[object, RequestFields] | None = None

    def choose(self, state: SessionState) -> Sequence[str]:
        """Ids of the model and its fallbacks; a scripted model keeps its name."""
        planning = state.mode == "plan"
        names = (state.turn.model or state.model or self.model, *self.fallbacks[:MAX_FALLBACKS])
        ids = [self._identity(name, planning=planning) for name in names]
        return list(dict.fromkeys(ids))

    def _identity(self, name: str, *, planning: bool) -> str:
        if catalog.is_scripted(name):
            return name
        return catalog.resolve(name, self.env, planning=planning).id

    def fields(self, model: str, state: SessionState) -> RequestFields:
        """The fields for a model id."""
        key = (model, state.turn.effort, state.effort, state.max_thinking, state.drop_block)
        if self._cached is None or self._cached[0] != key:
            self._cached = (key, self._compute(model, state))
        return self._cached[1]

    def _compute(self, model: str, state: SessionState) -> RequestFields:
        wishes = self.wishes._replace(
            effort=state.turn.effort or state.effort or self.wishes.effort,
            max_thinking_tokens=(
                self.wishes.max_thinking_tokens
                if state.max_thinking is None
                else state.max_thinking
            ),
            drop_block=state.drop_block,
        )
        found = parameters(catalog.find(model), wishes, self.profile, self.env)
        return RequestFields(model, found.body, found.betas)


def conversation_options(
    start: Start,
    profile: Profile,
    registry: Registry,
    retries: RetryPolicy,
    on_sent: Callable[[], None],
) -> ConversationOptions:
    """What the conversations of this run are to send and how."""
    source = FieldSource(start.model, _fallbacks(start), _wishes(start), profile, start.env)
    concurrency = whole_number(start.env, "CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY")
    blocks = whole_number(start.env, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP")
    return ConversationOptions(
        fields=source.fields,
        choose=source.choose,
        tools=tuple(registry.schemas()),
        cache=_cache_policy(start.env, profile, start.model),
        flags=_flags_hash(start.config),
        timeout=retries.timeout,
        idle=retries.idle,
        on_sent=on_sent,
        concurrency=concurrency or 10,
        stop_block_cap=8 if blocks is None else blocks,
    )


def effort_of(options: ConversationOptions) -> Callable[[SessionState], str | None]:
    """Tells the effort that the next request asks for; None for models without levels."""

    def effort(state: SessionState) -> str | None:
        fields = options.fields(options.choose(state)[0], state)
        asked = fields.body.get("output_config", {}).get("effort")
        return asked if isinstance(asked, str) else None

    return effort


def _wishes(start: Start) -> Wishes:
    config, snapshot = start.config, start.snapshot
    always = snapshot.value("alwaysThinkingEnabled")
    return Wishes(
        effort=config.effort or snapshot.text("effortLevel"),
        thinking=config.thinking,
        max_thinking_tokens=config.max_thinking_tokens,
        display=config.thinking_display,
        always_thinking=always if isinstance(always, bool) else None,
        task_budget=config.task_budget,
        long_context=start.model.lower().endswith("[1m]"),
        betas=config.betas,
    )


def _fallbacks(start: Start) -> tuple[str, ...]:
    return start.config.fallback_models or start.snapshot.strings("fallbackModel") or ()


def _cache_policy(env: Mapping[str, str], profile: Profile, model: str) -> CachePolicy:
    """Marks unless switched off for all models or for this family."""
    family = next((f for f in ("haiku", "sonnet", "opus", "fable") if f in model.lower()), "")
    switches = ["DISABLE_PROMPT_CACHING"]
    if family:
        switches.append(f"DISABLE_PROMPT_CACHING_{family.upper()}")
    hour = is_on(env, "ENABLE_PROMPT_CACHING_1H") and not is_on(env, "FORCE_PROMPT_CACHING_5M")
    return CachePolicy(
        enabled=not any(is_on(env, name) for name in switches),
        ttl="1h" if hour and profile.cache_ttl else None,
    )


def _flags_hash(config: RunConfig) -> str:
    """Names the flags that shape the prefix; "" when none was given."""
    moved = True if config.system.exclude_dynamic else None
    given = (config.system.system, config.system.append, config.tools, moved, config.agent)
    if all(value is None for value in given):
        return ""
    return hashlib.sha256(json.dumps(given).encode("utf-8")).hexdigest()
