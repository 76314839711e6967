"""Tokens and money: per model, each API message counted once."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hames.harness.models import catalog
from hames.system.types import JsonObject, as_list, as_object

_COUNTS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)
_NESTED = {
    "cache_creation": ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"),
    "server_tool_use": ("web_search_requests", "web_fetch_requests"),
}
_KEPT = ("service_tier", "speed", "inference_geo")


class Tokens(NamedTuple):
    """What one or more responses used; `usd` is the price at the time."""

    input: int = 0
    output: int = 0
    read: int = 0
    write_5m: int = 0
    write_1h: int = 0
    searches: int = 0
    usd: float = 0.0

    @property
    def prompt(self) -> int:
        """Tokens of the whole prompt, cached ones included."""
        return self.input + self.read + self.write_5m + self.write_1h

    def plus(self, other: "Tokens") -> "Tokens":
        """The sum of both."""
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.read + other.read,
            self.write_5m + other.write_5m,
            self.write_1h + other.write_1h,
            self.searches + other.searches,
            self.usd + other.usd,
        )


class UsageLedger:
    """All responses of a session. The newest usage of a message id replaces earlier ones."""

    def __init__(self) -> None:
        self._messages: dict[str, tuple[str, Tokens]] = {}

    def add(self, message_id: str, model: str, usage: JsonObject) -> None:
        """Count one response; `usage` as the API sent it, last state."""
        self._messages[message_id] = (model, priced(model, usage))

    @property
    def total_usd(self) -> float:
        """What everything cost so far."""
        return sum(tokens.usd for _, tokens in self._messages.values())

    @property
    def total_tokens(self) -> int:
        """Tokens in and out of everything so far, cached ones included."""
        return sum(tokens.prompt + tokens.output for _, tokens in self._messages.values())

    def clear(self) -> None:
        """Start again from nothing, as `/clear` does."""
        self._messages.clear()

    def by_model(self) -> dict[str, Tokens]:
        """Sums per model, in order of first use."""
        sums: dict[str, Tokens] = {}
        for model, tokens in self._messages.values():
            sums[model] = sums.get(model, Tokens()).plus(tokens)
        return sums

    def model_usage(self, env: Mapping[str, str]) -> JsonObject:
        """The `modelUsage` object of results."""
        return {name: _model_usage(name, tokens, env) for name, tokens in self.by_model().items()}


def _model_usage(name: str, tokens: Tokens, env: Mapping[str, str]) -> JsonObject:
    model = catalog.find(name)
    shown: JsonObject = {
        "inputTokens": tokens.input,
        "outputTokens": tokens.output,
        "cacheReadInputTokens": tokens.read,
        "cacheCreationInputTokens": tokens.write_5m + tokens.write_1h,
        "webSearchRequests": tokens.searches,
        "costUSD": tokens.usd,
        "contextWindow": catalog.context_window(model, env),
        "maxOutputTokens": model.max_output,
    }
    return shown if model.id == name else {**shown, "canonicalModel": model.id}


def priced(model: str, usage: JsonObject) -> Tokens:
    """Tokens and price of one response; with server-side compaction the sum of its steps."""
    steps = [step for item in as_list(usage.get("iterations")) if (step := as_object(item))]
    total = Tokens()
    for step in steps or [usage]:
        total = total.plus(_priced_step(model, step))
    searches = _count(as_object(usage.get("server_tool_use")), "web_search_requests")
    extra = searches * catalog.search_price() if searches else 0.0
    return total.plus(Tokens(searches=searches, usd=extra))


def _priced_step(model: str, usage: JsonObject) -> Tokens:
    written = _count(usage, "cache_creation_input_tokens")
    hour = _count(as_object(usage.get("cache_creation")), "ephemeral_1h_input_tokens")
    tokens = Tokens(
        input=_count(usage, "input_tokens"),
        output=_count(usage, "output_tokens"),
        read=_count(usage, "cache_read_input_tokens"),
        write_5m=max(written - hour, 0),
        write_1h=hour,
    )
    return tokens.plus(Tokens(usd=_usd(model, tokens)))


def _usd(model: str, tokens: Tokens) -> float:
    """The price by the step that the size of the prompt falls into; 0 for unknown models."""
    for price in catalog.find(model).prices:
        if price.up_to is None or tokens.prompt <= price.up_to:
            amount = (
                tokens.input * price.input
                + tokens.output * price.output
                + tokens.read * price.read
                + tokens.write_5m * price.write_5m
                + tokens.write_1h * price.write_1h
            )
            return amount / 1_000_000
    return 0.0


def _count(usage: JsonObject | None, name: str) -> int:
    value = (usage or {}).get(name)
    return value if isinstance(value, int) and value > 0 else 0


def sum_usage(usages: Iterable[JsonObject]) -> JsonObject:
    """The `usage` object of a result: sums over the responses of a turn, keys as in the API."""
    given = list(usages)
    total: JsonObject = {name: sum(_count(usage, name) for usage in given) for name in _COUNTS}
    for outer, names in _NESTED.items():
        parts = [as_object(usage.get(outer)) for usage in given]
        total[outer] = {name: sum(_count(part, name) for part in parts) for name in names}
    for name in _KEPT:
        values = [usage[name] for usage in given if usage.get(name) is not None]
        if values:
            total[name] = values[-1]
    return total
