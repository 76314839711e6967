"""Text from outside made safe to show, to send and to cut."""

import re
import unicodedata

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\u00ad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f"  # fillers, marks of direction
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e0fff]"  # tags and variation selectors that can carry hidden text
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_JOINERS = "\u200d\ufe0e\ufe0f"
_LONGEST_CLUSTER = 32


def visible(text: str) -> str:
    """Control, bidi and invisible characters as escapes (`\\x1b`, `\\u202e`).

    Line feeds and tabs stay, CRLF becomes LF; every other `\\r` is shown, because it can hide
    what stands before it. Use `settle_progress` first where only the last state matters.
    """
    return _INVISIBLE.sub(_escape, text.replace("\r\n", "\n"))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x0D:
        return "\\r"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def settle_progress(text: str) -> str:
    """Lines redrawn with `\\r` reduced to their last state, as a terminal would leave them."""
    if "\r" not in text:
        return text
    return "\n".join(_last_state(line) for line in text.split("\n"))


def _last_state(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2]


def clean(text: str) -> str:
    """The text as valid Unicode: split surrogate pairs joined, lone surrogates as U+FFFD."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cut(text: str, limit: int) -> str:
    """At most `limit` code points from the start; no accent or emoji sequence is cut apart."""
    if len(text) <= limit:
        return text
    limit = max(limit, 0)
    for end in range(limit, max(limit - _LONGEST_CLUSTER, 0), -1):
        if not _continues(text, end):
            return text[:end]
    return text[:limit]


def cut_start(text: str, limit: int) -> str:
    """At most `limit` code points from the end, cut as carefully as `cut` does."""
    if len(text) <= limit:
        return text
    limit = max(limit, 0)
    start = len(text) - limit
    for begin in range(start, min(start + _LONGEST_CLUSTER, len(text))):
        if not _continues(text, begin):
            return text[begin:]
    return text[start:]


def _continues(text: str, at: int) -> bool:
    """Whether the code points before and at `at` belong to one shown character."""
    after, before = text[at], text[at - 1] if at else ""
    return (
        after in _JOINERS
        or before == "\u200d"
        or unicodedata.combining(after) != 0
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    )


def head_tail(text: str, limit: int, note: str) -> str:
    """The text, or `limit` code points of its two ends with `note` on a line between.

    `{omitted}` in the note becomes the number of code points left out.
    """
    if len(text) <= limit:
        return text
    head = cut(text, limit - limit // 2)
    tail = cut_start(text, limit // 2)
    omitted = len(text) - len(head) - len(tail)
    return f"{head}\n{note.replace('{omitted}', str(omitted))}\n{tail}"
