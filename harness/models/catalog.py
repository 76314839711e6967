"""What is known of each model, read from `models.toml` on first use; unknown ids work too."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hames.harness.models.variables import is_on, whole_number
from hames.system.types import JsonObject

ThinkingForm = Literal["always", "adaptive", "either", "manual"]
EFFORTS = ("low", "medium", "high", "xhigh", "max")
SHORT_WINDOW = 200_000
SCRIPTED = ("scripted:", "replay:")
"""Prefixes of model names that play prepared answers."""

_LONG_SUFFIX = "[1m]"
_DATE = re.compile(r"[-@]20\d{6}(?=$|-v\d|:)")


class Price(NamedTuple):
    """USD per million tokens, for prompts of at most `up_to` tokens (None: of any size)."""

    input: float
    output: float
    write_5m: float
    write_1h: float
    read: float
    up_to: int | None = None


class Model(NamedTuple):
    """One model; limits in tokens.

    `long_window` is the window with the `[1m]` suffix, `long_beta` the header it needs.
    `no_disabled_at`: efforts at which thinking cannot be disabled. `progress_in_thinking`: text
    between tool calls arrives as thinking. `known` is false for an id that is not in the table.
    """

    id: str
    window: int
    max_output: int
    default_output: int
    thinking: ThinkingForm
    efforts: tuple[str, ...]
    default_effort: str
    prices: tuple[Price, ...] = ()
    long_window: int | None = None
    long_beta: str | None = None
    no_disabled_at: tuple[str, ...] = ()
    system_messages: bool = False
    preserved_thinking: bool = False
    account_bound: bool = False
    forced_tool_choice: bool = True
    progress_in_thinking: bool = False
    images: bool = True
    known: bool = True


class Choice(NamedTuple):
    """What a model name stands for: the id to send, and whether the long window is wanted."""

    id: str
    long_context: bool = False


def choose_name(flag: str | None, env: Mapping[str, str], setting: str | None) -> str:
    """The model name that counts: flag, ANTHROPIC_MODEL, setting, ANTHROPIC_DEFAULT_MODEL."""
    default = env.get("ANTHROPIC_DEFAULT_MODEL")
    for name in (flag, env.get("ANTHROPIC_MODEL"), setting, default):
        if name and name.strip():
            return name.strip()
    return "sonnet"


def resolve(name: str, env: Mapping[str, str], *, planning: bool = False) -> Choice:
    """Alias or id -> id. `opusplan` is opus while `planning`, else sonnet."""
    given, long_context = _split_suffix(name)
    alias = given.lower()
    if alias == "default":
        given, wished = _split_suffix(env.get("ANTHROPIC_DEFAULT_MODEL", "").strip() or "sonnet")
        alias, long_context = given.lower(), long_context or wished
    if alias == "opusplan":
        alias = "opus" if planning else "sonnet"
    alias = {"best": "opus", "default": "sonnet"}.get(alias, alias)
    table: Mapping[str, str] = _table()["aliases"]
    if alias not in table:
        return Choice(given, long_context)
    override = env.get(f"ANTHROPIC_DEFAULT_{alias.upper()}_MODEL", "").strip()
    identity, wished = _split_suffix(override or table[alias])
    return Choice(table.get(identity.lower(), identity), long_context or wished)


def resolve_small(env: Mapping[str, str]) -> Choice:
    """The model of background work: haiku, unless a variable names another."""
    old = env.get("ANTHROPIC_SMALL_FAST_MODEL", "").strip()
    new = env.get("ANTHROPIC_DEFAULT_HAIKU_MODEL", "").strip()
    return resolve(old if old and not new else "haiku", env)


def find(identity: str) -> Model:
    """Facts of a model id; dated ids and those of other providers are recognised."""
    table = _table()
    name = _canonical(identity, table["models"])
    if name is None:
        return _model(identity, {**table["defaults"], **table["unknown"], "known": False})
    return _model(name, {**table["defaults"], **table["models"][name]})


def context_window(model: Model, env: Mapping[str, str], *, long_context: bool = False) -> int:
    """The window to plan with, in tokens."""
    override = whole_number(env, "CLAUDE_CODE_MAX_CONTEXT_TOKENS")
    if override:
        return override
    if is_on(env, "CLAUDE_CODE_DISABLE_1M_CONTEXT"):
        return min(model.window, SHORT_WINDOW)
    if long_context:
        return model.long_window or (model.window if model.known else 1_000_000)
    return model.window


def search_price() -> float:
    """USD of one web search on the server."""
    return float(_table()["web_search"])


def is_scripted(name: str) -> bool:
    """Whether a model name plays prepared answers."""
    return name.startswith(SCRIPTED)


def _split_suffix(name: str) -> tuple[str, bool]:
    if name.lower().endswith(_LONG_SUFFIX):
        return name[: -len(_LONG_SUFFIX)].strip(), True
    return name, False


def _canonical(identity: str, models: Mapping[str, Any]) -> str | None:
    """`us.anthropic.claude-opus-4-6-v1:0`, `anthropic/claude-…`, `…-20251001` -> the listed id."""
    if identity in models:
        return identity
    bare = _DATE.sub("", identity.lower().replace(".", "-"))
    found = [name for name in models if re.search(rf"(?:^|[-/]){name}(?:$|-v\d|[:@])", bare)]
    return max(found, key=len, default=None)


@cache
def _table() -> JsonObject:
    text = Path(__file__).with_name("models.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _model(identity: str, values: JsonObject) -> Model:
    given = dict(values)
    prices = tuple(_price(row) for row in given.pop("prices", ()))
    for name in ("efforts", "no_disabled_at"):
        given[name] = tuple(given.get(name, ()))
    return Model(id=identity, prices=prices, **given)


def _price(row: JsonObject) -> Price:
    usual = {
        "write_5m": row["input"] * 1.25,
        "write_1h": row["input"] * 2,
        "read": row["input"] * 0.1,
    }
    return Price(**{**usual, **row})
