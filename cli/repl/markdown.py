"""Light Markdown, line by line as the model writes it: headings, lists, bold, code, fences."""

import re
from collections.abc import Iterator

from prompt_toolkit.utils import get_cwidth

from hames.cli.paint import Paint

MAX_COLUMNS = 100
"""Prose is wrapped at this width even where the window is wider."""

_FENCE = re.compile(r"\s*(```|~~~)")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])\s+(.*)")
_SPAN = re.compile(r"`([^`]+)`|\*\*(?=\S)(.+?)(?<=\S)\*\*")


class Markdown:
    """Styles the lines of one text block; remembers whether a code fence is open."""

    def __init__(self, paint: Paint) -> None:
        self._paint = paint
        self._fenced = False

    def line(self, line: str, width: int) -> list[str]:
        """The rows that a whole line becomes; code is neither wrapped nor changed."""
        line = line.replace("\t", "    ")
        if _FENCE.match(line):
            self._fenced = not self._fenced
            return [self._paint("dim", line)]
        if self._fenced or not line.strip():
            return [line]
        width = max(min(width, MAX_COLUMNS), 10)
        heading = _HEADING.fullmatch(line)
        if heading:
            return self._wrapped([("bold", heading[2])], width, "", "")
        item = _ITEM.fullmatch(line)
        if item:
            mark = self._paint.sign("bullet") if item[2] in "-*+" else item[2]
            first = f"{item[1]}{mark} "
            return self._wrapped(_spans(item[3]), width, first, " " * len(first))
        indent = line[: len(line) - len(line.lstrip())]
        if len(indent) >= 4 or line.lstrip().startswith("|"):
            return [line]
        return self._wrapped(_spans(line.strip()), width, indent, indent)

    def _wrapped(
        self, spans: list[tuple[str, str]], width: int, first: str, later: str
    ) -> list[str]:
        rows: list[str] = []
        row, used, blank = first, len(first), False
        for style, word in _words(spans):
            if word == " ":
                blank = True
                continue
            size = get_cwidth(word)
            if blank and used + 1 + size > width and used > len(later):
                rows.append(row)
                row, used = later, len(later)
            elif blank and used > len(first if not rows else later):
                row, used = row + " ", used + 1
            row, used, blank = row + self._paint(style, word), used + size, False
        return [*rows, row]


def _spans(text: str) -> list[tuple[str, str]]:
    """Pieces of a line with their style."""
    spans: list[tuple[str, str]] = []
    at = 0
    for found in _SPAN.finditer(text):
        spans.append(("", text[at : found.start()]))
        spans.append(("code", found[1]) if found[1] else ("bold", found[2]))
        at = found.end()
    spans.append(("", text[at:]))
    return [span for span in spans if span[1]]


def _words(spans: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Words with their style; every stretch of blanks is one blank."""
    for style, text in spans:
        for word in re.split(r"(\s+)", text):
            if word:
                yield (style, " " if word.isspace() else word)
