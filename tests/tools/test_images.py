"""Whatever an image file holds, the session gets something it can send."""

import io
import os
import subprocess
import sys

import hypothesis
import pytest
from hypothesis import strategies as st
from PIL import Image

from hames.tools.images import (
    MAX_DATA,
    Picture,
    Size,
    Undecodable,
    image_type,
    prepare_image,
)
from support.media_files import image_bytes, noise_bytes


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif"), ("WEBP", "image/webp")],
)
def test_small_images_are_sent_as_they_are(kind: str, media_type: str) -> None:
    data = image_bytes(30, 20, kind)
    assert image_type(data) == media_type
    size = Size(30, 20)
    assert prepare_image(data, media_type) == Picture(data, media_type, size, size)


@pytest.mark.parametrize(
    "head", [b"", b"BM", b"RIFF....WAVE", b"<svg", b"\x89PN", b"II*\x00", b"text"]
)
def test_other_formats_are_not_images(head: bytes) -> None:
    assert image_type(head) is None


@pytest.mark.fault
@pytest.mark.parametrize(
    ("given", "kind", "mode", "shown", "media_type"),
    [
        ("1x1", "PNG", "RGB", "1x1", "image/png"),
        ("2000x2000", "PNG", "RGB", "2000x2000", "image/png"),
        ("2001x10", "PNG", "RGB", "2000x10", "image/png"),
        ("30000x1", "PNG", "RGB", "2000x1", "image/png"),
        ("9000x9000", "PNG", "1", "2000x2000", "image/png"),
        ("9000x9000", "JPEG", "RGB", "2000x2000", "image/jpeg"),
        ("3000x10", "PNG", "RGBA", "2000x7", "image/png"),
        ("3000x10", "PNG", "P", "2000x7", "image/png"),
        ("3000x10", "PNG", "I;16", "2000x7", "image/png"),
        ("3000x10", "JPEG", "CMYK", "2000x7", "image/jpeg"),
        ("3000x10", "GIF", "P", "2000x7", "image/png"),
        ("3000x10", "WEBP", "RGBA", "2000x7", "image/jpeg"),
    ],
)
def test_large_sides_are_shrunk(
    given: str, kind: str, mode: str, shown: str, media_type: str
) -> None:
    width, height = map(int, given.split("x"))
    picture = prepare_image(image_bytes(width, height, kind, mode), f"image/{kind.lower()}")
    assert str(picture.original) == given
    assert (str(picture.shown), picture.media_type) == (shown, media_type)
    assert size_of(picture.data) == shown


def size_of(data: bytes) -> str:
    with Image.open(io.BytesIO(data)) as image:
        image.load()
        return f"{image.width}x{image.height}"


def test_a_turned_photograph_is_set_upright() -> None:
    turned = Image.Exif()
    turned[0x0112] = 6
    picture = prepare_image(image_bytes(3000, 300, "JPEG", exif=turned), "image/jpeg")
    assert (str(picture.original), size_of(picture.data)) == ("300x3000", "200x2000")


@pytest.mark.fault
@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_heavy_images_become_light_jpegs(kind: str) -> None:
    data = noise_bytes(1200, kind, **({"quality": 100} if kind == "JPEG" else {}))
    assert len(data) > MAX_DATA
    picture = prepare_image(data, f"image/{kind.lower()}")
    assert picture.media_type == "image/jpeg"
    assert len(picture.data) <= MAX_DATA


@pytest.mark.fault
def test_a_jpeg_of_thirty_megabytes_is_shown() -> None:
    data = image_bytes(100, 100, "JPEG") + b"\0" * (30 << 20)
    picture = prepare_image(data, "image/jpeg")
    assert len(picture.data) <= MAX_DATA
    assert picture.shown == Size(100, 100)


@pytest.mark.fault
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x89PNG\r\n\x1a\n", "it cannot be decoded (cannot identify image file)"),
        (image_bytes(50, 50)[:60], "it cannot be decoded"),
        (noise_bytes(100)[:5000], "truncated"),
        (noise_bytes(100, "JPEG")[:200], "it cannot be decoded"),
        (b"GIF89a" + b"\xff" * 100, "it cannot be decoded"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "it cannot be decoded"),
    ],
)
def test_what_cannot_be_decoded_says_so(data: bytes, reason: str) -> None:
    kind = image_type(data)
    assert kind is not None
    with pytest.raises(Undecodable) as caught:
        prepare_image(data, kind)
    assert reason in str(caught.value)


@pytest.mark.fault
def test_a_decompression_bomb_is_not_decoded() -> None:
    bomb = image_bytes(20_000, 20_000, mode="1")
    with pytest.raises(Undecodable, match="its 20000x20000 pixels are too many"):
        prepare_image(bomb, "image/png")


@pytest.mark.property
@hypothesis.given(
    st.sampled_from(["PNG", "JPEG", "GIF", "WEBP"]),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=8),
    st.floats(0, 1),
)
def test_damaged_images_are_shown_or_refused(
    kind: str, damage: list[tuple[float, int]], length: float
) -> None:
    data = bytearray(image_bytes(40, 30, kind))
    for place, value in damage:
        data[int(place * (len(data) - 1))] = value
    cut = bytes(data[: max(16, int(length * len(data)))])
    try:
        picture = prepare_image(cut, f"image/{kind.lower()}")
    except Undecodable:
        return
    assert len(picture.data) <= MAX_DATA
    assert max(picture.shown.width, picture.shown.height) <= 2000


def test_transparent_parts_become_white() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (3000, 10), (255, 0, 0, 0)).save(out, "WEBP", lossless=True)
    picture = prepare_image(out.getvalue(), "image/webp")
    with Image.open(io.BytesIO(picture.data)) as image:
        assert image.getpixel((5, 5)) == (255, 255, 255)


WITHOUT_LIBRARIES = """
import sys
sys.modules["PIL"] = sys.modules["PIL.Image"] = sys.modules["pypdfium2"] = None
from hames.tools.images import prepare_image
from hames.tools.pdf import read_pdf
from hames.tools.result import ToolError
for work in (lambda: prepare_image(b"", "image/png"), lambda: read_pdf(b"", None)):
    try:
        work()
    except ToolError as error:
        print(error)
"""


def test_missing_libraries_are_named_with_the_command_that_brings_them() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LIBRARIES],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.count("pip install 'hames[media]'") == 2


def test_the_libraries_are_not_loaded_before_they_are_needed() -> None:
    code = "import sys, hames.tools.read; print({'PIL', 'pypdfium2'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "set()\n"
