"""What a refused request allows: one repair of each block or kind, or a clear end."""

from collections import Counter
from collections.abc import Sequence

from hames.harness.models import categories
from hames.harness.models.port import ModelFailure
from hames.harness.record import Record
from hames.harness.rounds import content_blocks
from hames.harness.steps import End
from hames.system.types import JsonObject, is_list, is_object

MEDIA = ("image", "document")
DROPPED_MEDIA = "(An image or document that the service could not process was left out.)"
THINKING_LEFT_OUT = "Earlier thinking no longer fits this conversation and is left out from now on."
MEDIA_LEFT_OUT = "The request was too large: images and documents are left out from now on."
MOST_REPAIRS = {"media": 20}
"""Images are repaired one by one; every other repair helps once or not at all."""
SMALLEST_OUTPUT = 1_024


class Failures:
    """The failures of one turn. Each repair is an entry, so that it holds after a restart."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._repairs: Counter[str] = Counter()
        self.output_limit: int | None = None

    def handle(self, failure: ModelFailure) -> End | str:
        """A notice for people when the history was repaired and the request can go out again."""
        for kind, repair, notice in (
            ("thinking", self._drop_thinking, THINKING_LEFT_OUT),
            ("output", self._lower_output, "The output limit was lowered to fit the window."),
            ("media", self._drop_media, DROPPED_MEDIA.strip("()")),
            ("size", self._drop_all_media, MEDIA_LEFT_OUT),
        ):
            if self._repairs[kind] < MOST_REPAIRS.get(kind, 1) and repair(failure):
                self._repairs[kind] += 1
                return notice
        if categories.is_prompt_too_long(failure) or categories.is_too_large(failure):
            text = "Prompt is too long: the conversation no longer fits the model's window."
            return End("prompt_too_long", error=text, api_status=categories.status_of(failure))
        return End("api_error", error=str(failure), api_status=categories.status_of(failure))

    def _drop_thinking(self, failure: ModelFailure) -> bool:
        """Ask the service, from now on, to leave thinking out that it cannot verify."""
        if self._record.state.drop_block or not categories.is_thinking_mismatch(failure):
            return False
        self._record.append([{"type": "hames-state", "dropBlock": True}])
        return True

    def _lower_output(self, failure: ModelFailure) -> bool:
        """Whether lowering `max_tokens` lets the request fit the window; sets `output_limit`."""
        overflow = categories.output_overflow(failure)
        room = overflow.window - overflow.input if overflow is not None else 0
        if room < SMALLEST_OUTPUT:
            return False
        self.output_limit = room
        return True

    def _drop_media(self, failure: ModelFailure) -> bool:
        """Replace the image or document that a refusal names (else the newest) by a note."""
        if not categories.is_unprocessable_image(failure):
            return False
        wanted = _named_block(self._record.messages, categories.names_block(failure))
        for drop, block in reversed(self._media()):
            if _is_target(block, wanted):
                self._record.append([drop])
                return True
        return False

    def _drop_all_media(self, failure: ModelFailure) -> bool:
        """Replace every image and document by a note when a request was too large in bytes."""
        if not categories.is_too_large(failure):
            return False
        drops = [drop for drop, _ in self._media()]
        if drops:
            self._record.append(drops)
        return bool(drops)

    def _media(self) -> list[tuple[JsonObject, JsonObject]]:
        """Every image or document that is still sent: the entry that drops it, and its block."""
        entries = self._record.entries
        gone = {(e.get("entry"), e.get("block")) for e in entries if e["type"] == "hames-drop"}
        return [
            (_drop(entry, index), block)
            for entry in entries
            if entry["type"] == "user"
            for index, block in enumerate(content_blocks(entry))
            if _holds_media(block) and (entry["uuid"], index) not in gone
        ]


def _drop(entry: JsonObject, index: int) -> JsonObject:
    return {"type": "hames-drop", "entry": entry["uuid"], "block": index, "note": DROPPED_MEDIA}


def _named_block(
    messages: Sequence[JsonObject], place: tuple[int, int] | None
) -> JsonObject | None:
    if place is None or place[0] >= len(messages):
        return None
    content = messages[place[0]]["content"]
    return content[place[1]] if place[1] < len(content) else None


def _is_target(block: JsonObject, wanted: JsonObject | None) -> bool:
    if wanted is None:
        return True
    if wanted["type"] == "tool_result":
        return bool(block.get("tool_use_id") == wanted["tool_use_id"])
    return bool(block.get("source") == wanted.get("source"))


def _holds_media(block: JsonObject) -> bool:
    content = block.get("content")
    inner = content if is_list(content) else []
    return block["type"] in MEDIA or any(
        is_object(part) and part.get("type") in MEDIA for part in inner
    )
