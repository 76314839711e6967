"""Reading typed fields out of a header; wrong types are named, never fatal."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hames.settings.frontmatter import Document, Field, canonical
from hames.settings.frontmatter_values import Value
from hames.settings.text_files import Problem

_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")


class FieldReader(NamedTuple):
    """The header of one file. Whatever cannot be used goes to `problems` with its line."""

    path: Path
    document: Document
    problems: list[Problem]

    def text(self, name: str) -> str:
        """A text; a list or mapping gives what was written. Empty when missing."""
        field = self._field(name)
        if field is None:
            return ""
        return field.value.strip() if isinstance(field.value, str) else field.raw

    def flag(self, name: str, default: bool) -> bool:
        """true/false, yes/no, on/off, 1/0."""
        field = self._field(name)
        if field is None or field.value == "":
            return default
        word = str(field.value).lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        self._wrong(field, "true or false")
        return default

    def number(self, name: str) -> int | None:
        """A positive integer; None when missing or wrong."""
        field = self._field(name)
        if field is None or field.value == "":
            return None
        text = str(field.value)
        if text.isascii() and text.isdigit() and int(text[:18]) > 0:
            return int(text[:18])
        self._wrong(field, "a positive number")
        return None

    def choice(self, name: str, allowed: Iterable[str]) -> str | None:
        """One of the allowed words; None when missing or another."""
        text = self.text(name)
        if not text:
            return None
        if text in allowed:
            return text
        self._wrong(self._field(name), f"one of {', '.join(allowed)}")
        return None

    def names(self, name: str, spaces: bool = False) -> tuple[str, ...] | None:
        """A list, or text separated by commas (and spaces) outside parentheses and braces."""
        field = self._field(name)
        if field is None:
            return None
        if isinstance(field.value, list):
            return tuple(item for item in map(self._item, field.value) if item)
        text = field.value if isinstance(field.value, str) else field.raw
        if field.raw.startswith("[") and isinstance(field.value, str):
            text = text.strip("[]")
        return tuple(split_names(text, spaces))

    def value(self, name: str) -> Value:
        """The value as read; None when missing."""
        field = self._field(name)
        return None if field is None else field.value

    def report_guesses(self) -> None:
        """Put what the header reader guessed among the problems."""
        self.problems.extend(Problem(self.path, g.text, g.line) for g in self.document.guesses)

    def _field(self, name: str) -> Field | None:
        return self.document.fields.get(canonical(name))

    def _item(self, item: Value) -> str:
        if isinstance(item, dict) and len(item) == 1:
            # `- Bash(git: *)` is a mapping to YAML.
            return "".join(f"{key}: {value}" for key, value in item.items())
        return str(item).strip() if not isinstance(item, dict | list) else ""

    def _wrong(self, field: Field | None, wanted: str) -> None:
        if field is not None:
            text = f"`{field.name}` is {field.raw!r}, expected {wanted}; ignored"
            self.problems.append(Problem(self.path, text, field.line))


def split_names(text: str, spaces: bool) -> list[str]:
    """Split at commas (and white space) that stand outside `(...)` and `{...}`."""
    parts: list[str] = [""]
    depth = 0
    for char in text:
        depth = max(0, depth + (char in "({") - (char in ")}"))
        if depth == 0 and (char in ",\n" or (spaces and char.isspace())):
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def first_paragraph(body: str) -> str:
    """The first paragraph of Markdown as one line, headings left out."""
    for block in re.split(r"\n\s*\n", body):
        lines = [line.strip() for line in block.splitlines()]
        prose = [line for line in lines if line and not line.startswith(("#", "<!--", "```"))]
        if prose:
            return " ".join(prose)
    return ""
