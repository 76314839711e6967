"""What Read does with files that are not plain text: images, PDF files, notebooks."""

import secrets
from pathlib import Path
from typing import NamedTuple

from hames.system.encoding import decode_file
from hames.system.files import ensure_private, write_private
from hames.system.types import JsonObject
from hames.tools.images import Picture, Undecodable, image_type, prepare_image
from hames.tools.notebook import NotANotebook, parse_notebook, render_cells
from hames.tools.pdf import Document, Pages, read_pdf
from hames.tools.result import ToolError

MAX_MEDIA = 128 << 20
"""Bytes of the largest image or PDF file that is opened."""

MAX_NOTEBOOK = 100 << 20

PDF = "application/pdf"
NOTEBOOK = "application/x-ipynb+json"


class Shown(NamedTuple):
    """What the model and the transcript get; `full` when nothing was left out."""

    content: str | list[JsonObject]
    structured: JsonObject
    full: bool


def media_type(path: Path, head: bytes) -> str | None:
    """What a file is by its first bytes (a notebook by its name); None for text and the rest."""
    if head.startswith(b"%PDF-"):
        return PDF
    if path.suffix == ".ipynb" and head.strip():
        return NOTEBOOK
    return image_type(head)


def size_limit(kind: str) -> int:
    """Bytes of the largest file of a kind that is opened."""
    return MAX_NOTEBOOK if kind == NOTEBOOK else MAX_MEDIA


class Wanted(NamedTuple):
    """What a call asks for: pages of a PDF file, code points of a notebook, a folder to keep."""

    pages: str | None
    max_chars: int
    spill: Path


def show_media(path: Path, kind: str, data: bytes, wanted: Wanted) -> Shown | None:
    """The content blocks of a file; a note when it cannot be decoded; None to show it as text."""
    try:
        if kind == NOTEBOOK:
            return _show_notebook(path, data, wanted.max_chars)
        if kind == PDF:
            return _show_pdf(path, data, wanted)
        return _show_image(data, prepare_image(data, kind))
    except NotANotebook:
        return None
    except Undecodable as error:
        note = f"{path} looks like {kind}, but {error}; {len(data)} bytes."
        return Shown(note, _as_text(path, note), full=False)


def _as_text(path: Path, text: str) -> JsonObject:
    lines = text.count("\n") + 1
    file = {"filePath": str(path), "content": text, "numLines": lines}
    return {"type": "text", "file": file | {"startLine": 1, "totalLines": lines}}


def _show_image(data: bytes, picture: Picture) -> Shown:
    content = [picture.block()]
    if picture.shown != picture.original:
        text = f"Shown at {picture.shown} pixels; the original has {picture.original}."
        content.append({"type": "text", "text": text})
    file = {
        "base64": picture.base64(),
        "type": picture.media_type,
        "originalSize": len(data),
        "dimensions": {
            "originalWidth": picture.original.width,
            "originalHeight": picture.original.height,
            "displayWidth": picture.shown.width,
            "displayHeight": picture.shown.height,
        },
    }
    return Shown(content, {"type": "image", "file": file}, full=True)


def _show_pdf(path: Path, data: bytes, wanted: Wanted) -> Shown:
    try:
        found = read_pdf(data, wanted.pages)
    except ToolError as error:
        raise ToolError(f"{path}: {error}") from error
    size = {"filePath": str(path), "originalSize": len(data)}
    if isinstance(found, Document):
        file = size | {"base64": found.base64()}
        return Shown([found.block()], {"type": "pdf", "file": file}, full=True)
    folder = _keep(found, wanted.spill)
    last = found.first + len(found.pictures) - 1
    text = f"Pages {found.first} to {last} of {found.total} of {path}."
    content = [{"type": "text", "text": text}, *(picture.block() for picture in found.pictures)]
    file = size | {"count": len(found.pictures), "outputDir": str(folder)}
    return Shown(content, {"type": "parts", "file": file}, full=False)


def _keep(pages: Pages, spill: Path) -> Path:
    """The rendered pages in a private folder of their own."""
    folder = spill / f"pdf-{secrets.token_hex(4)}"
    ensure_private(folder)
    for number, picture in enumerate(pages.pictures, pages.first):
        write_private(folder / f"page-{number}.jpg", picture.data)
    return folder


def _show_notebook(path: Path, data: bytes, max_chars: int) -> Shown:
    notebook = parse_notebook(decode_file(data).text)
    content, count = render_cells(notebook, max_chars)
    full = count == len(notebook.cells)
    if not full:
        text = (
            f"PARTIAL view: the first {count} of {len(notebook.cells)} cells. Look at the others "
            "with jq in Bash, or at the JSON text with `offset` and `limit`."
        )
        content.append({"type": "text", "text": text})
    cells = [cell.structured(notebook.language) for cell in notebook.cells[:count]]
    file = {"filePath": str(path), "cells": cells}
    empty = f"Notice: {path} is a notebook without cells."
    return Shown(content or empty, {"type": "notebook", "file": file}, full)
