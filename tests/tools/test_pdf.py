"""Short PDF files whole, long ones page by page, bad ones as a sentence."""

import threading

import pytest

from hames.tools.base import ToolError
from hames.tools.images import Undecodable
from hames.tools.pdf import Document, Pages, page_range, read_pdf
from support.media_files import pdf_bytes


@pytest.mark.parametrize(
    ("text", "total", "pages"),
    [
        ("1", 300, (1, 1)),
        ("3-5", 300, (3, 5)),
        (" 3 - 5 ", 300, (3, 5)),
        ("281-300", 300, (281, 300)),
        ("299-", 300, (299, 300)),
        ("3-9", 5, (3, 5)),
    ],
)
def test_pages_are_named_as_ranges(text: str, total: int, pages: tuple[int, int]) -> None:
    assert page_range(text, total) == pages


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a page or a range"),
        ("1,3", "must be a page or a range"),
        ("last", "must be a page or a range"),
        ("0", "pages count from 1"),
        ("5-3", "pages count from 1"),
        ("301", "has only 300 pages"),
        ("1-21", "at most 20 pages"),
        ("1-", "at most 20 pages"),
    ],
)
def test_bad_ranges_are_explained(text: str, message: str) -> None:
    with pytest.raises(ToolError, match=message):
        page_range(text, 300)


@pytest.mark.parametrize("pages", [1, 10])
def test_a_short_file_is_sent_whole(pages: int) -> None:
    data = pdf_bytes(pages)
    assert read_pdf(data, None) == Document(data)


@pytest.mark.fault
def test_a_long_file_needs_pages() -> None:
    data = pdf_bytes(300)
    with pytest.raises(ToolError, match='has 300 pages: say which with `pages`, such as "1-20"'):
        read_pdf(data, None)
    found = read_pdf(data, "299-300")
    assert isinstance(found, Pages)
    assert (found.first, found.total, len(found.pictures)) == (299, 300, 2)
    assert {p.media_type for p in found.pictures} == {"image/jpeg"}
    assert {str(p.shown) for p in found.pictures} == {"1046x1568"}


@pytest.mark.fault
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf_bytes(1, password="secret"), "encrypted and needs a password"),
        (b"%PDF-1.7\nbroken", "cannot be decoded"),
        (pdf_bytes(1)[:100], "cannot be decoded"),
        (b"%PDF-", "cannot be decoded"),
    ],
)
def test_encrypted_and_broken_files_say_so(data: bytes, reason: str) -> None:
    with pytest.raises(Undecodable, match=reason):
        read_pdf(data, None)


def test_a_file_with_an_empty_password_is_opened() -> None:
    data = pdf_bytes(1, password="")
    assert read_pdf(data, None) == Document(data)


def test_threads_take_turns() -> None:
    data = pdf_bytes(12)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(read_pdf(data, "1-2"))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert [isinstance(item, Pages) for item in found] == [True] * 6
