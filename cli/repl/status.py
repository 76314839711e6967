"""The status line below the input. Pure."""

from pathlib import Path

from prompt_toolkit.utils import get_cwidth

from hames.cli.paint import Paint
from hames.cli.repl.view import View
from hames.system.text import visible

MODE_STYLES = {"plan": "plan", "acceptEdits": "edits", "bypassPermissions": "bad"}
MODE_NAMES = {
    "default": "asks before changes",
    "acceptEdits": "accepts edits",
    "plan": "plan only",
    "dontAsk": "never asks",
    "bypassPermissions": "no permission checks",
}


LONGEST_FOLDER = 40
SHORTEST = 3
"""Columns below which a part is better left out."""


def status_line(view: View, paint: Paint, width: int, home: str) -> str:
    """Mode, model, folder, cost, queue; what does not fit is cut or left out from the right."""
    hint = view.told
    if hint:
        return paint("warn", fitted(hint, width))
    mode = MODE_NAMES.get(view.mode, view.mode)
    parts = [(MODE_STYLES.get(view.mode, "dim"), mode)]
    for text in (visible(view.model), _cost(view), _queue(view), _folder(view.cwd, home)):
        if text:
            parts.append(("dim", text))
    row, used = "", 0
    for style, text in parts:
        gap = f" {paint.sign('dot')} " if row else ""
        room = width - used - len(gap)
        if room < min(get_cwidth(text), SHORTEST):
            break
        shown = fitted(text, room, keep_end=bool(row))
        row, used = row + paint("dim", gap) + paint(style, shown), used + get_cwidth(gap + shown)
    return row


def fitted(text: str, width: int, *, keep_end: bool = False) -> str:
    """At most `width` columns of one line of text; what is left out shows as `…`."""
    text = visible(text).replace("\n", " ").replace("\t", " ")
    if get_cwidth(text) <= width:
        return text
    kept, used = "", 1
    for letter in reversed(text) if keep_end else text:
        used += get_cwidth(letter)
        if used > width:
            break
        kept = letter + kept if keep_end else kept + letter
    mark = "…" if width > 0 else ""
    return mark + kept if keep_end else kept + mark


def _folder(cwd: str, home: str) -> str:
    path = Path(cwd) if cwd else Path()
    try:
        inside = path.relative_to(home)
    except ValueError:
        return fitted(cwd, LONGEST_FOLDER, keep_end=True)
    return fitted("~" if inside == Path() else f"~/{inside}", LONGEST_FOLDER, keep_end=True)


def _cost(view: View) -> str:
    return f"${view.cost:.2f}" if view.cost >= 0.005 else ""


def _queue(view: View) -> str:
    return f"{len(view.queued)} queued" if view.queued else ""
