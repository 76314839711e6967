"""Events to lines of the scroll-back. Pure: what was written is never changed again."""

import textwrap
from collections.abc import Callable
from copy import copy

from hames.cli.paint import Paint
from hames.cli.repl.markdown import Markdown
from hames.cli.tool_lines import argument_of, call_line, result_lines, started_argument
from hames.harness import events as ev
from hames.system.text import visible
from hames.system.types import JsonObject, as_list, as_object

VOID = "The connection broke; what is above is void and the model is asked again."
INTERRUPTED = "Interrupted. What now?"


class Renderer:
    """Folds the events of a session into text; `width` gives the columns of the moment.

    Lines of an answer are given as soon as they are whole; `unfinished` shows the rest.
    """

    def __init__(self, paint: Paint, width: Callable[[], int], cwd: str = "") -> None:
        self._partial = ""
        self._paint = paint
        self._width = width
        self._cwd = cwd
        self._markdown: Markdown | None = None
        self._calls: dict[str, str] = {}
        self._last = "start"

    def unfinished(self) -> list[str]:
        """The rows of the line that the model is writing."""
        if not self._partial.strip():
            return []
        gap = [""] if self._markdown is None and self._last != "start" else []
        markdown = copy(self._markdown) if self._markdown else Markdown(self._paint)
        return gap + markdown.line(visible(self._partial.rstrip("\r")), self._width())

    def prompt(self, text: str) -> str:
        """The echo of a message of the user."""
        first, *rest = visible(text).replace("\t", "    ").split("\n")
        sign = self._paint("accent", self._paint.sign("prompt"))
        rows = [f"{sign} {self._paint('bold', first)}"]
        rows += [f"  {self._paint('bold', row)}" for row in rows_of(rest)]
        return self._block("prompt", rows)

    def note(self, text: str, style: str = "dim") -> str:
        """Lines that hames says itself."""
        rows = [row for line in visible(text).split("\n") for row in self._folded(line)]
        return self._block("note", [self._paint(style, row) for row in rows])

    def _folded(self, line: str) -> list[str]:
        """A line of a note, broken between words where the window ends."""
        width = max(self._width(), 10)
        if len(line) <= width:
            return [line]
        return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)

    def styled(self, rows: list[str]) -> str:
        """Rows that are styled and safe already."""
        return self._block("note", rows)

    def take(self, event: ev.Event) -> str:
        """The text that an event of the main conversation adds to the scroll-back."""
        match event:
            case ev.StreamDelta():
                return self._delta(event.event)
            case ev.BlockCompleted():
                return self._completed(event)
            case ev.ToolStarted():
                argument = started_argument(event, self._cwd)
                self._calls[event.call_id] = argument
                return ""
            case ev.ToolFinished():
                return self._finish_text() + self._finished(event)
            case ev.Notice() if event.level in ("warning", "error"):
                style = "bad" if event.level == "error" else "warn"
                return self._finish_text() + self.note(event.text, style)
            case ev.Notice():
                return self._finish_text() + self.note(event.text)
            case ev.Retrying():
                return self._void()
            case ev.TurnFinished():
                return self._finish_text() + self._ended(event.result)
            case _:
                return ""

    def _delta(self, event: JsonObject) -> str:
        delta = as_object(event.get("delta"))
        if delta is None or delta.get("type") != "text_delta":
            return ""
        whole, newline, self._partial = (self._partial + str(delta.get("text", ""))).rpartition(
            "\n"
        )
        return self._text(whole) if newline else ""

    def _text(self, text: str) -> str:
        """Whole lines of the answer; blank ones at its start are left out."""
        fresh = self._markdown is None
        lines = visible(text + "\n")[:-1].split("\n")
        if fresh:
            while lines and not lines[0].strip():
                lines.pop(0)
            if not lines:
                return ""
            self._markdown = Markdown(self._paint)
        assert self._markdown is not None
        rows = [row for line in lines for row in self._markdown.line(line, self._width())]
        return self._block("text", rows) if fresh else "".join(f"{row}\n" for row in rows)

    def _finish_text(self) -> str:
        """The last line of an answer that ends without a line feed."""
        rest, self._partial = self._partial, ""
        shown = self._text(rest) if rest.strip() else ""
        self._markdown = None
        return shown

    def _completed(self, event: ev.BlockCompleted) -> str:
        for block in map(as_object, as_list(event.message.get("content"))):
            if block is not None and block.get("type") == "tool_use":
                given = as_object(block.get("input")) or {}
                self._calls[str(block.get("id"))] = argument_of(given, self._cwd)
        return self._finish_text()

    def _finished(self, event: ev.ToolFinished) -> str:
        failed = event.block.get("is_error") is True
        argument = self._calls.pop(event.call_id, "")
        head = call_line(self._paint, event.name, argument, "bad" if failed else "good")
        return self._block("tool", [head, *result_lines(self._paint, event)])

    def _void(self) -> str:
        begun = self._markdown is not None
        self._partial, self._markdown = "", None
        return self.note(VOID, "warn") if begun else ""

    def _ended(self, result: ev.TurnResult) -> str:
        shown = ""
        if result.interrupted:
            shown += self.note(INTERRUPTED)
        elif result.is_error:
            shown += self.note("\n".join(result.errors) or result.text, "bad")
        elif result.num_turns == 0 and result.text:
            shown += self.note(result.text)
        if result.note:
            shown += self.note(result.note, "warn")
        return shown

    def _block(self, kind: str, rows: list[str]) -> str:
        """Rows after a blank line; neighbouring calls and notes stand close together."""
        close = kind == self._last and kind in ("tool", "note")
        gap = "" if close or self._last == "start" else "\n"
        self._last = kind
        return gap + "".join(f"{row}\n" for row in rows)


def rows_of(rest: list[str]) -> list[str]:
    """The further lines of an echoed message; a very long one is cut."""
    return rest if len(rest) <= 40 else [*rest[:40], f"… {len(rest) - 40} more lines"]
