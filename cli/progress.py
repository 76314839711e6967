"""The progress of a turn as plain lines for a terminal. Pure: events in, text out."""

from hames.cli.paint import Paint
from hames.cli.tool_lines import argument_of, call_line, result_lines, started_argument
from hames.harness import events as ev
from hames.system.text import visible
from hames.system.types import JsonObject, is_object


class Progress:
    """Streams the answer and shows each call, its diff or the end of its output.

    Text of tools and models is made visible first. `cwd` shortens paths.
    """

    def __init__(self, paint: Paint, cwd: str = "") -> None:
        self._paint = paint
        self._cwd = cwd
        self._calls: dict[str, str] = {}
        self._newest = ""
        self._at_line_start = True

    def take(self, event: ev.Event) -> str:
        """The text that the event adds to the screen."""
        match event:
            case ev.StreamDelta():
                return self._delta(event.event)
            case ev.BlockCompleted() if event.message.get("model") == "<synthetic>":
                return ""
            case ev.BlockCompleted():
                self._note_call(event.message)
                return self._line_end()
            case ev.ToolStarted():
                return self._line_end() + self._head(event)
            case ev.ToolFinished():
                return self._line_end() + self._finished(event)
            case ev.Retrying():
                text = f"… {event.message}; next try in {event.delay_ms / 1000:.1f} s"
                return self._line_end() + self._paint("warn", visible(text)) + "\n"
            case ev.TurnFinished():
                return self._line_end()
            case _:
                return ""

    def _delta(self, event: JsonObject) -> str:
        delta = event.get("delta")
        if event.get("type") != "content_block_delta" or not is_object(delta):
            return ""
        if delta.get("type") != "text_delta":
            return ""
        text = visible(str(delta.get("text", "")))
        if text:
            self._at_line_start = text.endswith("\n")
        return text

    def _line_end(self) -> str:
        if self._at_line_start:
            return ""
        self._at_line_start = True
        return "\n"

    def _note_call(self, message: JsonObject) -> None:
        """Keep what a call is about, for calls that are refused before they start."""
        for block in message.get("content", []):
            if block.get("type") == "tool_use" and is_object(block.get("input")):
                name, given = str(block.get("name")), block["input"]
                line = call_line(self._paint, name, argument_of(given, self._cwd))
                self._calls[str(block.get("id"))] = line

    def _head(self, event: ev.ToolStarted) -> str:
        argument = started_argument(event, self._cwd)
        line = call_line(self._paint, event.name, argument)
        self._calls[event.call_id] = line
        self._newest = event.call_id
        return line + "\n"

    def _finished(self, event: ev.ToolFinished) -> str:
        """The result below the line of its call; the line again when others came between."""
        line = self._calls.pop(event.call_id, call_line(self._paint, event.name, ""))
        head = [] if event.call_id == self._newest else [line]
        self._newest = event.call_id
        return "".join(f"{row}\n" for row in (*head, *result_lines(self._paint, event)))
