"""JSON as text: comments blanked out, and a tree of spans for line numbers and splicing."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|//[^\n\r]*|/\*.*?(?:\*/|\Z)|[{}\[\]:,]|[^\s"{}\[\]:,/]+', re.DOTALL
)
_VISIBLE = re.compile(r"[^\r\n]")

Step = str | int
"""A key of an object or an index of an array."""


@dataclass(slots=True, eq=False, repr=False)
class Node:
    """One value of a text: `text[start:end]`; `kind` is its first character."""

    kind: str
    start: int
    end: int
    members: list["Member"] = field(default_factory=list["Member"])

    @property
    def is_object(self) -> bool:
        """Whether the value is an object; else, when it has members, an array."""
        return self.kind == "{"


class Member(NamedTuple):
    """One entry of an object (with its decoded key) or array; `start` includes the key."""

    key: str | None
    start: int
    value: Node


def blank_comments(text: str) -> str:
    """The same text with comments and trailing commas as blanks, so that offsets stay."""
    pieces: list[str] = []
    done = 0
    comma = -1
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        first = text[start]
        if first == "/":
            pieces += (text[done:start], _VISIBLE.sub(" ", text[start:end]))
            done = end
        elif first == ",":
            comma = len(pieces)
            pieces += (text[done:start], ",")
            done = end
        else:
            if first in "}]" and comma >= 0:
                pieces[comma + 1] = " "
            comma = -1
    pieces.append(text[done:])
    return "".join(pieces)


def scan(text: str) -> Node | None:
    """The tree of spans of a text that `json.loads` takes once its comments are blanked."""
    root: Node | None = None
    stack: list[Node] = []
    key: tuple[str, int] | None = None
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        first = text[start]
        if first in "/,:":
            continue
        if first in "}]":
            stack.pop().end = end
            continue
        if stack and stack[-1].is_object and key is None:
            key = (_decoded(text[start:end]), start)
            continue
        node = Node(first, start, end)
        if stack:
            name, begin = key or (None, start)
            stack[-1].members.append(Member(name, begin, node))
        else:
            root = node
        key = None
        if first in "{[":
            stack.append(node)
    return root


def _decoded(key: str) -> str:
    return str(json.loads(key, strict=False)) if "\\" in key else key[1:-1]


def find(root: Node | None, path: Iterable[Step]) -> Member | None:
    """The entry at a path of keys and indexes; of a key written twice the last, as JSON does."""
    found: Member | None = None
    node = root
    for step in path:
        if node is None:
            return None
        if isinstance(step, int):
            found = node.members[step] if step < len(node.members) else None
        else:
            found = next((m for m in reversed(node.members) if m.key == step), None)
        node = found.value if found else None
    return found


class Lines:
    """Line numbers (1-based) for offsets of one text."""

    def __init__(self, text: str) -> None:
        self._breaks = [match.start() for match in re.finditer("\n", text)]

    def at(self, offset: int) -> int:
        """The line that holds the character at `offset`."""
        return bisect_right(self._breaks, offset - 1) + 1


def commas(text: str, start: int, end: int) -> list[int]:
    """Offsets of the commas between two offsets that hold only commas, blanks and comments."""
    tokens = _TOKEN.finditer(text, start, end)
    return [token.start() for token in tokens if text[token.start()] == ","]
