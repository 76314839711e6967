"""The lines above the input while something is under way. Pure."""

from hames.cli.paint import Paint
from hames.cli.repl.dialogs import Dialog
from hames.cli.repl.status import fitted
from hames.cli.repl.view import Running, View
from hames.cli.tool_lines import call_line
from hames.system.text import visible

MOST_QUEUED = 3
QUIET_SECONDS = 3
"""A call shows how long it runs only after this."""


def live_lines(view: View, partial: list[str], paint: Paint, size: tuple[int, int]) -> list[str]:
    """The unfinished rows of the answer, what runs, what waits. `size` is columns, rows."""
    columns, rows = size
    now = [_running(call, view, paint, columns) for call in view.running.values()]
    if view.working and not view.running:
        now.append(_activity(view, paint, columns))
    lines = [*partial, *(["", *now] if now else [])]
    waiting = list(view.queued.values())
    for text in waiting[:MOST_QUEUED]:
        lines.append(paint("dim", fitted(f"  {paint.sign('prompt')} {text}", columns)))
    if waiting:
        more = f"{len(waiting) - MOST_QUEUED} more, " if len(waiting) > MOST_QUEUED else ""
        text = f"  {more}queued {paint.sign('dot')} {paint.sign('up')} takes them back"
        lines.append(paint("dim", fitted(text, columns)))
    return lines[-max(rows, 0) :] if rows > 0 else []


def _running(call: Running, view: View, paint: Paint, columns: int) -> str:
    seconds = view.clock() - call.since
    line = call_line(paint, call.name, call.argument)
    elapsed = _seconds(seconds) if seconds >= QUIET_SECONDS else ""
    tail = visible(call.tail).replace("\t", " ")
    notes = f" {paint.sign('dot')} ".join(part for part in (elapsed, tail) if part)
    plain = call_line(Paint(colour=False, unicode=paint.unicode), call.name, call.argument)
    left = columns - len(plain) - 2
    if left < 8 or not notes:
        return line if left >= 0 else fitted(plain, columns)
    return f"{line}  {paint('dim', fitted(notes, left))}"


def _activity(view: View, paint: Paint, columns: int) -> str:
    since = view.working_since if view.working_since is not None else view.clock()
    seconds = view.clock() - since
    stop = "esc interrupts"
    if view.interrupting:
        parts = ["Stopping"]
    elif view.retry:
        left = max(view.retry_at - view.clock(), 0)
        attempt, most = view.attempt
        parts = [f"Attempt {attempt} of {most} in {left:.0f}s", stop, view.retry]
    else:
        parts = [view.activity, *([_seconds(seconds)] if seconds >= 1 else []), stop]
    shown = fitted(f" {paint.sign('dot')} ".join(parts), columns - 2)
    style = "warn" if view.retry else "dim"
    return f"{paint('accent', paint.spinner(seconds))} {paint(style, shown)}"


def _seconds(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole}s" if whole < 60 else f"{whole // 60}m {whole % 60:02d}s"


def dialog_lines(dialog: Dialog, paint: Paint, size: tuple[int, int], *, body: bool) -> list[str]:
    """A question with its choices; without `body` that stands in the scroll-back already."""
    columns, rows = size
    lines = ["", *dialog.body, ""] if body else [dialog.title]
    for at, choice in enumerate(dialog.choices):
        here = at == dialog.selected
        mark = paint("accent", paint.sign("chosen")) if here else " "
        label = fitted(f"{choice.key}  {choice.label}", columns - 2)
        lines.append(f"{mark} {paint('' if here else 'dim', label)}")
    return lines[-max(rows, 1) :]


def body_fits(dialog: Dialog, size: tuple[int, int]) -> bool:
    """Whether the whole question can stand above its choices without being cut."""
    columns, rows = size
    used = sum(max(-(-len_shown(row) // max(columns, 1)), 1) for row in dialog.body)
    return used + len(dialog.choices) + 3 <= rows


def len_shown(row: str) -> int:
    """Columns of a styled row, counted generously: escapes count, wide letters twice."""
    return sum(2 if ord(letter) > 0x2E7F else 1 for letter in row)
