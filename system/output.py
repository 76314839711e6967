"""The private file that a command writes its output to, and the bounds on it."""

import errno
import os
import weakref
from pathlib import Path
from typing import NamedTuple

from hames.system.reap import FileId

OUTPUT_CAP = 256 << 20
"""Bytes after which a command is stopped."""

OUTPUT_KEPT = 64 << 20
"""Bytes of head and tail that stay on disk of a larger output."""

_LEAST_FREE = 1 << 20
_LEAST_CAP = 8 << 20
_CHUNK = 1 << 20
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)


class FileOutput(NamedTuple):
    """Where a command's output goes: a new file at `path`, stopped at `cap`, trimmed to `keep`."""

    path: Path
    cap: int = OUTPUT_CAP
    keep: int = OUTPUT_KEPT


class OutputFile:
    """An open output; `path` is None when the disk had no room and memory is used instead."""

    def __init__(self, wanted: FileOutput) -> None:
        """Raises OSError when `wanted.path` exists or its folder is missing."""
        self.path: Path | None = wanted.path
        self.cap = wanted.cap
        self._keep = wanted.keep
        self._omitted = 0
        try:
            self._fd, free = _create(wanted.path)
            self.cap = min(wanted.cap, max(free // 10, _LEAST_CAP))
        except OSError as error:
            if error.errno not in _NO_ROOM or not hasattr(os, "memfd_create"):
                raise
            self._fd = os.memfd_create("output")
            self.path = None
            self.cap = min(wanted.cap, wanted.keep)
        weakref.finalize(self, os.close, self._fd)

    def open_for_child(self) -> int:
        """A descriptor that appends, for the caller to close."""
        path = self.path or Path(f"/proc/self/fd/{self._fd}")
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)

    def identity(self) -> FileId:
        """Device and inode."""
        found = os.fstat(self._fd)
        return (found.st_dev, found.st_ino)

    def size(self) -> int:
        """Bytes in the file now."""
        return os.fstat(self._fd).st_size

    @property
    def written(self) -> int:
        """Bytes that the command wrote, also those no longer in the file."""
        return self.size() + self._omitted

    def head(self, count: int) -> bytes:
        """The first `count` bytes."""
        return os.pread(self._fd, count, 0)

    def tail(self, count: int) -> bytes:
        """The last `count` bytes."""
        return os.pread(self._fd, count, max(self.size() - count, 0))

    def trim(self) -> None:
        """Keep head and tail when the file is larger than allowed, with a note in between."""
        size = self.size()
        if size <= self._keep:
            return
        half = self._keep // 2
        note = f"\n[{size - 2 * half} bytes left out]\n".encode()
        target = half + os.pwrite(self._fd, note, half)
        source = size - half
        while source < size and (chunk := os.pread(self._fd, min(_CHUNK, size - source), source)):
            target += os.pwrite(self._fd, chunk, target)
            source += len(chunk)
        os.ftruncate(self._fd, target)
        self._omitted += size - target


def _create(path: Path) -> tuple[int, int]:
    """A new private file and the free bytes of its disk."""
    disk = os.statvfs(path.parent)
    free = disk.f_bavail * disk.f_frsize
    if free < _LEAST_FREE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, 0o600), free
