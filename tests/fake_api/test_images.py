"""Image headers are read as an image library reads them; cut files are noticed."""

import io

import pytest
from PIL import Image as Pillow

from support.fake_api.images import Image, read_image


def encoded(kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    Pillow.new("RGB", (37, 21), "red").save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (encoded("PNG"), "image/png"),
        (encoded("JPEG"), "image/jpeg"),
        (encoded("JPEG", progressive=True), "image/jpeg"),
        (encoded("GIF"), "image/gif"),
        (encoded("WEBP"), "image/webp"),
        (encoded("WEBP", lossless=True), "image/webp"),
    ],
    ids=["png", "jpeg", "progressive", "gif", "webp", "lossless"],
)
def test_a_header_tells_type_and_size(data: bytes, media_type: str) -> None:
    assert read_image(data) == Image(media_type, 37, 21)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_cut_image_cannot_be_decoded(kind: str) -> None:
    data = encoded(kind)
    assert read_image(data[: len(data) // 2]) is None
    assert read_image(b"") is None
