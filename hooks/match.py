"""Which hooks an event concerns: matchers, and the rule of the `if` key."""

import re
from functools import lru_cache

from hames.hooks.event_table import EVENTS, TOOL_EVENTS
from hames.hooks.events import HookEvent

_EXACT = re.compile(r"[A-Za-z0-9_\- ,|]+", re.ASCII)
_NARROW_EXACT = re.compile(r"[A-Za-z0-9_|]+", re.ASCII)
_NARROW_EVENTS = frozenset({"FileChanged", "StopFailure"})
_ALIASES = {"Agent": "Task"}
"""Older names of tools that matchers may still use."""


def matcher_matches(matcher: str | None, event: HookEvent) -> bool:
    """Whether a matcher selects the event. An invalid expression selects nothing."""
    if is_everything(matcher) or EVENTS[event.name].subject is None:
        return True
    subject = event.subject
    if subject is None:
        return False
    names = [subject]
    if event.name in TOOL_EVENTS and subject in _ALIASES:
        names.append(_ALIASES[subject])
    alternatives = exact_alternatives(matcher or "", event.name)
    if alternatives is not None:
        return any(name in alternatives for name in names)
    if matcher_fault(matcher or "", event.name) is not None:
        return False
    pattern = expression(matcher or "")
    return any(pattern.search(name) for name in names)


def is_everything(matcher: str | None) -> bool:
    """Whether the matcher is absent, empty or `*`."""
    return matcher is None or matcher in ("", "*")


def matcher_fault(matcher: str, event_name: str) -> str | None:
    """Why a matcher is no regular expression; None when it is one, or needs to be none."""
    plain = is_everything(matcher) or exact_alternatives(matcher, event_name) is not None
    if plain or EVENTS[event_name].subject is None:
        return None
    try:
        expression(matcher)
    except (re.error, OverflowError, RecursionError) as error:
        return str(error)
    return None


def exact_alternatives(matcher: str, event_name: str) -> tuple[str, ...] | None:
    """The names that a plain matcher lists; None when it is a regular expression."""
    narrow = event_name in _NARROW_EVENTS
    if not (_NARROW_EXACT if narrow else _EXACT).fullmatch(matcher):
        return None
    return tuple(part.strip() for part in re.split(r"[|,]", matcher) if part.strip())


@lru_cache(maxsize=256)
def expression(matcher: str) -> re.Pattern[str]:
    """A matcher in the ECMAScript dialect as a Python pattern. Raises re.error."""
    return re.compile(_translated(matcher), re.ASCII)


def _translated(source: str) -> str:
    """Named groups, `$` and `[^]` differ between the dialects; the rest is common."""
    out: list[str] = []
    at = 0
    in_class = False
    while at < len(source):
        rest = source[at:]
        step = 1
        piece = source[at]
        if piece == "\\":
            piece, step = _escape(rest)
        elif in_class:
            in_class = piece != "]"
            piece = f"\\{piece}" if piece in "[&~|" else piece
        elif rest.startswith("[^]"):
            piece, step = r"[\s\S]", 3
        elif piece == "[":
            in_class = True
        elif rest.startswith("(?<") and rest[3:4] not in ("=", "!"):
            piece, step = "(?P<", 3
        elif piece == "$":
            piece = r"\Z"
        out.append(piece)
        at += step
    return "".join(out)


def _escape(rest: str) -> tuple[str, int]:
    named = re.match(r"\\k<(\w+)>", rest)
    if named:
        return f"(?P={named.group(1)})", named.end()
    if rest[1:2] in ("/", "-"):
        return re.escape(rest[1]), 2
    return rest[:2], 2
