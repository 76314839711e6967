"""One shell word taken apart: literal text, globs, and what the shell would put in its place."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

PieceKind = Literal[
    "text", "quoted", "glob", "var", "guard", "number", "sub", "tilde", "brace", "odd"
]
"""`guard` is `${X:?}`, `number` always expands to digits, `odd` may run code when expanded."""


class Piece(NamedTuple):
    """A part of a word. `text` is the literal text, the variable name, or the raw spelling."""

    kind: PieceKind
    text: str
    quoted: bool = False


@dataclass(frozen=True)
class Word:
    """A word as it was written and as its pieces."""

    raw: str
    pieces: tuple[Piece, ...]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of its pieces."""
        return frozenset(piece.kind for piece in self.pieces)

    @cached_property
    def literal(self) -> str | None:
        """The value after quote removal, when nothing is expanded in it."""
        if self.kinds <= {"text", "quoted"}:
            return "".join(piece.text for piece in self.pieces)
        return None

    @cached_property
    def spelled(self) -> str:
        """The word with its quotes removed and expansions as they were written."""
        return "".join(_spelling(piece) for piece in self.pieces)

    def value(self, home: str) -> str | None:
        """The value when it is known; `~` and `$HOME` are. A glob is not."""
        if self.literal is not None:
            return self.literal
        found: list[str] = []
        for piece in self.pieces:
            if piece.kind in ("text", "quoted"):
                found.append(piece.text)
            elif piece.kind == "tilde" or (piece.kind == "var" and piece.text == "HOME"):
                found.append(home)
            else:
                return None
        return "".join(found)

    def glob(self, home: str) -> str | None:
        """The word as a pattern with its literal characters escaped; None when unknown."""
        found: list[str] = []
        for piece in self.pieces:
            if piece.kind == "glob":
                found.append(piece.text)
            elif piece.kind in ("text", "quoted"):
                found.append(escape_glob(piece.text))
            elif piece.kind == "tilde" or (piece.kind == "var" and piece.text == "HOME"):
                found.append(escape_glob(home))
            else:
                return None
        return "".join(found)

    def alternatives(self) -> tuple[str, ...] | None:
        """The words that brace expansion makes of it; None when they are unknown or many."""
        if not self.kinds <= {"text", "quoted", "brace"}:
            return None
        found = [""]
        for piece in self.pieces:
            options = [piece.text]
            if piece.kind == "brace":
                inner = piece.text[1:-1]
                if ".." in inner and "," not in inner:
                    return None
                options = inner.split(",")
            found = [head + option for head in found for option in options]
            if len(found) > 64:
                return None
        return tuple(found)


def _spelling(piece: Piece) -> str:
    if piece.kind == "var" and piece.text == "IFS" and not piece.quoted:
        return " "
    if piece.kind in ("var", "number"):
        return "$" + piece.text
    return piece.text


def escape_glob(text: str) -> str:
    """Text in which no character is a wildcard, inside a glob."""
    return "".join("\\" + char if char in "*?[]\\" else char for char in text)


def plain_word(text: str) -> Word:
    """A word of literal text."""
    return Word(text, (Piece("text", text),))
