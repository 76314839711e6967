"""Colours and signs for a terminal, and the plain forms for one that has neither."""

from collections.abc import Mapping
from typing import NamedTuple

CODES: Mapping[str, str] = {
    "bold": "1",
    "dim": "2",
    "added": "32",
    "removed": "31",
    "good": "32",
    "bad": "31",
    "warn": "33",
    "accent": "36",
    "code": "36",
    "plan": "36",
    "edits": "35",
}
"""SGR codes by meaning; only the sixteen colours of the terminal's own theme."""

SIGNS: Mapping[str, tuple[str, str]] = {
    "call": ("●", "*"),
    "prompt": ("❯", ">"),
    "more": ("…", "..."),
    "dot": ("·", "-"),
    "bullet": ("•", "-"),
    "chosen": ("❯", ">"),
    "rule": ("─", "-"),
    "up": ("↑", "^"),
}
"""Signs by meaning: the usual form, and the one for terminals without Unicode."""

_SPINNER = ("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\")


class Paint(NamedTuple):
    """Turns meanings into escape sequences and signs."""

    colour: bool
    unicode: bool = True

    def __call__(self, style: str, text: str) -> str:
        """The text in the colour of a meaning of `CODES`; "" and empty text stay plain."""
        if not self.colour or not style or not text:
            return text
        return f"\x1b[{CODES[style]}m{text}\x1b[0m"

    def sign(self, name: str) -> str:
        """A sign of `SIGNS`."""
        return SIGNS[name][0 if self.unicode else 1]

    def spinner(self, seconds: float) -> str:
        """One character that turns with time."""
        frames = _SPINNER[0 if self.unicode else 1]
        return frames[int(seconds * 5) % len(frames)]


def paint_for(env: Mapping[str, str], encoding: str | None, *, terminal: bool) -> Paint:
    """What a stream can show: no colour with NO_COLOR, TERM=dumb or off a terminal."""
    plain = bool(env.get("NO_COLOR")) or is_dumb(env)
    unicode = (encoding or "").lower().replace("-", "").startswith("utf")
    return Paint(colour=terminal and not plain, unicode=unicode)


def is_dumb(env: Mapping[str, str]) -> bool:
    """Whether the terminal understands no escape sequences at all."""
    return env.get("TERM", "dumb") in ("dumb", "unknown", "")
