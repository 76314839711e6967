"""Wildcards matched in linear time: command text with `*`, one path segment, whole paths."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

P = TypeVar("P")
S = TypeVar("S")


def text_matches(parts: Sequence[str], text: str) -> bool:
    """Whether `text` fits a pattern that was cut at its `*`s; one part means equality."""
    if len(parts) == 1:
        return text == parts[0]
    first, last = parts[0], parts[-1]
    if len(text) < len(first) + len(last) or not text.startswith(first):
        return False
    if not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in parts[1:-1]:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


class Segment(NamedTuple):
    """One compiled path segment; `literal` is its only match, when it has no wildcard."""

    literal: str | None
    parts: tuple[str, ...] = ()
    tokens: tuple[tuple[str, str], ...] = ()

    def matches(self, name: str) -> bool:
        """Whether a file or folder name fits."""
        if self.literal is not None:
            return name == self.literal
        if self.parts:
            return text_matches(self.parts, name)
        return _tokens_match(self.tokens, name)


def parse_segment(raw: str) -> Segment | None:
    """Compile one segment of a gitignore pattern; None when it is no valid glob."""
    tokens = segment_tokens(raw)
    if tokens is None:
        return None
    kinds = {kind for kind, _ in tokens}
    if kinds <= {"char"}:
        return Segment("".join(value for _, value in tokens))
    if kinds <= {"char", "star"}:
        parts = "".join("\0" if kind == "star" else value for kind, value in tokens)
        return Segment(None, tuple(parts.split("\0")))
    return Segment(None, (), tokens)


def segment_tokens(raw: str) -> tuple[tuple[str, str], ...] | None:
    """A segment as (kind, value): char, any (`?`), star, class; None when malformed."""
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(raw):
        char = raw[at]
        if char == "\\":
            if at + 1 == len(raw):
                return None
            tokens.append(("char", raw[at + 1]))
            at += 2
            continue
        if char == "[":
            end = _class_end(raw, at)
            if end < 0:
                return None
            tokens.append(("class", raw[at + 1 : end]))
            at = end + 1
            continue
        kind = {"*": "star", "?": "any"}.get(char, "char")
        if not (kind == "star" and tokens and tokens[-1][0] == "star"):
            tokens.append((kind, char))
        at += 1
    return tuple(tokens)


def _class_end(raw: str, start: int) -> int:
    at = start + 1
    if at < len(raw) and raw[at] in "!^":
        at += 1
    if at < len(raw) and raw[at] == "]":
        at += 1
    return raw.find("]", at)


def _in_class(body: str, char: str) -> bool:
    negated = body[:1] in ("!", "^")
    ranges = body[1:] if negated else body
    at, found = 0, False
    while at < len(ranges):
        if at + 2 < len(ranges) and ranges[at + 1] == "-":
            found = found or ranges[at] <= char <= ranges[at + 2]
            at += 3
        else:
            found = found or ranges[at] == char
            at += 1
    return found != negated


def _token_fits(token: tuple[str, str], char: str) -> bool:
    kind, value = token
    if kind == "char":
        return value == char
    if kind == "class":
        return _in_class(value, char)
    return True


def _tokens_match(tokens: Sequence[tuple[str, str]], name: str) -> bool:
    return _greedy(tokens, name, lambda token: token[0] == "star", _token_fits)


def path_matches(pattern: Sequence[Segment | None], names: Sequence[str]) -> bool:
    """Whether the names, one per segment, fit a pattern in which None is `**`."""
    return _greedy(pattern, names, lambda item: item is None, _segment_fits)


def _segment_fits(item: Segment | None, name: str) -> bool:
    return item is not None and item.matches(name)


def _greedy(
    pattern: Sequence[P],
    text: Sequence[S],
    is_star: Callable[[P], bool],
    fits: Callable[[P, S], bool],
) -> bool:
    """Wildcard matching that only ever goes back to the last star: O(len * len), no recursion."""
    at = text_at = 0
    star, star_text = -1, 0
    while text_at < len(text):
        if at < len(pattern) and is_star(pattern[at]):
            star, star_text = at, text_at
            at += 1
        elif at < len(pattern) and fits(pattern[at], text[text_at]):
            at += 1
            text_at += 1
        elif star >= 0:
            star_text += 1
            at, text_at = star + 1, star_text
        else:
            return False
    return all(is_star(item) for item in pattern[at:])
