"""A window of lines cut from a file of any size; only the window is kept in memory."""

import codecs
import itertools
from collections.abc import Iterable, Iterator
from io import FileIO
from typing import NamedTuple

from hames.system.encoding import decode_file
from hames.system.text import cut

MAX_LINE = 2000
"""Code points shown of one line."""

CHUNK = 256 << 10
"""Bytes read at a time: fits into the cache of one core."""

_WHOLE = 4 << 20
"""Files up to this size are decoded as a whole; larger ones chunk by chunk."""

_COUNTED = 1 << 30
"""Bytes read past the window to learn how many lines there are."""

_MAX_LINE_BYTES = MAX_LINE * 4 + 4
_WIDE_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 8192
_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b"))


class BinaryFile(Exception):
    """The file is not text."""


class Window(NamedTuple):
    """Lines `start` to `start + len(lines) - 1` of a file of `total` lines (1-based).

    `capped`: more lines were asked for but did not fit. `total_exact` is false when a huge file
    was not read to its end. `ends_open`: the last line of the file has no line end.
    """

    start: int
    lines: list[str]
    total: int
    capped: bool = False
    cut_lines: int = 0
    total_exact: bool = True
    ends_open: bool = False

    @property
    def end(self) -> int:
        """Number of the last line in the window."""
        return self.start + len(self.lines) - 1


def read_window(file: FileIO, size: int, start: int, limit: int, max_chars: int) -> Window:
    """Read `limit` lines from line `start` on, at most `max_chars` code points of them.

    `size` is how far to read: what is appended meanwhile is left out. Raises BinaryFile.
    """
    scan = _Scan(start, limit, max_chars)
    for chunk in _utf8_chunks(file, size):
        scan.feed(chunk)
        if scan.done_at is not None and scan.fed - scan.done_at > _COUNTED:
            return scan.window(exact=False)
    return scan.window(exact=True)


def _utf8_chunks(file: FileIO, size: int) -> Iterator[bytes | bytearray]:
    """The content with line feeds as single bytes: wide and small legacy files become UTF-8."""
    first = file.read(min(size, CHUNK))
    rest = _rest(file, size - len(first))
    wide = next((name for bom, name in _WIDE_BOMS if first.startswith(bom)), None)
    if wide is not None:
        yield from _transcoded(itertools.chain([first], rest), wide)
    elif _is_binary(first[:_SAMPLE]):
        raise BinaryFile
    elif size <= _WHOLE:
        yield decode_file(first + b"".join(bytes(chunk) for chunk in rest)).text.encode(
            "utf-8", "surrogateescape"
        )
    else:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from rest


def _rest(file: FileIO, left: int) -> Iterator[bytes | bytearray]:
    """What follows, in chunks that are valid until the next one is asked for."""
    buffer = bytearray(CHUNK)  # one for all: fresh memory for every chunk halves the speed
    while left > 0:
        count = file.readinto(buffer) or 0
        if count == 0:
            return
        whole = count == CHUNK and count <= left
        yield buffer if whole else bytes(buffer[: min(count, left)])
        left -= count


def _transcoded(chunks: Iterable[bytes | bytearray], codec: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    for number, chunk in enumerate(chunks):
        text = decoder.decode(chunk)
        if number == 0:
            text = text.removeprefix("\ufeff")
            if _is_binary(text[:_SAMPLE].encode("utf-8", "replace")):
                raise BinaryFile
        yield text.encode("utf-8", "replace")


def _is_binary(sample: bytes) -> bool:
    printable = len(sample.translate(None, _CONTROL))
    return b"\0" in sample or printable < len(sample) * 0.7


class _Scan:
    """Counts line feeds and keeps the bytes of the wanted lines, long ones cut."""

    def __init__(self, start: int, limit: int, max_chars: int) -> None:
        self._start = start
        self._limit = limit
        self._max_chars = max_chars
        self._newlines = 0
        self._lines: list[bytes] = []
        self._line = bytearray()
        self._kept = 0
        self._last = b"\n"
        self.fed = 0
        self.done_at: int | None = None

    def feed(self, chunk: bytes | bytearray) -> None:
        """Take the next part of the file."""
        if not chunk:
            return
        skip = self._start - 1 - self._newlines
        self._newlines += chunk.count(b"\n")
        self._last = bytes(chunk[-1:])
        self.fed += len(chunk)
        if self.done_at is not None or self._newlines < self._start - 1:
            return
        self._collect(chunk.split(b"\n", skip)[-1] if skip > 0 else chunk)

    def _collect(self, chunk: bytes | bytearray) -> None:
        wanted = min(self._limit - len(self._lines), self._max_chars + 1)
        *ended, tail = chunk.split(b"\n", wanted)
        for part in ended:
            self._keep(part)
            self._lines.append(bytes(self._line))
            self._line.clear()
            if len(self._lines) == self._limit or self._kept > self._max_chars * 4:
                self.done_at = self.fed
                return
        self._keep(tail)

    def _keep(self, part: bytes | bytearray) -> None:
        part = part[: _MAX_LINE_BYTES - len(self._line)]
        self._line += part
        self._kept += len(part) + 1

    def window(self, *, exact: bool) -> Window:
        """The lines that fit, and what is known of the file."""
        ends_open = self._last != b"\n"
        total = self._newlines + ends_open
        lines = list(self._lines)
        if self.done_at is None and ends_open and total >= self._start:
            lines.append(bytes(self._line))
        texts = _decoded(lines)
        fitting = _fitting(texts, self._max_chars)
        return Window(
            start=self._start,
            lines=[_shortened(text) for text in texts[:fitting]],
            total=total,
            capped=fitting < min(self._limit, total - self._start + 1),
            cut_lines=sum(len(text) > MAX_LINE for text in texts[:fitting]),
            total_exact=exact,
            ends_open=ends_open,
        )


def _decoded(lines: list[bytes]) -> list[str]:
    joined = b"\n".join(lines)
    text = joined.decode(decode_file(joined).encoding, "replace")
    return [line.removesuffix("\r") for line in text.split("\n")] if lines else []


def _fitting(texts: list[str], max_chars: int) -> int:
    """How many lines fit; a first line always does."""
    used = 0
    for number, text in enumerate(texts):
        used += min(len(text), MAX_LINE) + 1
        if used > max_chars and number > 0:
            return number
    return len(texts)


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_LINE else cut(text, MAX_LINE) + " [line cut]"
