"""Shell-style globs for rules and excludes: `*`, `?`, `[...]`, `**`, `{a,b}`."""

import fnmatch
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal

MAX_PATTERNS = 1000
"""Patterns one list may hold after its braces are expanded; the rest is ignored."""

_MAX_LENGTH = 4096
"""Characters of one pattern; a longer one matches nothing."""

_Glob = tuple[re.Pattern[str] | None, ...]
"""One entry per path segment; None stands for `**`."""


def matches_any(patterns: Iterable[str], path: str) -> bool:
    """Whether one pattern covers the whole path; a broken pattern matches nothing."""
    segments = path.split("/")
    return any(_covers(glob, segments) for glob in _compiled(tuple(patterns)))


def broken_patterns(patterns: Iterable[str]) -> list[str]:
    """The patterns that can match nothing because they are malformed."""
    return [p for p in patterns if any(_glob(q) is None for q in expand_braces(p, MAX_PATTERNS))]


def expand_braces(pattern: str, limit: int) -> list[str]:
    """All forms of a pattern with `{a,b}` groups, at most `limit`; unbalanced braces stay."""
    done: list[str] = []
    waiting = [pattern]
    while waiting and len(done) + len(waiting) <= 2 * limit and len(done) < limit:
        current = waiting.pop()
        group = _first_group(current)
        if group is None:
            done.append(current)
            continue
        start, end, choices = group
        waiting += [current[:start] + choice + current[end:] for choice in reversed(choices)]
    return done


def _first_group(pattern: str) -> tuple[int, int, list[str]] | None:
    """The first balanced `{...}` with a comma at its own level: start, end, choices."""
    stack: list[tuple[int, list[int]]] = []
    found: tuple[int, int, list[str]] | None = None
    for at, char in enumerate(pattern):
        if char == "{":
            stack.append((at, []))
        elif char == "," and stack:
            stack[-1][1].append(at)
        elif char == "}" and stack:
            start, commas = stack.pop()
            if commas and (found is None or start < found[0]):
                cuts = [start, *commas, at]
                parts = [pattern[a + 1 : b] for a, b in zip(cuts, cuts[1:], strict=False)]
                found = (start, at + 1, parts)
    return found


@lru_cache(maxsize=256)
def _compiled(patterns: tuple[str, ...]) -> tuple[_Glob, ...]:
    expanded: list[str] = []
    for pattern in patterns:
        expanded += expand_braces(pattern, MAX_PATTERNS - len(expanded))
    return tuple(glob for glob in map(_glob, expanded) if glob is not None)


def _glob(pattern: str) -> _Glob | None:
    """The pattern by path segment; None for `**`. None as a whole when it is malformed."""
    if not pattern or len(pattern) > _MAX_LENGTH:
        return None
    segments: list[re.Pattern[str] | None] = []
    for text in pattern.split("/"):
        segment = None if text == "**" else _segment(text)
        if segment is False:
            return None
        segments.append(segment)
    return tuple(segments)


def _segment(text: str) -> re.Pattern[str] | Literal[False]:
    plain = re.sub(r"\\(.)", r"[\1]", text).replace("[^", "[!")
    if "[" in re.sub(r"\[!?\]?[^\]]*\]", "", plain):
        return False
    try:
        return re.compile(fnmatch.translate(plain))
    except re.error:
        return False


def _covers(glob: _Glob, segments: Sequence[str]) -> bool:
    """Table over (segments of the glob, segments of the path): never exponential."""
    reached = {0}
    for at, part in enumerate(glob):
        if part is None:
            last = at == len(glob) - 1
            start = min(reached) + (1 if last else 0)
            reached = set(range(start, len(segments) + 1))
        else:
            reached = {i + 1 for i in reached if i < len(segments) and part.match(segments[i])}
        if not reached:
            return False
    return len(segments) in reached
