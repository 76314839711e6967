"""Why a text was not found in a file, when the reason is a common one."""

import re

_NUMBERED = re.compile(r"^\s*\d+[\t→]", re.MULTILINE)
_QUOTES = str.maketrans("“”„‘’‚«»", '"""\'\'\'""')
_MAX_TEXT = 4 << 20


def explain_mismatch(text: str, old: str) -> str:
    """A sentence with a leading space, or nothing when no reason is apparent."""
    if len(text) > _MAX_TEXT:
        return ""
    bare = _NUMBERED.sub("", old)
    if bare != old and bare in text:
        return " It does without the line numbers, which are not part of the file."
    if old.translate(_QUOTES) in text.translate(_QUOTES):
        at = _line_of(text.translate(_QUOTES), old.translate(_QUOTES))
        return f" Line {at} differs only in the kind of quotes."
    line = _same_but_for_spaces(text, old)
    if line is not None:
        return f" The text at line {line} differs only in white space."
    return " Read the file again and copy the text exactly."


def _line_of(text: str, old: str) -> int:
    return text.count("\n", 0, text.index(old)) + 1


def _same_but_for_spaces(text: str, old: str) -> int | None:
    wanted = [_squeezed(line) for line in old.strip().split("\n")]
    if not any(wanted):
        return None
    lines = [_squeezed(line) for line in text.split("\n")]
    for start in range(len(lines) - len(wanted) + 1):
        if lines[start] == wanted[0] and lines[start : start + len(wanted)] == wanted:
            return start + 1
    return None


def _squeezed(line: str) -> str:
    return " ".join(line.split())
