"""Changes one place of a JSON text and leaves every other character as it was."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from hames.settings.jsontext import Member, Node, commas, find, scan
from hames.settings.parse import parse_text
from hames.system.types import JsonObject, is_list, is_object

_BLANK = " \t"


def set_value(text: str, path: Sequence[str], value: object) -> str:
    """The text with `value` at a path of keys; missing objects on the way are made."""
    values, text = _start(text)
    wanted = _with(values, path, value)
    return text if wanted == values else _checked(_set(text, path, value), wanted)


def remove_key(text: str, path: Sequence[str]) -> str:
    """The text without the entry at a path of keys."""
    _, text = _start(text)
    while (member := find(scan(text), path)) is not None:
        parent = _node(scan(text), path[:-1])
        text = _cut(text, parent, parent.members.index(_same(parent, member)))
    parse_text(text)
    return text


def add_items(text: str, path: Sequence[str], items: Iterable[object]) -> str:
    """The text with items at the end of the list at `path`, without those it has already."""
    values, text = _start(text)
    have = _list_at(values, path)
    new: list[object] = []
    for item in items:
        if item not in have and item not in new:
            new.append(item)
    if not new:
        return text
    wanted = _with(values, path, [*have, *new])
    if find(scan(text), path) is None:
        return _checked(_set(text, path, new), wanted)
    for item in new:
        root = scan(text)
        text = _append(text, root, _node(root, path), None, item)
    return _checked(text, wanted)


def remove_items(text: str, path: Sequence[str], items: Iterable[object]) -> str:
    """The text without these items in the list at `path`."""
    values, text = _start(text)
    gone = list(items)
    have = _list_at(values, path)
    if not any(item in gone for item in have):
        return text
    for index in reversed([i for i, item in enumerate(have) if item in gone]):
        text = _cut(text, _node(scan(text), path), index)
    return _checked(text, _with(values, path, [item for item in have if item not in gone]))


def _start(text: str) -> tuple[JsonObject, str]:
    """The values; a blank text becomes an object. Raises ValueError for what is not one."""
    if not text.strip():
        text = "{}\n"
    return parse_text(text).values, text


def _checked(text: str, wanted: JsonObject) -> str:
    """A splice that does not mean what was asked for must never reach the disk."""
    if parse_text(text).values != wanted:
        raise ValueError("it cannot be changed without losing something")
    return text


def _with(values: JsonObject, path: Sequence[str], value: object) -> JsonObject:
    if len(path) == 1:
        return {**values, path[0]: value}
    inner = values.get(path[0], {})
    if not is_object(inner):
        raise ValueError(f'"{path[0]}" is not an object')
    return {**values, path[0]: _with(inner, path[1:], value)}


def _list_at(values: JsonObject, path: Sequence[str]) -> list[Any]:
    found: Any = values
    for step in path:
        if not is_object(found):
            raise ValueError(f'"{step}" stands in something that is not an object')
        found = found.get(step, {} if step != path[-1] else [])
    if not is_list(found):
        raise ValueError(f'"{".".join(path)}" is not a list')
    return found


def _node(root: Node | None, path: Sequence[str]) -> Node:
    member = find(root, path) if path else None
    found = member.value if member else root
    if found is None:
        raise ValueError("it is empty")
    return found


def _same(parent: Node, member: Member) -> Member:
    return next(m for m in parent.members if m.start == member.start)


def _set(text: str, path: Sequence[str], value: object) -> str:
    """Replace an existing value, else add it to the deepest object that exists."""
    root = scan(text)
    member = find(root, path)
    if member is not None:
        indent = _indent_at(text, member.start)
        shown = _render(value, indent, text, root)
        return text[: member.value.start] + shown + text[member.value.end :]
    depth = next(n for n in range(len(path) - 1, -1, -1) if n == 0 or find(root, path[:n]))
    for step in reversed(path[depth + 1 :]):
        value = {step: value}
    return _append(text, root, _node(root, path[:depth]), path[depth], value)


def _append(text: str, root: Node | None, parent: Node, key: str | None, value: object) -> str:
    """A new last entry in the manner of its neighbours: one line each, or all in one line."""
    close = parent.end - 1
    lines = "\n" in text[parent.start : parent.members[0].start] if parent.members else True
    indent = _member_indent(text, root, parent)
    shown = _render(value, indent, text, root) if lines else _plain(value, None)
    if key is not None:
        shown = f"{_plain(key, None)}: {shown}"
    if not lines:
        end = parent.members[-1].value.end
        return f"{text[:end]}, {shown}{text[end:]}"
    newline = _newline(text)
    head, tail = text[:close].rstrip(), text[close:]
    if parent.members:
        end = parent.members[-1].value.end
        if not commas(text, end, close):
            head = f"{head[:end]},{head[end:]}"
    outer = _indent_at(text, parent.start)
    return f"{head}{newline}{indent}{shown}{newline}{outer}{tail}"


def _cut(text: str, parent: Node, index: int) -> str:
    """Remove one entry with one comma; comments around it stay."""
    member = parent.members[index]
    after = commas(text, member.value.end, parent.end - 1)
    if after:
        text = _cut_pair(text, (member.start, member.value.end), (after[0], after[0] + 1))
    elif index:
        comma = commas(text, parent.members[index - 1].value.end, member.start)[0]
        text = _cut_pair(text, (comma, comma + 1), (member.start, member.value.end))
    else:
        text = _cut_line(text, member.start, member.value.end)
    if len(parent.members) == 1:
        close = text.index("}" if parent.is_object else "]", parent.start)
        if not text[parent.start + 1 : close].strip():
            text = text[: parent.start + 1] + text[close:]
    return text


def _cut_pair(text: str, first: tuple[int, int], second: tuple[int, int]) -> str:
    """Remove two spans, and the blanks between them when there is nothing else."""
    if not text[first[1] : second[0]].strip():
        return _cut_line(text, first[0], second[1])
    for start, end in (second, first):
        comma = text[start:end] == ","
        text = text[:start] + text[end:] if comma else _cut_line(text, start, end)
    return text


def _cut_line(text: str, start: int, end: int) -> str:
    """Remove a span, and its line when nothing else stands on it."""
    left = start
    while left > 0 and text[left - 1] in _BLANK:
        left -= 1
    right = end
    while right < len(text) and text[right] in _BLANK:
        right += 1
    if left > 0 and text[left - 1] == "\n" and text.startswith(("\n", "\r\n"), right):
        return text[:left] + text[text.index("\n", right) + 1 :]
    return text[:start] + text[right:]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, offset: int) -> str:
    """The blanks at the start of the line that holds `offset`."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(_BLANK))]


def _member_indent(text: str, root: Node | None, parent: Node) -> str:
    if parent.members and "\n" in text[parent.start : parent.members[0].start]:
        return _indent_at(text, parent.members[-1].start)
    return _indent_at(text, parent.start) + _unit(text, root)


def _unit(text: str, root: Node | None) -> str:
    if root is not None and root.members and "\n" in text[root.start : root.members[0].start]:
        return _indent_at(text, root.members[0].start) or "  "
    return "  "


def _render(value: object, indent: str, text: str, root: Node | None) -> str:
    return _plain(value, _unit(text, root)).replace("\n", _newline(text) + indent)


def _plain(value: object, unit: str | None) -> str:
    shown = json.dumps(value, indent=unit, ensure_ascii=False)
    try:
        shown.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=unit)
    return shown
