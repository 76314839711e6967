"""YAML for the few header fields that need it; the library is loaded on first use (15 ms)."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hames.settings.frontmatter_values import Value

if TYPE_CHECKING:
    import yaml

MAX_CHARS = 64 * 1024
"""Longer text is not parsed as YAML: the parser is slow."""

_MAX_NODES = 10_000
_MAX_DEPTH = 40

_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}


def yaml_value(first: str, rest: list[str]) -> Value:
    """The value of one key; raises ValueError when it is not valid YAML."""
    found = _mapping("\n".join([f"k: {first}", *rest, ""]))
    if list(found) != ["k"]:
        raise ValueError("more than one key")
    return found["k"]


def yaml_mapping(text: str) -> dict[str, Value] | None:
    """A whole header as a mapping; None when it is none."""
    try:
        return _mapping(text)
    except ValueError:
        return None


def _mapping(text: str) -> dict[str, Value]:
    import yaml

    if len(text) > MAX_CHARS or _nesting(text) > _MAX_DEPTH:
        raise ValueError("too long or too deep")
    try:
        node: Any = yaml.compose(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if not isinstance(node, yaml.MappingNode):
        raise ValueError("not a mapping")
    count = _Count()
    return {_key(key): _converted(value, count, 1, False) for key, value in node.value}


@dataclass(slots=True)
class _Count:
    nodes: int = 0


def _converted(node: "yaml.Node", count: _Count, depth: int, typed: bool) -> Value:
    count.nodes += 1
    # Aliases can repeat a small text into billions of nodes, or contain themselves.
    if count.nodes > _MAX_NODES or depth > _MAX_DEPTH:
        raise ValueError("too large")
    value: Any = node.value
    kind = str(getattr(node, "id", ""))
    if kind == "mapping":
        return {_key(key): _converted(item, count, depth + 1, True) for key, item in value}
    if kind == "sequence":
        return [_converted(item, count, depth + 1, typed) for item in value]
    text = str(value)
    is_plain = getattr(node, "style", None) is None
    if is_plain and typed:
        return _typed(text)
    return "" if is_plain and _WORDS.get(text.lower(), 0) is None else text


def _typed(text: str) -> Value:
    word = text.lower()
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def _key(node: "yaml.Node") -> str:
    value: Any = node.value
    if not isinstance(value, str):
        raise ValueError("a key that is not text")
    return value


def _nesting(text: str) -> int:
    """An upper bound of how deep flow collections and indentation go."""
    flow = max(text.count("["), text.count("{"))
    deepest = max((len(line) - len(line.lstrip(" -"))) // 2 for line in text.split("\n"))
    return max(deepest, min(flow, _open(text)))


def _open(text: str) -> int:
    depth = most = 0
    for char in text:
        if char in "[{":
            depth += 1
            most = max(most, depth)
        elif char in "]}":
            depth -= 1
    return most
