"""The event stream of AWS: binary frames in any portions -> the JSON events inside them."""

import base64
import binascii
import json
import struct
import zlib
from collections.abc import Iterator

from hames.harness.models.port import TransportError
from hames.system.types import JsonObject, as_object

MAX_FRAME_BYTES = 32 * 1024 * 1024

_PRELUDE = struct.Struct(">III")
_CHECKSUM_BYTES = 4
_FIXED_SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_SIZED = (6, 7)
_KINDS = {
    "throttlingException": "rate_limit_error",
    "serviceUnavailableException": "overloaded_error",
    "modelTimeoutException": "timeout_error",
    "validationException": "invalid_request_error",
}


class FrameDecoder:
    """Incremental decoder; raises TransportError for a frame that is damaged or too large."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, chunk: bytes) -> list[JsonObject]:
        """The events that `chunk` completes; an exception frame becomes an `error` event."""
        self._buffer += chunk
        events: list[JsonObject] = []
        while (frame := self._frame()) is not None:
            event = _event(*frame)
            if event is not None:
                events.append(event)
        return events

    def _frame(self) -> tuple[dict[str, str], bytes] | None:
        if len(self._buffer) < _PRELUDE.size:
            return None
        total, head, checksum = _PRELUDE.unpack_from(self._buffer)
        if checksum != zlib.crc32(self._buffer[:8]) or total > MAX_FRAME_BYTES:
            raise TransportError("garbage", "the answer is not an event stream of AWS")
        if len(self._buffer) < total:
            return None
        frame = bytes(self._buffer[:total])
        del self._buffer[:total]
        end = total - _CHECKSUM_BYTES
        payload = _PRELUDE.size + head
        if payload > end or int.from_bytes(frame[end:], "big") != zlib.crc32(frame[:end]):
            raise TransportError("garbage", "the event stream of AWS is damaged")
        return dict(_headers(frame[_PRELUDE.size : payload])), frame[payload:end]


def _headers(data: bytes) -> Iterator[tuple[str, str]]:
    """The text headers; those of other types are stepped over."""
    at = 0
    try:
        while at < len(data):
            name_end = at + 1 + data[at]
            name, kind = data[at + 1 : name_end].decode("utf-8", "replace"), data[name_end]
            at = name_end + 1
            if kind in _SIZED:
                end = at + 2 + int.from_bytes(data[at : at + 2], "big")
                yield name, data[at + 2 : end].decode("utf-8", "replace")
            else:
                end = at + _FIXED_SIZES[kind]
            at = end
    except (IndexError, KeyError):
        raise TransportError("garbage", "the event stream of AWS is damaged") from None


def _event(headers: dict[str, str], payload: bytes) -> JsonObject | None:
    """The event of a `chunk` frame, an `error` event for an exception, None for other frames."""
    if headers.get(":message-type", "event") == "event":
        if headers.get(":event-type") != "chunk":
            return None
        encoded = _parse(payload).get("bytes")
        try:
            return _parse(base64.b64decode(str(encoded), validate=True))
        except binascii.Error:
            raise TransportError("garbage", "the stream holds data that is not base64") from None
    name = headers.get(":exception-type") or headers.get(":error-code") or "unknown"
    text = headers.get(":error-message") or _parse(payload or b"{}").get("message") or name
    kind = _KINDS.get(name, "api_error")
    return {"type": "error", "error": {"type": kind, "message": str(text)}}


def _parse(data: bytes) -> JsonObject:
    try:
        value = as_object(json.loads(data))
    except (ValueError, RecursionError):
        value = None
    if value is None:
        raise TransportError("garbage", "the stream holds data that is not a JSON object")
    return value
