"""The tolerant reader of `---` headers: fields, body and what was guessed, whatever the file.

A header is cut into one chunk per top-level key. Each chunk is read by the small reader of
`frontmatter_values`, else as YAML, else as plain text, so one bad value never costs the others.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from hames.settings.frontmatter_values import Value, plain_value, surely_text, text_value
from hames.settings.frontmatter_yaml import yaml_mapping, yaml_value

MAX_HEADER_LINES = 2000
"""A header without an end before this line is taken to be missing its closing `---`."""


class Field(NamedTuple):
    """One top-level key. Scalars are text as written; `raw` is the source after the colon."""

    name: str
    value: Value
    raw: str
    line: int


class Guess(NamedTuple):
    """Something malformed that was read anyway; `line` is 1-based."""

    line: int
    text: str


class Document(NamedTuple):
    """A file with its header read. `fields` is keyed by `canonical(name)`."""

    fields: Mapping[str, Field]
    body: str
    guesses: tuple[Guess, ...] = ()


@dataclass(slots=True)
class _Chunk:
    name: str
    first: str
    line: int
    rest: list[str] = field(default_factory=list[str])


class _Header(NamedTuple):
    """Lines of the header, its first 1-based line, and the text around it."""

    lines: list[str]
    start: int
    body: str
    guesses: list[Guess]


_FENCE = re.compile(r"-{3,}\s*$")
_END = re.compile(r"(?:-{3,}|\.\.\.)\s*$")
_KEY = re.compile(r"""(?P<q>["']?)(?P<name>[A-Za-z_][\w.-]*)(?P=q)\s*:(?:\s+(?P<rest>.*))?$""")
_KNOWN = r"name|description|paths|globs|tools|model|allowed-tools|argument-hint|when_to_use"
_KNOWN_KEY = re.compile(rf"(?:{_KNOWN})\s*:", re.IGNORECASE)
_TIGHT_KEY = re.compile(rf"(?P<name>{_KNOWN}):(?P<rest>\S.*)$", re.IGNORECASE)
_SEARCHED = 20
"""Lines in which a header may begin when other text stands before it."""


def canonical(name: str) -> str:
    """One spelling for `allowed-tools`, `allowed_tools` and `allowedTools`."""
    return name.lower().replace("-", "").replace("_", "")


def parse(text: str) -> Document:
    """Read a file. Never raises; a file without a header is all body."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    header = _find_header(text.split("\n"))
    if header is None:
        return Document({}, text)
    guesses = header.guesses
    fields = _read_fields(header.lines, header.start, guesses)
    if not fields and any(line.strip() for line in header.lines):
        return Document({}, text, (Guess(header.start, "no fields between the --- lines"),))
    return Document(fields, header.body, tuple(guesses))


def _find_header(lines: list[str]) -> _Header | None:
    start = next((i for i, line in enumerate(lines) if line.strip()), None)
    if start is None:
        return None
    if _FENCE.match(lines[start]):
        return _fenced(lines, start, before=[], guesses=[])
    if _KNOWN_KEY.match(lines[start]):
        return _without_opening(lines, start)
    for at in range(start + 1, min(len(lines) - 1, _SEARCHED)):
        if _FENCE.match(lines[at]) and _KNOWN_KEY.match(lines[at + 1]):
            guess = Guess(start + 1, "text before the opening --- was moved into the body")
            return _fenced(lines, at, before=lines[start:at], guesses=[guess])
    return None


def _fenced(
    lines: list[str], start: int, before: list[str], guesses: list[Guess]
) -> _Header | None:
    for at in range(start + 1, min(len(lines), MAX_HEADER_LINES)):
        if _END.match(lines[at]):
            body = "\n".join([*before, *lines[at + 1 :]])
            return _Header(lines[start + 1 : at], start + 2, body, guesses)
    end = start + 1
    while end < min(len(lines), MAX_HEADER_LINES) and _belongs(lines[end]):
        end += 1
    if end == start + 1:
        return None
    guesses.append(Guess(start + 1, "the closing --- is missing"))
    return _Header(lines[start + 1 : end], start + 2, "\n".join([*before, *lines[end:]]), guesses)


def _without_opening(lines: list[str], start: int) -> _Header | None:
    for at in range(start + 1, min(len(lines), MAX_HEADER_LINES)):
        if _FENCE.match(lines[at]):
            guess = Guess(start + 1, "the opening --- is missing")
            return _Header(lines[start:at], start + 1, "\n".join(lines[at + 1 :]), [guess])
        if lines[at].strip() and not _belongs(lines[at]):
            return None
    return None


def _belongs(line: str) -> bool:
    """Whether a line can be part of a header whose end is unknown."""
    return bool(_KEY.match(line)) or line.startswith((" ", "\t", "- ", "#")) and bool(line.strip())


def _read_fields(lines: list[str], start: int, guesses: list[Guess]) -> dict[str, Field]:
    if "".join(lines).lstrip().startswith("{"):
        return _flow_fields(lines, start)
    chunks = _chunks(_straightened(lines, start, guesses), start, guesses)
    fields: dict[str, Field] = {}
    for chunk in chunks:
        value, guess = _read_value(chunk)
        if guess is not None:
            guesses.append(Guess(chunk.line, f"`{chunk.name}`: {guess}"))
        name = canonical(chunk.name)
        if name in fields:
            guesses.append(Guess(chunk.line, f"`{chunk.name}` stands twice; the last one counts"))
        raw = "\n".join([chunk.first, *chunk.rest]).strip()
        fields[name] = Field(chunk.name, value, raw, chunk.line)
    return fields


def _flow_fields(lines: list[str], start: int) -> dict[str, Field]:
    """A header written as one JSON or flow mapping."""
    found = yaml_mapping("\n".join(lines)) or {}
    return {
        canonical(name): Field(name, value, value if isinstance(value, str) else "", start)
        for name, value in found.items()
    }


def _straightened(lines: list[str], start: int, guesses: list[Guess]) -> list[str]:
    """Indentation by spaces only, the outermost keys at column 0."""
    straight: list[str] = []
    for number, line in enumerate(lines, start):
        content = line.lstrip(" \t")
        indent = line[: len(line) - len(content)]
        if "\t" in indent and content:
            guesses.append(Guess(number, "tabs in the indentation were read as two spaces"))
        straight.append(indent.replace("\t", "  ") + content)
    filled = [line for line in straight if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in filled), default=0)
    return [line[margin:] for line in straight]


def _chunks(lines: list[str], start: int, guesses: list[Guess]) -> list[_Chunk]:
    chunks: list[_Chunk] = []
    for number, line in enumerate(lines, start):
        if chunks and _is_misplaced_key(line, chunks[-1]):
            guesses.append(Guess(number, "the indentation before a key was ignored"))
            line = line.lstrip()
        match = _KEY.match(line)
        if match is None and (match := _TIGHT_KEY.match(line)):
            guesses.append(Guess(number, f"`{match['name']}`: a space after the colon is missing"))
        if match is not None:
            chunks.append(_Chunk(match["name"], (match["rest"] or "").strip(), number))
        elif chunks:
            chunks[-1].rest.append(line)
        elif line.strip() and not line.startswith("#"):
            guesses.append(Guess(number, f"not understood: {line.strip()[:80]}"))
    return chunks


def _is_misplaced_key(line: str, above: _Chunk) -> bool:
    """Whether an indented line is a known key, under a key that has its one-line value already."""
    is_closed = above.first != "" and above.first[0] not in "\"'[{|>&!" and not above.rest
    return line.startswith(" ") and is_closed and _KNOWN_KEY.match(line.lstrip()) is not None


def _read_value(chunk: _Chunk) -> tuple[Value, str | None]:
    """The value and, when it is not what YAML would give, what was guessed."""
    # In YAML ` #42` begins a comment; people who write it mean the text.
    if chunk.first[:1] not in ('"', "'", "[", "{", "|", ">") and re.search(r"\s#\w", chunk.first):
        return text_value(chunk.first, chunk.rest), "` #` was kept as text, not as a comment"
    plain = plain_value(chunk.first, chunk.rest)
    if plain is not None:
        return plain, None
    try:
        if not surely_text(chunk.first, chunk.rest):
            return yaml_value(chunk.first, chunk.rest), None
    except ValueError:
        pass
    value = text_value(chunk.first, chunk.rest)
    return value, "not valid YAML, read as plain text; put it in quotes"
