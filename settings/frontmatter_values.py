"""Values of header fields: a small reader for the common forms, and the reading as plain text."""

import json
import re
from typing import TypeAlias

Value: TypeAlias = "str | int | float | bool | None | list[Value] | dict[str, Value]"
"""Scalars at the top and in lists are text as written; inside mappings they have JSON types."""

_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s+#.*)?')
_SINGLE = re.compile(r"'((?:[^']|'')*)'(?:\s+#.*)?")
_SPECIAL_START = re.compile(r"[\[\]{}&*!|>%@`\"'#,]|[-?:](?:\s|$)")
_COMMENT = re.compile(r"(?:^|\s+)#(?:\s.*)?$")
_BLOCK = re.compile(r"([|>])([+-]?)(?:\s+#.*)?$")
_NULLS = ("~", "null", "Null", "NULL")


def plain_value(first: str, rest: list[str]) -> Value:
    """The value as YAML would read it, for common forms; None when YAML proper is needed.

    `first` is what stands after the colon, `rest` the lines below up to the next key.
    """
    if first.startswith(("|", ">")):
        return _block(first, rest)
    below = [line for line in rest if line.strip()]
    if any(line.lstrip().startswith("#") for line in below):
        return None
    first = _COMMENT.sub("", first) if first[:1] not in ('"', "'", "[") else first
    if not below:
        return _flow_list(first) if first.startswith("[") else _scalar(first)
    return _block_list(below) if not first else _folded(first, rest)


def surely_text(first: str, rest: list[str]) -> bool:
    """Whether YAML would fail, or take text for a tag or an anchor; saves loading the library."""
    below = [line.strip() for line in rest if line.strip()]
    if not first:
        return bool(below) and any(re.match(r"-\s+[*@`%!&]", line) for line in below)
    if first[0] in "*@`%!&":
        return True
    return not _SPECIAL_START.match(first) and re.search(r":\s", first) is not None


def text_value(first: str, rest: list[str]) -> str | list[Value]:
    """Whatever stands there as text, or as a list when every line below is an item."""
    below = [line.strip() for line in rest if line.strip()]
    if not first and below and all(line.startswith("-") for line in below):
        return [_unquoted(line[1:].strip()) for line in below]
    return _unquoted("\n".join([first, *below]).strip())


def _unquoted(text: str) -> str:
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "\"'":
        return text
    inner = text[1:-1]
    pairs = inner.count(text[0]) // 2
    return text if pairs else inner


def _scalar(text: str) -> str | None:
    text = text.strip()
    if text.startswith('"'):
        match = _DOUBLE.fullmatch(text)
        return _decoded(match[1]) if match else None
    if text.startswith("'"):
        match = _SINGLE.fullmatch(text)
        return match[1].replace("''", "'") if match else None
    if not _is_plain(text):
        return None
    return "" if text in _NULLS else text


def _is_plain(text: str) -> bool:
    if _SPECIAL_START.match(text) or text.endswith(":") or "\t" in text:
        return False
    return re.search(r":\s|\s#", text) is None and text.isprintable()


def _decoded(inner: str) -> str | None:
    if "\\" not in inner:
        return inner
    try:
        decoded: object = json.loads(f'"{inner}"')
    except ValueError:
        return None
    return decoded if isinstance(decoded, str) else None


def _flow_list(text: str) -> Value:
    """`[a, "b"]` of scalars without commas inside them."""
    text = _COMMENT.sub("", text)
    if not text.endswith("]"):
        return None
    inner = text[1:-1].strip()
    if not inner:
        return []
    items: list[Value] = []
    for part in inner.removesuffix(",").split(","):
        item = part.strip()
        quoted = item[:1] in ('"', "'")
        if not item or (not quoted and re.search(r"[\[\]{}?:]", item)):
            return None
        value = _scalar(item)
        if value is None:
            return None
        items.append(value)
    return items


def _block_list(lines: list[str]) -> Value:
    indent = len(lines[0]) - len(lines[0].lstrip(" "))
    items: list[Value] = []
    for line in lines:
        if not line.startswith(" " * indent + "- "):
            return None
        value = _scalar(_COMMENT.sub("", line[indent + 2 :].strip()))
        if value is None:
            return None
        items.append(value)
    return items


def _folded(first: str, rest: list[str]) -> Value:
    """A plain scalar over several indented lines, joined by spaces."""
    while rest and not rest[-1].strip():
        rest = rest[:-1]
    parts = [first, *(line.strip() for line in rest)]
    if not all(line.startswith(" ") and line.strip() for line in rest):
        return None
    if not all(_is_plain(part) or part.startswith("-") for part in parts[1:]):
        return None
    if re.search(r":\s|\s#", " ".join([*parts, ""])) or not _is_plain(first):
        return None
    return " ".join(parts)


def _block(first: str, rest: list[str]) -> Value:
    """`|` and `>` without an explicit indentation."""
    match = _BLOCK.fullmatch(first)
    filled = [line for line in rest if line.strip()]
    if match is None or not filled:
        return None if match is None else ""
    indent = len(filled[0]) - len(filled[0].lstrip(" "))
    lines = [line[indent:] if line.strip() else "" for line in rest]
    even = all(len(line) - len(line.lstrip(" ")) >= indent for line in filled)
    if indent == 0 or not even or match[2] == "+" or (rest[0] == "" != filled[0]):
        return None
    if match[1] == ">":
        if any(line.startswith(" ") for line in lines):
            return None
        text = re.sub(r"(?<!\n)\n(?!\n)", " ", "\n".join(lines).rstrip("\n"))
        text = re.sub(r"\n(\n+)", r"\1", text)
    else:
        text = "\n".join(lines).rstrip("\n")
    return text + ("" if match[2] == "-" else "\n")
