"""Rules of images and documents."""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from support.fake_api.images import read_image
from support.fake_api.request import Judged, Problems, every_block

_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_MAX_ENCODED = 5 * 1024 * 1024
_MAX_SIDE = 8000
_MAX_SIDE_OF_MANY = 2000
_MANY = 20


def _media(request: Judged, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path, _, block in every_block(request):
        if block["type"] == kind:
            yield path, block
        elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
            for number, inner in enumerate(block["content"]):
                if isinstance(inner, dict) and inner.get("type") == kind:
                    yield f"{path}.tool_result.content.{number}", inner


def _decoded(source: Mapping[str, Any]) -> bytes | None:
    try:
        return base64.b64decode(str(source.get("data", "")), validate=True)
    except (binascii.Error, ValueError):
        return None


def images(request: Judged) -> Problems:
    """Each image has a known source; base64 data is checked."""
    found = list(_media(request, "image"))
    limit = _MAX_SIDE_OF_MANY if len(found) > _MANY else _MAX_SIDE
    for path, block in found:
        source = block.get("source")
        kind = source.get("type") if isinstance(source, dict) else None
        if not isinstance(source, dict) or kind not in ("base64", "url", "file"):
            yield f"{path}.image.source: Input should be a base64, url or file source"
        elif kind == "base64":
            yield from _image(f"{path}.image.source.base64", source, limit)


def _image(path: str, source: Mapping[str, Any], limit: int) -> Problems:
    named = source.get("media_type")
    if named not in _TYPES:
        yield f"{path}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or " + (
            "'image/webp'"
        )
        return
    for extra in source.keys() - {"type", "media_type", "data"}:
        yield f"{path}.{extra}: Extra inputs are not permitted"
    size = len(str(source.get("data", "")))
    if size == 0:
        yield f"{path}: image cannot be empty"
        return
    if size > _MAX_ENCODED:
        yield f"{path}: image exceeds 5 MB maximum: {size} bytes > {_MAX_ENCODED} bytes"
        return
    data = _decoded(source)
    image = read_image(data) if data is not None else None
    if data is None:
        yield f"{path}.data: Invalid base64 data"
    elif image is None:
        yield f"{path}: Could not process image"
    elif image.media_type != named:
        yield (
            f"{path}: The image was specified using the {named} media type, but the image "
            f"appears to be a {image.media_type} image"
        )
    elif max(image.width, image.height) > limit:
        many = " for many-image requests" if limit == _MAX_SIDE_OF_MANY else ""
        yield f"{path}: image dimensions exceed max allowed size{many}: {limit} pixels"


def documents(request: Judged) -> Problems:
    """Each document has a known source with data that fits."""
    for path, block in _media(request, "document"):
        source = block.get("source")
        kind = source.get("type") if isinstance(source, dict) else None
        if not isinstance(source, dict) or kind not in ("base64", "text", "content", "url", "file"):
            yield f"{path}.document.source: Input should be a base64, text, content, url or file"
        elif kind == "base64":
            where = f"{path}.document.source.base64"
            if source.get("media_type") != "application/pdf":
                yield f"{where}.media_type: Input should be 'application/pdf'"
            data = _decoded(source)
            if data is None:
                yield f"{where}.data: Invalid base64 data"
            elif b"%PDF-" not in data[:1024]:
                yield f"{where}: The PDF specified was not valid."
        elif kind == "text" and source.get("media_type") != "text/plain":
            yield f"{path}.document.source.text.media_type: Input should be 'text/plain'"


RULES = (images, documents)
