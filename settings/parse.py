"""A settings file: bytes from disk to a JSON object, or one sentence that says why not."""

import errno
import json
import os
import stat
from collections import Counter
from pathlib import Path
from typing import NamedTuple, NoReturn

from hames.settings.jsontext import blank_comments
from hames.system.types import JsonObject, is_object

FILE_LIMIT = 16 << 20
"""Bytes; larger settings files are not read and count as broken."""

_LENIENT = "comments or trailing commas were accepted; other programs may refuse this file"

FLAG_LIMIT = 2 << 20
"""Bytes of a `--settings` file."""


class Unreadable(ValueError):
    """The file exists, but nothing can be read from it; the text says why."""


class Document(NamedTuple):
    """A parsed file; `notices` say what was accepted although it is not strict JSON."""

    text: str
    values: JsonObject
    notices: tuple[str, ...] = ()


def read_document(path: Path, limit: int = FILE_LIMIT) -> Document | None:
    """The object in a file, None when there is no such file; raises Unreadable."""
    data = read_bytes(path, limit)
    return None if data is None else parse_bytes(data)


def read_bytes(path: Path, limit: int = FILE_LIMIT) -> bytes | None:
    """The bytes of a regular file, None when absent; never waits for a pipe or a device."""
    try:
        # Without O_NONBLOCK a named pipe in place of the file would stop the start for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise Unreadable("it is a link to a file that does not exist") from None
        return None
    except OSError as error:
        raise Unreadable(_reason(error)) from error
    try:
        check_kind(os.fstat(descriptor).st_mode)
        data = _read_up_to(descriptor, limit + 1)
    except OSError as error:
        raise Unreadable(_reason(error)) from error
    finally:
        os.close(descriptor)
    if len(data) > limit:
        raise Unreadable(f"it is larger than {limit >> 20} MiB")
    return data


def _read_up_to(descriptor: int, limit: int) -> bytes:
    data = os.read(descriptor, limit)
    while data and len(data) < limit:
        more = os.read(descriptor, limit - len(data))
        if not more:
            break
        data += more
    return data


def check_kind(mode: int) -> None:
    """Raise Unreadable unless a file mode is that of a regular file."""
    if stat.S_ISDIR(mode):
        raise Unreadable("it is a directory")
    if not stat.S_ISREG(mode):
        raise Unreadable("it is not a regular file (device, FIFO, or socket)")


def parse_bytes(data: bytes) -> Document:
    """The object in the bytes of a file; nothing but blanks counts as an empty object."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable(f"line {line}: it is not UTF-8 text") from error
    return parse_text(text)


def parse_text(text: str) -> Document:
    """The object in a text: strict JSON first, then with comments and trailing commas."""
    if not text.strip():
        return Document(text, {}, ("the file is empty; write {} or remove it",))
    repeated: list[str] = []
    notices: tuple[str, ...] = ()
    try:
        value = _decode(text, repeated)
    except ValueError as error:
        plain = blank_comments(text)
        if plain == text:
            raise Unreadable(_syntax(error)) from error
        repeated.clear()
        value = _decode_blanked(plain, repeated)
        notices = (
            "comments or trailing commas were accepted; other programs may refuse this file",
        )
    if not is_object(value):
        raise Unreadable(f"it holds {describe(value)}, an object {{...}} was expected")
    twice = tuple(f'"{key}" stands twice in one object; the last one counts' for key in repeated)
    return Document(text, value, notices + twice)


def describe(value: object) -> str:
    """A JSON value's kind in words, for messages: `a number`, `null`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def _decode(text: str, repeated: list[str]) -> object:
    def build(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) != len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated.extend(key for key, count in counts.items() if count > 1)
        return made

    try:
        return json.loads(text, object_pairs_hook=build, parse_constant=_no_constant)
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None


def _decode_blanked(text: str, repeated: list[str]) -> object:
    try:
        return _decode(text, repeated)
    except ValueError as error:
        raise Unreadable(_syntax(error)) from error


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _syntax(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"line {error.lineno}, column {error.colno}: {error.msg}"
    return str(error)


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "its links run in a circle"
    if error.errno in (errno.ENXIO, errno.ENODEV):
        return "it is not a regular file (device, FIFO, or socket)"
    return f"it cannot be read: {os.strerror(error.errno or 0).lower()}"
