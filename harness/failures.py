"""What a refused request allows: one repair of each kind, or a clear end."""

from collections.abc import Sequence

from hames.harness.models import categories
from hames.harness.models.port import ModelFailure
from hames.harness.record import Record
from hames.harness.rounds import content_blocks
from hames.harness.steps import End
from hames.system.types import JsonObject, is_list, is_object

MEDIA = ("image", "document")
DROPPED_MEDIA = "(An image or document that the service could not process was left out.)"
SMALLEST_OUTPUT = 1_024


class Failures:
    """The failures of one turn. Each repair is an entry, so that it holds after a restart."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._repaired: set[str] = set()
        self.output_limit: int | None = None

    def handle(self, failure: ModelFailure) -> End | str:
        """A notice for people when the history was repaired and the request can go out again."""
        if self._once("thinking", self._drop_thinking(failure)):
            return "Earlier thinking no longer fits this conversation and is left out from now on."
        if self._once("output", self._lower_output(failure)):
            return "The output limit was lowered to fit the window."
        if self._once("media", self._drop_media(failure)):
            return DROPPED_MEDIA.strip("()")
        if categories.is_prompt_too_long(failure):
            text = "Prompt is too long: the conversation no longer fits the model's window."
            return End("prompt_too_long", error=text, api_status=categories.status_of(failure))
        return End("api_error", error=str(failure), api_status=categories.status_of(failure))

    def _once(self, kind: str, happened: bool) -> bool:
        if not happened or kind in self._repaired:
            return False
        self._repaired.add(kind)
        return True

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
        for entry in reversed(self._record.entries):
            for index, block in enumerate(content_blocks(entry)):
                if entry.get("type") == "user" and _is_target(block, wanted):
                    self._record.append(
                        [
                            {
                                "type": "hames-drop",
                                "entry": entry["uuid"],
                                "block": index,
                                "note": DROPPED_MEDIA,
                            }
                        ]
                    )
                    return True
        return False


def _named_block(
    messages: Sequence[JsonObject], place: tuple[int, int] | None
) -> JsonObject | None:
    if place is None or place[0] >= len(messages):
        return None
    content = messages[place[0]]["content"]
    return content[place[1]] if place[1] < len(content) else None


def _is_target(block: JsonObject, wanted: JsonObject | None) -> bool:
    if wanted is None:
        return _holds_media(block)
    if wanted["type"] == "tool_result":
        return bool(block.get("tool_use_id") == wanted["tool_use_id"])
    return block["type"] in MEDIA and bool(block.get("source") == wanted.get("source"))


def _holds_media(block: JsonObject) -> bool:
    content = block.get("content")
    inner = content if is_list(content) else []
    return block["type"] in MEDIA or any(
        is_object(part) and part.get("type") in MEDIA for part in inner
    )
