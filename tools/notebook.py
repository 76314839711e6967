"""Jupyter notebooks as the model sees them: cells with their outputs, long outputs cut."""

import base64
import binascii
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard, cast

from hames.system.text import cut, head_tail
from hames.system.types import JsonObject
from hames.tools.images import Picture, Undecodable, prepare_image
from hames.tools.result import ToolError

MAX_OUTPUT = 10_000
"""Code points shown of one output."""

MAX_SOURCE = 50_000
"""Code points shown of the source of one cell."""

MAX_PICTURES = 20

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PICTURES = ("image/png", "image/jpeg")
_TEXTS = ("text/plain", "text/markdown", "text/html", "application/json")


class NotANotebook(ValueError):
    """The file is no notebook; the text says why."""


@dataclass(slots=True)
class Output:
    """One output of a cell: text, a picture, or both."""

    kind: str
    text: str = ""
    picture: Picture | None = None

    def structured(self) -> JsonObject:
        """The output as hooks and transcripts see it."""
        shown: JsonObject = {"output_type": self.kind, "text": self.text}
        if self.picture is not None:
            shown["image"] = {
                "image_data": self.picture.base64(),
                "media_type": self.picture.media_type,
            }
        return shown


@dataclass(slots=True)
class Cell:
    """One cell. Where a notebook gives no ids, `cell-N` (from 0) stands for the N-th."""

    id: str
    kind: str
    source: str
    count: int | None = None
    outputs: list[Output] = field(default_factory=list[Output])

    def structured(self, language: str) -> JsonObject:
        """The cell as hooks and transcripts see it."""
        shown: JsonObject = {"cellType": self.kind, "source": self.source, "cell_id": self.id}
        if self.kind == "code":
            shown |= {"language": language, "execution_count": self.count}
        if self.outputs:
            shown["outputs"] = [output.structured() for output in self.outputs]
        return shown


class Notebook(NamedTuple):
    """The cells of a notebook; `language` is that of its code cells."""

    cells: list[Cell]
    language: str


def parse_notebook(text: str) -> Notebook:
    """Read a notebook of format 3 or 4. Raises NotANotebook."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotANotebook(f"it is no JSON ({error})") from error
    cells = raw_cells(data)
    if cells is None:
        raise NotANotebook("it holds no list of cells")
    pictures = iter(range(MAX_PICTURES))
    return Notebook([_cell(raw, n, pictures) for n, raw in enumerate(cells)], language_of(data))


def raw_cells(data: object) -> list[JsonObject] | None:
    """The cell objects of a notebook; None when it is not one."""
    notebook = _object(data)
    if "cells" not in notebook:
        sheets = _items(notebook.get("worksheets"))
        notebook = _object(sheets[0]) if sheets else {}
    cells: object = notebook.get("cells")
    return [_object(cell) for cell in cells] if _is_list(cells) else None


def language_of(data: object) -> str:
    """The programming language of the code cells."""
    metadata = _object(_object(data).get("metadata"))
    names = (
        _object(metadata.get("language_info")).get("name"),
        _object(metadata.get("kernelspec")).get("language"),
    )
    return next((name for name in names if isinstance(name, str) and name), "python")


def _object(value: object) -> JsonObject:
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def _items(value: object) -> list[Any]:
    return value if _is_list(value) else []


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def cell_id(raw: JsonObject, number: int) -> str:
    """The id of a cell, or its place when it has none."""
    given = raw.get("id")
    return given if isinstance(given, str) and given else f"cell-{number}"


def joined(value: object) -> str:
    """Text that a notebook spells as a string or as a list of lines."""
    if isinstance(value, str):
        return value
    return "".join(part for part in _items(value) if isinstance(part, str))


def _cell(raw: JsonObject, number: int, pictures: Iterator[int]) -> Cell:
    count = raw.get("execution_count", raw.get("prompt_number"))
    return Cell(
        id=cell_id(raw, number),
        kind=str(raw.get("cell_type", "code")),
        source=joined(raw.get("source", raw.get("input"))),
        count=count if isinstance(count, int) else None,
        outputs=[_output(_object(item), pictures) for item in _items(raw.get("outputs"))],
    )


def _output(raw: JsonObject, pictures: Iterator[int]) -> Output:
    kind = str(raw.get("output_type", "output"))
    if kind in ("error", "pyerr"):
        lines = [str(line) for line in _items(raw.get("traceback"))]
        return Output(kind, _short("\n".join(lines) or f"{raw.get('ename')}: {raw.get('evalue')}"))
    if kind == "stream":
        return Output(kind, _short(joined(raw.get("text"))))
    data = _object(raw.get("data", raw))
    text = next((joined(data[key]) for key in _TEXTS if key in data), joined(data.get("text")))
    return _with_picture(Output(kind, _short(text)), data, pictures)


def _with_picture(output: Output, data: JsonObject, pictures: Iterator[int]) -> Output:
    media_type = next((key for key in _PICTURES if key in data), None)
    if media_type is None:
        return output
    if next(pictures, None) is None:
        output.text += "\n[an image, left out]"
        return output
    try:
        output.picture = prepare_image(base64.b64decode(joined(data[media_type])), media_type)
    except (binascii.Error, Undecodable, ToolError) as error:
        output.text += f"\n[an image that cannot be shown: {error}]"
    return output


def _short(text: str) -> str:
    note = "[{omitted} characters of this output left out]"
    return head_tail(_ANSI.sub("", text), MAX_OUTPUT, note)


def render_cells(notebook: Notebook, max_chars: int) -> tuple[list[JsonObject], int]:
    """Content blocks for as many cells as fit, and how many those are."""
    blocks: list[JsonObject] = []
    left = max_chars
    for number, cell in enumerate(notebook.cells):
        parts = _cell_blocks(cell, notebook.language)
        size = sum(len(part["text"]) for part in parts if part["type"] == "text")
        if size > left and number > 0:
            return _merged(blocks), number
        left -= size
        blocks += parts
    return _merged(blocks), len(notebook.cells)


def _cell_blocks(cell: Cell, language: str) -> list[JsonObject]:
    kind = language if cell.kind == "code" else cell.kind
    ran = "" if cell.count is None else f", run {cell.count}"
    blocks = [_text(f"[cell {cell.id}: {kind}{ran}]\n{cut(cell.source, MAX_SOURCE)}")]
    for output in cell.outputs:
        if output.text:
            blocks.append(_text(f"[{output.kind} of {cell.id}]\n{output.text.rstrip()}"))
        if output.picture is not None:
            blocks.append(output.picture.block())
    return blocks


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _merged(blocks: list[JsonObject]) -> list[JsonObject]:
    """Neighbouring texts as one block."""
    merged: list[JsonObject] = []
    for block in blocks:
        if block["type"] == "text" and merged and merged[-1]["type"] == "text":
            merged[-1] = _text(f"{merged[-1]['text']}\n\n{block['text']}")
        else:
            merged.append(block)
    return merged
