"""The `structuredPatch` of tool outputs: hunks with three lines of context."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hames.system.types import JsonObject

CONTEXT = 3

MAX_COMPARED = 20_000
"""Lines compared one by one; larger differences become a single hunk."""

_OPEN_END = "\\ No newline at end of file"


class Change(NamedTuple):
    """Old lines `start:end` are replaced by new lines `new_start:new_end` (0-based)."""

    start: int
    end: int
    new_start: int
    new_end: int

    def moved(self, lines: int, new_lines: int) -> "Change":
        """The change further down."""
        return Change(
            self.start + lines,
            self.end + lines,
            self.new_start + new_lines,
            self.new_end + new_lines,
        )


def structured_patch(old: str, new: str) -> list[JsonObject]:
    """What turns `old` into `new`, as hunks `{oldStart, oldLines, newStart, newLines, lines}`."""
    before, after = _lines(old), _lines(new)
    return [_hunk(group, before, after) for group in _groups(_changes(before, after))]


def edit_patch(old: str, spans: Sequence[tuple[int, int]], new: str) -> list[JsonObject]:
    """The patch of `old` with each span (sorted, disjoint) replaced by `new`."""
    changes: list[Change] = []
    pieces: list[str] = []
    done = line = new_line = 0
    for start, end, inside in _regions(old, spans):
        line += old.count("\n", done, start)
        new_line += old.count("\n", done, start)
        region = _replaced(old, start, end, inside, new)
        pieces += [old[done:start], region]
        before, after = _lines(old[start:end]), _lines(region)
        changes += [c.moved(line, new_line) for c in _changes(before, after)]
        line += len(before)
        new_line += len(after)
        done = end
    before, after = _lines(old), _lines("".join((*pieces, old[done:])))
    return [_hunk(group, before, after) for group in _groups(changes)]


def _regions(
    old: str, spans: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Whole lines around the spans: start, end and the spans inside; regions never touch."""
    start = end = -1
    inside: list[tuple[int, int]] = []
    for span in spans:
        if span[0] >= end:
            if inside:
                yield start, end, inside
            start, inside = old.rfind("\n", 0, span[0]) + 1, []
        inside.append(span)
        end = old.find("\n", span[1]) + 1 or len(old)
    if inside:
        yield start, end, inside


def _replaced(old: str, start: int, end: int, spans: list[tuple[int, int]], new: str) -> str:
    pieces: list[str] = []
    for first, last in spans:
        pieces += [old[start:first], new]
        start = last
    return "".join((*pieces, old[start:end]))


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    if lines[-1] == "":
        return [line + "\n" for line in lines[:-1]]
    return [line + "\n" for line in lines[:-1]] + [lines[-1]]


def _changes(before: list[str], after: list[str]) -> list[Change]:
    most = min(len(before), len(after))
    head = next((i for i in range(most) if before[i] != after[i]), most)
    most -= head
    tail = next((i for i in range(most) if before[-1 - i] != after[-1 - i]), most)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return []
    if len(old) + len(new) > MAX_COMPARED or not old or not new:
        return [Change(head, head + len(old), head, head + len(new))]
    matcher = difflib.SequenceMatcher(None, old, new)
    return [
        Change(head + a, head + b, head + c, head + d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _groups(changes: Iterable[Change]) -> list[list[Change]]:
    """Changes whose contexts touch, together."""
    groups: list[list[Change]] = []
    for change in changes:
        if groups and change.start - groups[-1][-1].end <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(group: list[Change], before: list[str], after: list[str]) -> JsonObject:
    first, last = group[0], group[-1]
    start = max(first.start - CONTEXT, 0)
    end = min(last.end + CONTEXT, len(before))
    new_start = first.new_start - (first.start - start)
    new_end = last.new_end + (end - last.end)
    lines: list[str] = []
    done = start
    for change in group:
        lines += _marked(" ", before[done : change.start])
        lines += _marked("-", before[change.start : change.end])
        lines += _marked("+", after[change.new_start : change.new_end])
        done = change.end
    lines += _marked(" ", before[done:end])
    return {
        "oldStart": start + 1 if end > start else start,
        "oldLines": end - start,
        "newStart": new_start + 1 if new_end > new_start else new_start,
        "newLines": new_end - new_start,
        "lines": lines,
    }


def _marked(sign: str, lines: list[str]) -> list[str]:
    marked: list[str] = []
    for line in lines:
        marked.append(sign + line.removesuffix("\n"))
        if not line.endswith("\n"):
            marked.append(_OPEN_END)
    return marked
