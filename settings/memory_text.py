"""The text of a memory file: block comments removed, import mentions found."""

import re
from collections.abc import Iterator

MAX_MENTIONS = 1000
"""Mentions of one file that are looked up; more is not a memory file but data."""

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")
_MENTION = re.compile(r"(?<![\w/@.\\-])@((?:\\ |[^\s`\\])+)")
_TRAILING = ".,;:!?)]}>\"'*_"


def without_comments(text: str) -> str:
    """The text without `<!-- -->` blocks that begin a line; code blocks keep theirs.

    A comment without an end stays, so that a typing mistake cannot hide the rest of a file.
    """
    if "<!--" not in text:
        return text
    kept: list[str] = []
    lines = text.split("\n")
    last = max((i for i, line in enumerate(lines) if "-->" in line), default=-1)
    at = 0
    fence = ""
    while at < len(lines):
        line = lines[at]
        fence = _next_fence(fence, line)
        opens = not fence and at <= last and _COMMENT.match(line)
        end = _comment_end(lines, at) if opens else None
        if end is None:
            kept.append(line)
            at += 1
            continue
        rest = lines[end].split("-->", 1)[1]
        if rest.strip():
            kept.append(rest.lstrip())
        at = end + 1
    return "\n".join(kept)


def mentions(text: str) -> list[tuple[str, ...]]:
    """Paths after `@` outside code, each as spelt and without trailing punctuation."""
    if "@" not in text:
        return []
    found: dict[tuple[str, ...], None] = {}
    for prose in _prose(text):
        for match in _MENTION.finditer(prose):
            spelt = match[1].replace("\\ ", " ")
            shorter = spelt.rstrip(_TRAILING)
            found[(spelt, shorter) if shorter not in ("", spelt) else (spelt,)] = None
            if len(found) == MAX_MENTIONS:
                return list(found)
    return list(found)


def _prose(text: str) -> Iterator[str]:
    """Paragraph text outside fences, with code spans blanked."""
    block: list[str] = []
    fence = ""
    for line in text.split("\n"):
        before = fence
        fence = _next_fence(fence, line)
        if fence or before or not line.strip():
            yield _without_spans("\n".join(block))
            block = []
        else:
            block.append(line)
    yield _without_spans("\n".join(block))


def _without_spans(text: str) -> str:
    """Code spans end at a run of as many backticks as began them; a lone run is text."""
    if "`" not in text:
        return text
    parts: list[str] = []
    at = 0
    runs = [(m.start(), m.end()) for m in re.finditer(r"`+", text)]
    closers: dict[int, list[int]] = {}
    for number, (start, end) in reversed(list(enumerate(runs))):
        closers.setdefault(end - start, []).append(number)
    current = 0
    while current < len(runs):
        start, end = runs[current]
        same = closers[end - start]
        while same and same[-1] <= current:
            same.pop()
        if not same:
            current += 1
            continue
        parts.append(text[at:start])
        at = runs[same[-1]][1]
        current = same[-1] + 1
    return " ".join([*parts, text[at:]])


def _next_fence(fence: str, line: str) -> str:
    """The fence that is open after `line`; empty outside code blocks."""
    match = _FENCE.match(line)
    if match is None:
        return fence
    run = match[1]
    rest = line[match.end() :]
    if not fence:
        return "" if run[0] == "`" and "`" in rest else run
    closes = run[0] == fence[0] and len(run) >= len(fence) and not rest.strip()
    return "" if closes else fence


def _comment_end(lines: list[str], start: int) -> int | None:
    first = lines[start].split("<!--", 1)[1]
    if "-->" in first:
        return start
    return next((i for i in range(start + 1, len(lines)) if "-->" in lines[i]), None)
