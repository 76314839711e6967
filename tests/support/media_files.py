"""Images, PDF files and notebooks made for tests."""

import io
import json
from typing import Any

from PIL import Image
from pypdf import PdfWriter


def image_bytes(
    width: int, height: int, kind: str = "PNG", mode: str = "RGB", **save: Any
) -> bytes:
    """An image of one colour."""
    out = io.BytesIO()
    Image.new(mode, (width, height)).save(out, kind, **save)
    return out.getvalue()


def noise_bytes(side: int, kind: str = "PNG", **save: Any) -> bytes:
    """An image that does not compress."""
    out = io.BytesIO()
    noise = Image.effect_noise((side, side), 200)
    Image.merge("RGB", (noise, noise.transpose(Image.Transpose.ROTATE_90), noise)).save(
        out, kind, **save
    )
    return out.getvalue()


def pdf_bytes(pages: int, password: str | None = None) -> bytes:
    """A PDF file of blank pages, encrypted when a password is given."""
    writer = PdfWriter()
    for _ in range(pages):
        writer.add_blank_page(width=200, height=300)
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def notebook_text(cells: list[dict[str, Any]], minor: int = 5, **dump: Any) -> str:
    """A notebook of format 4 as Jupyter writes it."""
    notebook = {
        "cells": cells,
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": minor,
    }
    return json.dumps(notebook, **({"indent": 1, "ensure_ascii": False} | dump)) + "\n"
