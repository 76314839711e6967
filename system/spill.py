"""Large results kept whole in a private file; the caller gets the two ends."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from hames.system.files import PRIVATE_FILE, ensure_private, write_all
from hames.system.text import clean, cut, cut_start

MAX_SPILL = 64 * 1024 * 1024
"""Bytes kept of one result; past that the middle is left out."""

EDGE = 2_000
"""Code points of each end handed back."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


class Spilled(NamedTuple):
    """Where a result went. `size` is the true size in bytes, `kept` the size of the file.

    `path` is None and `problem` says why when nothing could be written (full disk, read-only).
    """

    path: Path | None
    size: int
    kept: int
    head: str
    tail: str
    problem: str = ""


def spill(
    folder: Path,
    call_id: str,
    data: str | bytes,
    *,
    edge: int = EDGE,
    suffix: str = ".txt",
    limit: int = MAX_SPILL,
) -> Spilled:
    """Write `data` to a new file of mode 0600 in `folder`, named after the call.

    At most `limit` bytes and a tenth of the free space are kept. Never raises OSError.
    """
    raw = clean(data).encode() if isinstance(data, str) else data
    head = cut(raw[: edge * 4].decode("utf-8", "ignore"), edge)
    tail = cut_start(raw[-edge * 4 :].decode("utf-8", "ignore"), edge) if edge else ""
    try:
        ensure_private(folder)
        kept = _middle_left_out(raw, min(limit, _free(folder) // 10))
        path = _write_new(folder, call_id, suffix, kept)
    except OSError as error:
        return Spilled(None, len(raw), 0, head, tail, error.strerror or str(error))
    return Spilled(path, len(raw), len(kept), head, tail)


def _free(folder: Path) -> int:
    space = os.statvfs(folder)
    return space.f_bavail * space.f_frsize


def _middle_left_out(raw: bytes, limit: int) -> bytes:
    if len(raw) <= limit:
        return raw
    half = limit // 2
    note = f"\n[... {len(raw) - 2 * half} bytes left out ...]\n".encode()
    return raw[:half] + note + raw[len(raw) - half :]


def _write_new(folder: Path, call_id: str, suffix: str, data: bytes) -> Path:
    path = folder / (_file_name(call_id) + suffix)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        fd = os.open(path, flags, PRIVATE_FILE)
    except FileExistsError:
        path = path.with_name(f"{path.stem}-{os.urandom(4).hex()}{suffix}")
        fd = os.open(path, flags, PRIVATE_FILE)
    try:
        write_all(fd, data)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(fd)
    return path


def _file_name(call_id: str) -> str:
    return call_id if _NAME.fullmatch(call_id) else os.urandom(16).hex()
