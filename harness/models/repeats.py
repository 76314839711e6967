"""Streams whose every event arrives twice, as some proxies deliver them."""

from hames.system.types import JsonObject


class RepeatFilter:
    """Finds the second of each pair, once `message_start` has shown that events come in pairs.

    Two equal deltas in a row are ordinary text, so nothing is dropped without that sign.
    """

    def __init__(self) -> None:
        self._doubled = False
        self._last: JsonObject | None = None

    def is_repeat(self, event: JsonObject) -> bool:
        """Whether `event` repeats the one before it and must be left out."""
        same = event == self._last
        if same and event.get("type") == "message_start":
            self._doubled = True
        if same and self._doubled:
            self._last = None
            return True
        self._last = event
        return False
