"""Reads one shell word into pieces, and so checks that the parser saw the same word."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hames.settings.permissions.bash_word import Piece, PieceKind, Word


class Span(NamedTuple):
    """An expansion inside a word: what it is and where it ends."""

    kind: str
    end: int


_PARAM = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*?#$!-])(.*)\}", re.DOTALL)
_LENGTH = re.compile(r"\$\{#([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])?\}")
_SIMPLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*?#$!-])")
_NUMBERS = re.compile(r"[\s0-9+*/%()<>=&|^~-]*")
_SLICE = re.compile(r":[0-9: -]*")
_BRACE = re.compile(r"\{[^{}'\"$`\\\s]*(?:,|\.\.)[^{}'\"$`\\\s]*\}")
_OPERATORS = ("##", "#", "%%", "%", "//", "/", "^^", "^", ",,", ",", ":-", "-", ":+", "+")
_NUMERIC = "?#$!"
_AFTER_DOLLAR = ("(", "{", '"', "\\")
_SUBSCRIPT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\[")
_END_WORD = frozenset(" \t\r\n;|&<>()")
_ANSI = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_ANSI_CODE = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})")


class NotOneWord(Exception):
    """The text is not what the shell would read as one word."""


@dataclass(slots=True)
class _Reader:
    raw: str
    spans: Mapping[int, Span]
    at: int = 0
    pieces: list[Piece] = field(default_factory=list[Piece])

    def add(self, kind: PieceKind, text: str, *, quoted: bool = False) -> None:
        last = self.pieces[-1] if self.pieces else None
        if last is not None and last.kind == kind and kind in ("text", "quoted"):
            self.pieces[-1] = Piece(kind, last.text + text, quoted)
        else:
            self.pieces.append(Piece(kind, text, quoted))

    def read(self) -> tuple[Piece, ...]:
        if _SUBSCRIPT.match(self.raw) and self.raw.count("[") != self.raw.count("]"):
            raise NotOneWord  # the shell reads on to the closing bracket, blanks included
        if self.raw.startswith("~"):
            self._tilde()
        while self.at < len(self.raw):
            char = self.raw[self.at]
            if char == "'":
                self._single()
            elif char == '"':
                self._double()
            elif char in "$`" or self.at in self.spans:
                self._expansion(quoted=False)
            elif char == "\\":
                self._backslash()
            elif char in _END_WORD:
                raise NotOneWord
            else:
                self._plain(char)
        return tuple(self.pieces)

    def _tilde(self) -> None:
        end = len(self.raw)
        for mark in "/\"'\\$`":
            found = self.raw.find(mark)
            end = found if 0 <= found < end else end
        kind: PieceKind = "tilde" if end == 1 and self.raw[1:2] in ("", "/") else "var"
        self.add(kind, self.raw[:end])
        self.at = end

    def _single(self) -> None:
        end = self.raw.find("'", self.at + 1)
        if end < 0:
            raise NotOneWord
        self.add("quoted", self.raw[self.at + 1 : end])
        self.at = end + 1

    def _double(self) -> None:
        self.add("quoted", "")
        self.at += 1
        while self.at < len(self.raw):
            char = self.raw[self.at]
            if char == '"':
                self.at += 1
                return
            if char in "$`":
                self._expansion(quoted=True)
            elif char == "\\" and self.raw[self.at + 1 : self.at + 2] in tuple('$`"\\\n'):
                kept = self.raw[self.at + 1]
                self.add("quoted", "" if kept == "\n" else kept)
                self.at += 2
            else:
                self.add("quoted", char)
                self.at += 1
        raise NotOneWord

    def _backslash(self) -> None:
        if self.at + 1 == len(self.raw):
            raise NotOneWord
        kept = self.raw[self.at + 1]
        if kept == "\n":
            raise NotOneWord
        self.add("quoted", kept)
        self.at += 2

    def _plain(self, char: str) -> None:
        if char == "{" and (brace := _BRACE.match(self.raw, self.at)):
            self.add("brace", brace[0])
            self.at = brace.end()
            return
        if char in "*?" or (char == "[" and "]" in self.raw[self.at + 1 :]):
            end = self.at + 1
            if char == "[":
                end = self.raw.index("]", self.at + 2) + 1 if self._class_closes() else end
            self.add("glob", self.raw[self.at : end])
            self.at = end
            return
        self.add("text", char)
        self.at += 1

    def _class_closes(self) -> bool:
        end = self.raw.find("]", self.at + 2)
        return end > 0 and not set(self.raw[self.at : end]) & set("'\"$`\\/")

    def _expansion(self, *, quoted: bool) -> None:
        span = self.spans.get(self.at)
        if span is not None:
            raw = self.raw[self.at : span.end]
            kind, text = _read_span(span.kind, raw)
            self.add(kind, text, quoted=quoted)
            self.at = span.end
        elif not quoted and self.raw.startswith("$'", self.at):
            self._ansi()
        elif simple := _SIMPLE.match(self.raw, self.at):
            name = simple[1]
            self.add("number" if name in _NUMERIC else "var", name, quoted=quoted)
            self.at = simple.end()
        elif self.raw[self.at] == "`" or self.raw[self.at + 1 : self.at + 2] in (
            "(",
            "{",
            '"',
            "\\",
        ):
            raise NotOneWord
        else:
            self.add("quoted" if quoted else "text", "$")
            self.at += 1

    def _ansi(self) -> None:
        at, found = self.at + 2, list[str]()
        while at < len(self.raw) and self.raw[at] != "'":
            if self.raw[at] != "\\":
                found.append(self.raw[at])
                at += 1
                continue
            code = _ANSI_CODE.match(self.raw, at + 1)
            if code is not None:
                found.append(_ansi_char(code))
                at = code.end()
            else:
                escaped = self.raw[at + 1 : at + 2]
                found.append(_ANSI.get(escaped, "\\" + escaped))
                at += 2
        if at >= len(self.raw):
            raise NotOneWord
        self.add("quoted", "".join(found))
        self.at = at + 1


def _ansi_char(code: re.Match[str]) -> str:
    hexadecimal = code[1] or code[2] or code[3]
    number = int(hexadecimal, 16) if hexadecimal else int(code[4], 8) & 0xFF
    return chr(number) if 0 < number <= 0x10FFFF else ""


def _read_span(kind: str, raw: str) -> tuple[PieceKind, str]:
    if kind in ("command_substitution", "process_substitution"):
        return "sub", raw
    if kind == "arithmetic_expansion":
        plain = raw.startswith("$((") and _NUMBERS.fullmatch(raw[3:-2])
        return ("number" if plain else "odd"), raw
    return _parameter(raw)


def _parameter(raw: str) -> tuple[PieceKind, str]:
    """`${...}`: a variable, a guarded one, a number, or a form that evaluates its content."""
    if _LENGTH.fullmatch(raw):
        return "number", raw
    found = _PARAM.fullmatch(raw)
    if found is None:
        return "odd", raw
    name, rest = found[1], found[2]
    if rest == "":
        return ("number" if name in _NUMERIC else "var"), name
    if rest.startswith((":?", "?")):
        return "guard", raw
    if rest.startswith(_OPERATORS) or _SLICE.fullmatch(rest):
        return "var", raw
    return "odd", raw


def read_word(raw: str, spans: Mapping[int, Span]) -> Word:
    """The word with its pieces. Raises NotOneWord when the text is no single word."""
    reader = _Reader(raw, spans)
    return Word(raw, reader.read())
