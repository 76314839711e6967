"""Type and size of an image from its bytes, without an image library."""

import struct
from dataclasses import dataclass

_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


@dataclass(frozen=True, slots=True)
class Image:
    """What the header says: media type, width and height in pixels."""

    media_type: str
    width: int
    height: int


def read_image(data: bytes) -> Image | None:
    """Read the header and check that the file is whole; None when it cannot be decoded."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return _png(data)
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) > 13:
        width, height = struct.unpack("<HH", data[6:10])
        return Image("image/gif", width, height)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    return None


def _png(data: bytes) -> Image | None:
    at, size = 8, None
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        if kind == b"IHDR" and at + 16 <= len(data):
            size = struct.unpack(">II", data[at + 8 : at + 16])
        at += length + 12
        if kind == b"IEND":
            return Image("image/png", *size) if size and at <= len(data) else None
    return None


def _jpeg(data: bytes) -> Image | None:
    if b"\xff\xd9" not in data[-64:]:
        return None
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        kind = data[at + 1]
        if kind in _FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return Image("image/jpeg", width, height)
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def _webp(data: bytes) -> Image | None:
    if len(data) < 30 or int.from_bytes(data[4:8], "little") + 8 > len(data):
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        width = int.from_bytes(data[24:27], "little") + 1
        return Image("image/webp", width, int.from_bytes(data[27:30], "little") + 1)
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return Image("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    width, height = struct.unpack("<HH", data[26:30])
    return Image("image/webp", width & 0x3FFF, height & 0x3FFF)
