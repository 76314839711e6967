"""Server-sent events: bytes in any portions -> the JSON objects of their data fields."""

import json

from hames.harness.models.port import TransportError
from hames.system.types import JsonObject, as_object

MAX_EVENT_BYTES = 32 * 1024 * 1024
MAX_NOISE_BYTES = 1024 * 1024


class EventDecoder:
    """Incremental decoder with bounded memory.

    Lines may end in LF, CRLF or CR. Comments, unknown fields and `[DONE]` are skipped. Data that
    is no JSON object, an event over 32 MiB or 1 MiB without any event raise TransportError.
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._after_cr = False
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        self._noise = 0

    def feed(self, chunk: bytes) -> list[JsonObject]:
        """The events that `chunk` completes."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        if b"\n" not in chunk and b"\r" not in chunk:
            self._keep(chunk)
            return []
        lines = b"".join((*self._pieces, chunk)).splitlines(keepends=True)
        self._pieces = []
        self._size = sum(map(len, self._data))
        if not lines[-1].endswith((b"\n", b"\r")):
            self._keep(lines.pop())
        events = (self._line(line.rstrip(b"\r\n")) for line in lines)
        return [event for event in events if event is not None]

    def _keep(self, piece: bytes) -> None:
        self._pieces.append(piece)
        self._grow(len(piece))

    def _grow(self, count: int) -> None:
        self._size += count
        if self._size > MAX_EVENT_BYTES:
            raise TransportError("garbage", "the stream holds an event that is too large")

    def _line(self, line: bytes) -> JsonObject | None:
        if not line:
            return self._dispatch()
        field, _, value = line.removeprefix(b"\xef\xbb\xbf").partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
            self._grow(len(value))
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        elif field:
            self._noise += len(line)
            if self._noise > MAX_NOISE_BYTES:
                raise TransportError("garbage", "the answer is not an event stream")
        return None

    def _dispatch(self) -> JsonObject | None:
        data, name = b"\n".join(self._data), self._name
        self._data, self._name, self._size = [], "", 0
        if not data or data.strip() == b"[DONE]":
            return None
        self._noise = 0
        try:
            event = as_object(json.loads(data))
        except (ValueError, RecursionError):
            raise TransportError("garbage", "the stream holds data that is not JSON") from None
        if event is None:
            raise TransportError("garbage", "the stream holds data that is not a JSON object")
        if "type" not in event and name:
            return {"type": name, **event}
        return event
