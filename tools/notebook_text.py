"""The JSON text of a notebook with single cells replaced; everything else stays as it is."""

import json
import re
from typing import Any

from hames.system.encoding import Span
from hames.system.types import JsonObject
from hames.tools.json_spans import element_spans, member_spans
from hames.tools.notebook import cell_id, raw_cells
from hames.tools.result import ToolError

_INDENT = re.compile(r"\s*\{\n([ \t]+)\S")
_PLACE = re.compile(r"cell-(\d+)")
_LISTED = 20


class NotebookText:
    """A notebook of format 4. Raises ValueError for anything else."""

    def __init__(self, text: str) -> None:
        self.data: Any = json.loads(text)
        cells = raw_cells(self.data)
        if cells is None or "cells" not in self.data:
            raise ValueError("it holds no list of cells")
        self.cells: list[JsonObject] = cells
        self._text = text
        self._array: Span = member_spans(text)["cells"]
        self._spans = element_spans(text, self._array[0])
        found = _INDENT.match(text)
        self._indent = found[1] if found else None

    @property
    def has_ids(self) -> bool:
        """Whether cells of this notebook carry ids (format 4.5 and later)."""
        major, minor = self.data.get("nbformat"), self.data.get("nbformat_minor")
        return isinstance(minor, int) and major == 4 and minor >= 5

    def find(self, wanted: str) -> int:
        """The place of a cell by its id, or by `cell-N` where it has none. Raises ToolError."""
        ids = [cell_id(cell, number) for number, cell in enumerate(self.cells)]
        if wanted in ids:
            return ids.index(wanted)
        place = _PLACE.fullmatch(wanted)
        if place and int(place[1]) < len(ids):
            return int(place[1])
        listed = ", ".join(ids[:_LISTED]) + (" ..." if len(ids) > _LISTED else "")
        raise ToolError(f"There is no cell {wanted}. The notebook has: {listed or 'no cells'}.")

    def replaced(self, at: int, cell: JsonObject) -> str:
        """The text with another cell at `at`."""
        return self._spliced(self._spans[at], self._dumped(cell))

    def inserted(self, at: int, cell: JsonObject) -> str:
        """The text with one more cell before the one at `at`."""
        new = self._dumped(cell)
        if not self._spans:
            return self._spliced(self._array, f"[{self._break(2)}{new}{self._break(1)}]")
        if at == 0:
            start = self._spans[0][0]
            return self._spliced((start, start), f"{new},{self._break(2) or ' '}")
        end = self._spans[at - 1][1]
        return self._spliced((end, end), f",{self._break(2) or ' '}{new}")

    def deleted(self, at: int) -> str:
        """The text without the cell at `at`."""
        if len(self._spans) == 1:
            return self._spliced(self._array, "[]")
        if at + 1 < len(self._spans):
            return self._spliced((self._spans[at][0], self._spans[at + 1][0]), "")
        return self._spliced((self._spans[at - 1][1], self._spans[at][1]), "")

    def _spliced(self, span: Span, new: str) -> str:
        return self._text[: span[0]] + new + self._text[span[1] :]

    def _break(self, depth: int) -> str:
        return "" if self._indent is None else "\n" + self._indent * depth

    def _dumped(self, cell: JsonObject) -> str:
        """The cell in the style of the file."""
        escaped = self._text.isascii() and "\\u" in self._text
        text = json.dumps(cell, indent=self._indent, ensure_ascii=escaped)
        return text.replace("\n", self._break(2)) if self._indent else text
