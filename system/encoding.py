"""Text files decoded so that an edit changes the bytes of its span and no others."""

import bisect
import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from hames.system.text import clean

Newline = Literal["\n", "\r\n", "\r"]
Span = tuple[int, int]

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_ERRORS = {"utf-8": "surrogateescape", "utf-16-le": "surrogatepass", "utf-16-be": "surrogatepass"}
_ESCAPED = re.compile("[\udc80-\udcff]")
_KANA = re.compile("[\u3040-\u30ff]")
_HIGH_RUNS = re.compile(rb"[\x80-\xff]+")
_GB2312_PAIRS = re.compile(rb"(?:[\xa1-\xf7][\xa1-\xfe])+")
_SAMPLE = 64 * 1024


class UnencodableText(ValueError):
    """New text holds a character that the encoding of the file lacks."""

    def __init__(self, character: str, encoding: str) -> None:
        super().__init__(f"the file is {encoding}, which has no character {character!r}")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A decoded file. `text` has LF line ends whatever the file has.

    `newline` is the dominant line end, given to new lines. Bytes that fit no encoding are lone
    surrogates in `text` (surrogateescape).
    """

    text: str
    encoding: str
    bom: bytes
    newline: Newline
    _raw: str = field(repr=False)

    def encode(self, new_text: str) -> bytes:
        """The bytes of the file with `text` replaced by `new_text`; equal ends stay untouched."""
        return self.splice([(0, len(self.text))], new_text)

    def splice(self, spans: Sequence[Span], new: str) -> bytes:
        """The bytes with each span of `text` (sorted, disjoint) replaced by `new`.

        Raises UnencodableText.
        """
        breaks = self._crlf_positions()
        pieces: list[str] = []
        done = 0
        for start, end in spans:
            first, last, inserted = _trim(self.text, start, end, new)
            raw_start = first + bisect.bisect_left(breaks, first)
            raw_end = last + bisect.bisect_left(breaks, last)
            pieces.append(self._raw[done:raw_start])
            pieces.append(self._inserted(inserted, last))
            done = raw_end
        pieces.append(self._raw[done:])
        return self.bom + "".join(pieces).encode(
            self.encoding, _ERRORS.get(self.encoding, "strict")
        )

    def _inserted(self, new: str, end: int) -> str:
        """New text as the file spells it; `end` is where in `text` it stops."""
        new = clean(new)
        try:
            new.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise UnencodableText(new[error.start], self.encoding) from None
        if self.newline == "\n":
            return new
        if new.endswith("\r") and self.text.startswith("\n", end):
            new = new[:-1]  # half of a CRLF in the new text
        return lf(new).replace("\n", self.newline)

    def _crlf_positions(self) -> list[int]:
        """Where in `text` the line feeds stand that are CRLF in the file."""
        if len(self._raw) == len(self.text):
            return []
        found = re.finditer("\r\n", self._raw)
        return [match.start() - before for before, match in enumerate(found)]


def lf(text: str) -> str:
    """The text with CRLF as LF, as `TextFile.text` has it."""
    return text.replace("\r\n", "\n")


def _trim(text: str, start: int, end: int, new: str) -> tuple[int, int, str]:
    """The span without the ends that `new` leaves as they are."""
    head = _common(text, start, end, new)
    start, new = start + head, new[head:]
    tail = 0
    most = min(end - start, len(new))
    while tail < most and text[end - 1 - tail] == new[-1 - tail]:
        tail += 1
    return start, end - tail, new[: len(new) - tail]


def _common(text: str, start: int, end: int, new: str) -> int:
    """How many code points of the span and of `new` are equal from the start on."""
    most = min(end - start, len(new))
    low, step = 0, 4096
    while (
        low < most
        and text[start + low : start + min(low + step, most)] == new[low : min(low + step, most)]
    ):
        low = min(low + step, most)
    while low < most and text[start + low] == new[low]:
        low += 1
    return low


def decode_file(data: bytes) -> TextFile:
    """Decode a whole file; never fails, and encodes back to the same bytes."""
    bom, encoding = next((known for known in _BOMS if data.startswith(known[0])), (b"", ""))
    body = data[len(bom) :]
    raw: str | None = None
    if encoding:
        raw = _round_trip(body, encoding)
    if raw is None:
        bom, body = b"", data
        encoding, raw = _guess(body)
    newline = _dominant(raw)
    text = raw.replace("\r", "\n") if newline == "\r" else lf(raw)
    return TextFile(text, encoding, bom, newline, raw)


def _round_trip(body: bytes, encoding: str) -> str | None:
    errors = _ERRORS.get(encoding, "strict")
    try:
        raw = body.decode(encoding, errors)
        return raw if raw.encode(encoding, errors) == body else None
    except UnicodeError:
        return None


def _guess(body: bytes) -> tuple[str, str]:
    """Encoding and text of a file without a byte order mark."""
    with contextlib.suppress(UnicodeDecodeError):
        return "utf-8", body.decode()
    raw = body.decode("utf-8", "surrogateescape")
    wrong = len(_ESCAPED.findall(raw))
    good = len(raw) - len(raw.encode("ascii", "ignore")) - wrong
    if good * 3 >= wrong:
        return "utf-8", raw
    for encoding in (*_east_asian(body[:_SAMPLE]), "cp1252"):
        decoded = _round_trip(body, encoding)
        if decoded is not None:
            return encoding, decoded
    return "latin-1", body.decode("latin-1")


def _east_asian(sample: bytes) -> list[str]:
    """Encodings worth a try: Japanese shows kana, Chinese comes in pairs of high bytes."""
    runs = _HIGH_RUNS.findall(sample)
    paired = sum(len(run) for run in runs if _GB2312_PAIRS.fullmatch(run))
    in_words = sum(len(run) for run in runs if len(run) >= 4)
    total = sum(map(len, runs))
    if paired >= 0.9 * total and in_words >= 0.5 * total:
        return ["gb18030"]
    kana = len(_KANA.findall(sample.decode("cp932", "ignore")))
    return ["cp932"] if kana > max(1, len(runs) // 8) else []


def _dominant(raw: str) -> Newline:
    crlf = raw.count("\r\n")
    lines = raw.count("\n")
    if lines == 0:
        return "\r" if "\r" in raw else "\n"
    return "\r\n" if crlf * 2 > lines else "\n"
