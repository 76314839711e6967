"""The progress of a turn as plain lines for a terminal. Pure: events in, text out."""

from hames.harness import events as ev
from hames.system.text import visible
from hames.system.types import JsonObject, is_list, is_object

MAX_LINES = 12
MAX_WIDTH = 200


class Progress:
    """Streams the answer and shows each call, its diff or the end of its output.

    With `colour` lines carry ANSI colours; text of tools and models is made visible first.
    """

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._calls: dict[str, ev.ToolStarted] = {}
        self._at_line_start = True

    def take(self, event: ev.Event) -> str:
        """The text that the event adds to the screen."""
        match event:
            case ev.StreamDelta():
                return self._delta(event.event)
            case ev.BlockCompleted() if event.message.get("model") == "<synthetic>":
                return ""
            case ev.BlockCompleted():
                return self._line_end()
            case ev.ToolStarted():
                self._calls[event.call_id] = event
                return self._line_end() + self._paint("36", f"● {visible(event.summary)}") + "\n"
            case ev.ToolFinished():
                return self._line_end() + self._finished(event)
            case ev.Retrying():
                text = f"… {event.message}; next try in {event.delay_ms / 1000:.1f} s"
                return self._line_end() + self._paint("33", visible(text)) + "\n"
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

    def _finished(self, event: ev.ToolFinished) -> str:
        failed = event.block.get("is_error") is True
        patch = event.structured.get("structuredPatch") if is_object(event.structured) else None
        if patch and not failed:
            return self._diff(patch)
        head = "" if event.call_id in self._calls else f"● {visible(event.name)}\n"
        lines = _shortened(visible(_text_of(event.block)).rstrip("\n").split("\n"))
        body = "".join(f"  {line[:MAX_WIDTH]}\n" for line in lines)
        return head + (self._paint("31", body) if failed else self._paint("2", body))

    def _diff(self, patch: list[JsonObject]) -> str:
        lines: list[str] = []
        for hunk in patch:
            for line in hunk.get("lines", []):
                colour = {"+": "32", "-": "31"}.get(line[:1], "2")
                lines.append("  " + self._paint(colour, visible(line)[:MAX_WIDTH]) + "\n")
        return "".join(lines)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text


def _shortened(lines: list[str]) -> list[str]:
    """The first and last lines of a long output and how many are between them."""
    if len(lines) <= MAX_LINES:
        return lines
    half = MAX_LINES // 2
    return [*lines[:half], f"… {len(lines) - 2 * half} more lines …", *lines[-half:]]


def _text_of(block: JsonObject) -> str:
    content = block.get("content")
    if isinstance(content, str):
        return content
    parts = content if is_list(content) else []
    return "\n".join(
        str(part.get("text")) if part.get("type") == "text" else f"[{part.get('type')}]"
        for part in parts
    )
