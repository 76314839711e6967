"""Images made fit for the Messages API: decodable, at most 2000 px a side, at most 500 KB."""

import base64
import struct
import zlib
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from hames.system.types import JsonObject
from hames.tools.result import ToolError

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 2000
MAX_DATA = 500_000
"""Bytes of one image; larger ones are encoded again as JPEG."""

MAX_PIXELS = 90_000_000
"""Pixels decoded at most; what claims more is taken for a decompression bomb."""

_DECODER_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    EOFError,
    struct.error,
    zlib.error,
)
"""What decoders raise on bad data."""

_QUALITIES = (85, 70, 50, 35)
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class Undecodable(Exception):
    """The data is not what its first bytes promise; the text says why."""


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels."""

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"


class Picture(NamedTuple):
    """An image as it is sent. `original` is its size before it was made smaller."""

    data: bytes
    media_type: str
    original: Size
    shown: Size

    def base64(self) -> str:
        """The data as the API takes it."""
        return base64.b64encode(self.data).decode("ascii")

    def block(self) -> JsonObject:
        """The content block of the Messages API."""
        source = {"type": "base64", "media_type": self.media_type, "data": self.base64()}
        return {"type": "image", "source": source}


def image_type(head: bytes) -> str | None:
    """The media type that the first bytes of a file show; None for anything but four formats."""
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return media_type
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


def require(library: str) -> ModuleType:
    """A library of the optional extra; a ToolError says how to get it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise ToolError(
            "Images and PDF files need libraries that are not installed: pip install 'hames[media]'"
        ) from error


def prepare_image(data: bytes, media_type: str) -> Picture:
    """The image as it may be sent: the same bytes when they are fit, else encoded again.

    Raises Undecodable.
    """
    require("PIL.Image")
    try:
        return _prepared(data, media_type)
    except _DECODER_ERRORS as error:
        reason = str(error).partition(" <")[0]  # without the address of a buffer
        raise Undecodable(f"it cannot be decoded ({reason})") from error


def _prepared(data: bytes, media_type: str) -> Picture:
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None  # it only warns; the check below refuses
    with Image.open(BytesIO(data)) as image:
        original = Size(*image.size)
        image.draft("RGB", (MAX_SIDE, MAX_SIDE))  # lets the JPEG decoder skip detail
        if image.width * image.height > MAX_PIXELS:
            raise Undecodable(f"its {original} pixels are too many to decode")
        image.load()
        if max(original.width, original.height) <= MAX_SIDE and len(data) <= MAX_DATA:
            return Picture(data, media_type, original, original)
        before = image.size
        ImageOps.exif_transpose(image, in_place=True)
        if image.size != before:
            original = Size(original.height, original.width)
        return _smaller(image, media_type, original)


def _smaller(image: "Image", media_type: str, original: Size) -> Picture:
    if image.mode in ("1", "P"):  # neither can be averaged as it is
        image = image.convert("L" if image.mode == "1" else "RGBA")
    image.thumbnail((MAX_SIDE, MAX_SIDE))
    if media_type in ("image/png", "image/gif") and len(png := _png(image)) <= MAX_DATA:
        return Picture(png, "image/png", original, Size(*image.size))
    return encode_jpeg(image, original)


def _png(image: "Image") -> bytes:
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def encode_jpeg(image: "Image", original: Size) -> Picture:
    """The image as JPEG of at most 500 KB, with less quality and then less size as needed."""
    flat: Any = _flat(image)
    while True:
        for quality in _QUALITIES:
            out = BytesIO()
            flat.save(out, "JPEG", quality=quality)
            if out.tell() <= MAX_DATA or max(flat.size) <= 64:
                return Picture(out.getvalue(), "image/jpeg", original, Size(*flat.size))
        flat = flat.resize((max(1, flat.width * 3 // 4), max(1, flat.height * 3 // 4)))


def _flat(image: "Image") -> "Image":
    """The image in RGB: transparent parts white, 16 bit reduced to 8."""
    from PIL import Image

    if image.mode.startswith("I"):
        wide: Any = image.convert("I")
        image = wide.point(_high_byte).convert("L")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        rgba = image.convert("RGBA")
        white = Image.new("RGBA", rgba.size, "white")
        return Image.alpha_composite(white, rgba).convert("RGB")
    return image.convert("RGB")


def _high_byte(value: Any) -> Any:
    return value * (1 / 256)
