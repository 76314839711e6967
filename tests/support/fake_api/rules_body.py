"""Rules of the top level of a body: fields, sizes, thinking, effort, tool choice."""

from collections.abc import Mapping
from typing import Any

from support.fake_api.request import Judged, Problems

_FIELDS = {
    "cache_control",
    "container",
    "diagnostics",
    "inference_geo",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "thinking",
    "tool_choice",
    "tools",
    "user_profile_id",
    "workspace_id",
}
_NOT_COUNTED = {"container", "diagnostics", "inference_geo", "max_tokens", "metadata", "stream"}
_SAMPLING = ("temperature", "top_p", "top_k")
_BETA_FIELDS = {
    "compaction": ("compact-2026-09-04",),
    "context_management": ("context-management", "compact-2026-01-12"),
    "fallbacks": ("server-side-fallback",),
    "mcp_servers": ("mcp-client",),
    "thread": ("message-threads",),
}
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_CHOICES = ("auto", "any", "tool", "none")


def fields(request: Judged) -> Problems:
    """Unknown fields, fields of betas that were not asked for, sampling fields."""
    known = _FIELDS - _NOT_COUNTED if request.counting else _FIELDS
    for name in request.body:
        if name in _SAMPLING and request.version < "2026-10-21":
            continue
        if name in _SAMPLING:
            yield f"{name}: this field is not supported on this API version"
        elif name in _BETA_FIELDS:
            if not any(request.beta(beta) for beta in _BETA_FIELDS[name]):
                yield f"{name}: Extra inputs are not permitted"
        elif name not in known:
            yield f"{name}: Extra inputs are not permitted"
    if "compaction" in request.body and "context_management" in request.body:
        yield "compaction: cannot be combined with context_management"


def max_tokens(request: Judged) -> Problems:
    """Required, whole, not above the model's limit."""
    if request.counting:
        return
    value = request.body.get("max_tokens")
    limit = request.facts.max_output
    if value is None:
        yield "max_tokens: Field required"
    elif not isinstance(value, int) or isinstance(value, bool):
        yield "max_tokens: Input should be a valid integer"
    elif value < 0:
        yield "max_tokens: Input should be greater than or equal to 0"
    elif value > limit:
        yield (
            f"max_tokens: {value} > {limit}, which is the maximum allowed number of output "
            f"tokens for {request.facts.id}"
        )


def scalars(request: Judged) -> Problems:
    """Types of stream, metadata and stop_sequences."""
    if not isinstance(request.body.get("stream", False), bool):
        yield "stream: Input should be a valid boolean"
    metadata = request.body.get("metadata", {})
    if not isinstance(metadata, dict):
        yield "metadata: Input should be an object"
    else:
        yield from (
            f"metadata.{name}: Extra inputs are not permitted"
            for name in metadata
            if name != "user_id"
        )
    stops = request.body.get("stop_sequences", [])
    if not isinstance(stops, list):
        yield "stop_sequences: Input should be a valid array"
    elif any(not isinstance(stop, str) or not stop.strip() for stop in stops):
        yield "stop_sequences: each stop sequence must contain non-whitespace"


def thinking(request: Judged) -> Problems:
    """The form of thinking that the model takes."""
    config = request.body.get("thinking")
    if config is None:
        return
    kind = config.get("type") if isinstance(config, dict) else None
    if kind not in ("adaptive", "enabled", "disabled", "between_tools"):
        yield (
            f"thinking: Input tag '{kind}' found using 'type' does not match any of the "
            "expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'"
        )
        return
    if kind not in request.facts.thinking:
        yield f'"thinking.type.{kind}" is not supported for this model.'
    elif kind == "enabled":
        yield from _budget(request, config)
    elif kind == "adaptive":
        yield from _adaptive(request, config)
    elif kind == "disabled" and not request.facts.disabled_at_high_effort:
        effort = (request.body.get("output_config") or {}).get("effort")
        if effort in ("xhigh", "max"):
            yield f'"thinking.type.disabled" is not supported with effort {effort}.'
    allowed = {"adaptive": {"display", "block_binding"}, "enabled": {"display", "budget_tokens"}}
    for name in config.keys() - {"type"} - allowed.get(kind, set()):
        yield f"thinking.{kind}.{name}: Extra inputs are not permitted"


def _budget(request: Judged, config: Mapping[str, Any]) -> Problems:
    budget = config.get("budget_tokens")
    if not isinstance(budget, int):
        yield "thinking.enabled.budget_tokens: Field required"
    elif budget < 1024:
        yield "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    elif budget >= request.body.get("max_tokens", budget + 1) and not request.beta(
        "interleaved-thinking"
    ):
        yield "`max_tokens` must be greater than `thinking.budget_tokens`."


def _adaptive(request: Judged, config: Mapping[str, Any]) -> Problems:
    displays = {"summarized", "omitted", None}
    if request.beta("thinking-display-updates"):
        displays.add("updates")
    if config.get("display") not in displays:
        yield "thinking.adaptive.display: Input should be 'summarized' or 'omitted'"
    if "block_binding" in config:
        binding = config["block_binding"] or {}
        if not request.beta("thinking-binding-controls"):
            yield "thinking.adaptive.block_binding: Extra inputs are not permitted"
        elif binding.get("prefix_mismatch_behavior", "error") not in ("error", "drop_block"):
            yield (
                "thinking.adaptive.block_binding.prefix_mismatch_behavior: "
                "Input should be 'error' or 'drop_block'"
            )


def output_config(request: Judged) -> Problems:
    """Effort and format."""
    config = request.body.get("output_config")
    if config is None:
        return
    if not isinstance(config, dict):
        yield "output_config: Input should be an object"
        return
    effort = config.get("effort")
    if effort is not None and effort not in _EFFORTS:
        yield "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
    elif effort is not None and not request.facts.effort:
        yield "This model does not support the effort parameter."
    if "task_budget" in config and not request.beta("task-budgets"):
        yield "output_config.task_budget: Extra inputs are not permitted"
    form = config.get("format")
    if form is not None and (form.get("type") != "json_schema" or "schema" not in form):
        yield "output_config.format: Input should be a json_schema format with a schema"
    for name in config.keys() - {"effort", "format", "task_budget"}:
        yield f"output_config.{name}: Extra inputs are not permitted"


def tool_choice(request: Judged) -> Problems:
    """The choice exists, fits the tools and may be forced."""
    choice = request.body.get("tool_choice")
    if choice is None:
        return
    kind = choice.get("type") if isinstance(choice, dict) else None
    if kind not in _CHOICES:
        yield "tool_choice: Input should be 'auto', 'any', 'tool' or 'none'"
        return
    if not request.tools:
        yield "tool_choice may only be specified while providing tools."
    if kind in ("any", "tool"):
        if not request.facts.forced_choice:
            yield f"tool_choice: '{kind}' is not supported for this model."
        if request.thinking.get("type") == "enabled":
            yield "Thinking may not be enabled when tool_choice forces tool use."
    if kind == "tool" and choice.get("name") not in {tool.get("name") for tool in request.tools}:
        yield f"Tool '{choice.get('name')}' not found in provided tools"


RULES = (fields, max_tokens, scalars, thinking, output_config, tool_choice)
