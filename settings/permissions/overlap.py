"""Whether an unquoted shell glob can expand to something that a path rule covers."""

from collections.abc import Sequence
from functools import lru_cache

from hames.settings.permissions.globs import Segment, segment_tokens

Tokens = tuple[tuple[str, str], ...]


def segments_meet(glob: Tokens, rule: Tokens) -> bool:
    """Whether some name fits both; a leading dot must be written out in the shell glob."""
    if glob and rule and not (_may_share(glob[0], rule[0]) and _may_share(glob[-1], rule[-1])):
        return False
    hidden_needs_dot = not glob or glob[0] != ("char", ".")
    reach = {(0, 0)}
    seen: set[tuple[int, int]] = set()
    while reach:
        at, other = reach.pop()
        if (at, other) in seen:
            continue
        seen.add((at, other))
        if at == len(glob) and other == len(rule):
            return True
        reach.update(_next_states(glob, rule, at, other, hidden_needs_dot))
    return False


def _next_states(
    glob: Tokens, rule: Tokens, at: int, other: int, hidden_needs_dot: bool
) -> list[tuple[int, int]]:
    states: list[tuple[int, int]] = []
    left = glob[at] if at < len(glob) else None
    right = rule[other] if other < len(rule) else None
    if left is not None and left[0] == "star":
        states.append((at + 1, other))
    if right is not None and right[0] == "star":
        states.append((at, other + 1))
    if left is not None and right is not None and _share_char(left, right):
        dot_first = other == 0 and right == ("char", ".")
        if not (dot_first and hidden_needs_dot):
            after_left = at if left[0] == "star" else at + 1
            after_right = other if right[0] == "star" else other + 1
            states.append((after_left, after_right))
    return states


def _may_share(left: tuple[str, str], right: tuple[str, str]) -> bool:
    """Whether names that begin (or end) with the two can be the same."""
    return left[0] != "char" or right[0] != "char" or left[1] == right[1]


def _share_char(left: tuple[str, str], right: tuple[str, str]) -> bool:
    if left[0] == "char" and right[0] == "char":
        return left[1] == right[1]
    return True


@lru_cache(maxsize=4096)
def literal_tokens(name: str) -> Tokens:
    """A name without wildcards as tokens."""
    return tuple(("char", char) for char in name)


def tokens_of(segment: Segment) -> Tokens:
    """The compiled segment of a rule as tokens."""
    if segment.literal is not None:
        return literal_tokens(segment.literal)
    if segment.parts:
        joined: list[tuple[str, str]] = []
        for index, part in enumerate(segment.parts):
            if index:
                joined.append(("star", "*"))
            joined.extend(("char", char) for char in part)
        return tuple(joined)
    return segment.tokens


def glob_segments(names: Sequence[str]) -> tuple[Tokens, ...]:
    """The segments of a shell word as tokens; a malformed class is taken as `*`."""
    return tuple(segment_tokens(name) or (("star", "*"),) for name in names)


def can_meet(glob: Sequence[Tokens], rule: Sequence[Segment | None]) -> bool:
    """Whether an expansion of the shell glob can lie at, or below, what the rule names.

    `folder/**` names what is in the folder, not the folder itself.
    """
    wanted: list[Tokens | None] = [None if s is None else tokens_of(s) for s in rule]
    if wanted and wanted[-1] is None:
        wanted[-1] = (("star", "*"),)
    wanted.append(None)
    reach, seen = {(0, 0)}, set[tuple[int, int]]()
    while reach:
        at, other = reach.pop()
        if (at, other) in seen:
            continue
        seen.add((at, other))
        if at == len(glob) and all(item is None for item in wanted[other:]):
            return True
        if other == len(wanted):
            continue
        item = wanted[other]
        if item is None:
            reach.add((at, other + 1))
            if at < len(glob):
                reach.add((at + 1, other))
        elif at < len(glob) and segments_meet(glob[at], item):
            reach.add((at + 1, other + 1))
    return False
