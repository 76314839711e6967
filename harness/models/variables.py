"""Numbers and switches from environment variables."""

from collections.abc import Mapping

_ON = frozenset({"1", "true", "yes", "on"})


CLOUD_SWITCHES = (
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
    "CLAUDE_CODE_USE_ANTHROPIC_AWS",
)
"""The variables that send requests to a cloud instead of the Messages API."""


def is_on(env: Mapping[str, str], name: str) -> bool:
    """Whether a switch is on: `1`, `true`, `yes` or `on` in any case."""
    return env.get(name, "").strip().lower() in _ON


def whole_number(env: Mapping[str, str], name: str) -> int | None:
    """A decimal number >= 0; None when unset or not such a number."""
    text = env.get(name, "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None
