"""PDF files: short ones whole as a document, pages of longer ones as images."""

import base64
import re
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NamedTuple

from hames.system.types import JsonObject
from hames.tools.images import Picture, Size, Undecodable, encode_jpeg, require
from hames.tools.result import ToolError

MAX_WHOLE = 10
"""Pages read without naming them."""

MAX_PAGES = 20
"""Pages rendered in one call."""

MAX_DOCUMENT = 20_000_000
"""Bytes of a file sent as a document block; larger ones are rendered."""

PAGE_SIDE = 1568
"""Pixels of the longer side of a rendered page: what models see without scaling."""

_RANGE = re.compile(r"\s*(\d+)\s*(?:(-)\s*(\d*)\s*)?")

_ONE_AT_A_TIME = threading.Lock()
"""PDFium may be entered by one thread at a time."""


class Document(NamedTuple):
    """A short PDF file as it is."""

    data: bytes

    def base64(self) -> str:
        """The data as the API takes it."""
        return base64.b64encode(self.data).decode("ascii")

    def block(self) -> JsonObject:
        """The content block of the Messages API."""
        source = {"type": "base64", "media_type": "application/pdf", "data": self.base64()}
        return {"type": "document", "source": source}


class Pages(NamedTuple):
    """Pages `first`, `first + 1` ... (1-based) of a file of `total` pages, as images."""

    first: int
    total: int
    pictures: list[Picture]


def read_pdf(data: bytes, pages: str | None) -> Document | Pages:
    """The whole file, or the pages asked for. Raises Undecodable and ToolError."""
    require("PIL.Image")
    with _opened(data) as document:
        total = len(document)
        if pages is None:
            if total > MAX_WHOLE:
                raise ToolError(
                    f'It has {total} pages: say which with `pages`, such as "1-{MAX_PAGES}" '
                    f"(at most {MAX_PAGES} per call)."
                )
            if len(data) <= MAX_DOCUMENT:
                return Document(data)
        first, last = page_range(pages or f"1-{total}", total)
        return Pages(first, total, [_rendered(document[n - 1]) for n in range(first, last + 1)])


def page_range(text: str, total: int) -> tuple[int, int]:
    """First and last page (1-based) of `"3"`, `"1-5"` or `"4-"`. Raises ToolError."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ToolError(f'`pages` must be a page or a range such as "3" or "1-5", not "{text}".')
    first = int(match[1])
    last = int(match[3]) if match[3] else (total if match[2] else first)
    if not 1 <= first <= last:
        raise ToolError(f"`pages` {text}: pages count from 1, and the first comes first.")
    if first > total:
        raise ToolError(f"`pages` {text}: the file has only {total} pages.")
    last = min(last, total)
    if last - first + 1 > MAX_PAGES:
        raise ToolError(f"`pages` {text}: at most {MAX_PAGES} pages can be read in one call.")
    return first, last


@contextmanager
def _opened(data: bytes) -> Generator[Any]:
    pdfium: Any = require("pypdfium2")
    with _ONE_AT_A_TIME:
        try:
            document = pdfium.PdfDocument(data)
            try:
                yield document
            finally:
                document.close()
        except pdfium.PdfiumError as error:
            if "password" in str(error).lower():
                raise Undecodable("it is encrypted and needs a password") from error
            raise Undecodable(f"it cannot be decoded ({error})") from error


def _rendered(page: Any) -> Picture:
    width, height = page.get_size()
    scale = PAGE_SIDE / max(width, height, 1)
    bitmap = page.render(scale=scale)
    image = bitmap.to_pil()
    return encode_jpeg(image, Size(*image.size))
