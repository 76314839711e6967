"""A lock between processes."""

import contextlib
import fcntl
import logging
import os
import time
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from hames.system.files import PRIVATE_FILE
from hames.system.nofollow import open_file

DEFAULT_WAIT = 10.0
"""Seconds to wait for a lock."""

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
_log = logging.getLogger(__name__)


class LockTimeout(TimeoutError):
    """Another process kept the lock longer than the caller would wait."""


class Owner(NamedTuple):
    """Who holds a lock. The start time tells a process from a later one with the same id."""

    pid: int
    started: str
    host: str

    @classmethod
    def myself(cls) -> Self:
        """This process."""
        return cls(os.getpid(), start_time(os.getpid()), os.uname().nodename)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """The owner that a lock file names; None when it is empty or torn."""
        parts = text.split()
        if len(parts) != 3 or not parts[0].isdigit():
            return None
        return cls(int(parts[0]), parts[1], parts[2])

    def line(self) -> str:
        """The form `parse` reads."""
        return f"{self.pid} {self.started} {self.host}\n"

    def gone(self) -> bool:
        """Whether the process has certainly ended; False for one of another machine."""
        if self.host != os.uname().nodename:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return start_time(self.pid) != self.started


def start_time(pid: int) -> str:
    """When the process started, in clock ticks since boot; `-` where /proc does not tell.

    Ticks since boot, because wall clocks jump.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "-"
    return text.rpartition(")")[2].split()[19]


class FileLock:
    """`with FileLock(path):` holds the lock file `path`; it is removed on leaving.

    Raises LockTimeout naming the holder. A lock whose owner died is free. Where the file system
    cannot `flock`, existence of the file is the lock and a dead owner's file is taken over.
    """

    def __init__(self, path: Path, timeout: float = DEFAULT_WAIT) -> None:
        self._path = path
        self._timeout = timeout
        self._fd = -1
        self._owner_file: Path | None = None

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self._timeout
        pause = 0.001
        while not self._try():
            if time.monotonic() >= deadline:
                raise LockTimeout(f"{self._path} is held by {self._holder()}")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.02)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Removed while still held: whoever waits on the old file sees that and starts again.
        self._path.unlink(missing_ok=True)
        if self._owner_file is not None:
            self._owner_file.unlink(missing_ok=True)
        os.close(self._fd)
        self._fd = -1

    def _try(self) -> bool:
        if self._owner_file is not None:
            return self._try_by_existence(self._owner_file)
        fd = os.open(self._path, _FLAGS, PRIVATE_FILE)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        except OSError as error:
            os.close(fd)
            _log.warning("%s: no file locks here (%s)", self._path.parent, error.strerror)
            self._owner_file = self._path.with_name(f"{self._path.name}.owner")
            return self._try()
        if not _is_at(fd, self._path):
            os.close(fd)
            return False
        os.ftruncate(fd, 0)
        os.pwrite(fd, Owner.myself().line().encode(), 0)
        self._fd = fd
        return True

    def _try_by_existence(self, path: Path) -> bool:
        """A name given to a file that already says who owns it is a lock without `flock`."""
        _drop_stale(path)
        mine = _beside(path)
        fd = os.open(mine, _FLAGS | os.O_EXCL, PRIVATE_FILE)
        try:
            os.write(fd, Owner.myself().line().encode())
            os.link(mine, path)
        except OSError as error:
            os.close(fd)
            if isinstance(error, FileExistsError):
                return False
            raise
        finally:
            mine.unlink(missing_ok=True)
        self._fd = fd
        return True

    def _holder(self) -> str:
        owner = Owner.parse(_read(self._owner_file or self._path))
        return f"process {owner.pid} on {owner.host}" if owner else "another process"


@contextlib.contextmanager
def file_locked(real: Path, timeout: float = DEFAULT_WAIT) -> Generator[None]:
    """Hold the lock of an existing file itself while it is read, changed and replaced.

    Raises LockTimeout, FileNotFoundError. Where the file system cannot `flock`, nothing is held.
    """
    deadline = time.monotonic() + timeout
    while (fd := _lock_file(real)) is None:
        if time.monotonic() >= deadline:
            raise LockTimeout(f"{real} is locked by another process")
        time.sleep(0.005)
    try:
        yield
    finally:
        os.close(fd)


def _lock_file(real: Path) -> int | None:
    """A descriptor that holds the lock of the file now at `real`; None if it cannot be had yet."""
    fd = open_file(real, os.O_RDONLY | os.O_NONBLOCK)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except OSError:
        return fd
    if _is_at(fd, real):
        return fd
    os.close(fd)
    return None


def _is_at(fd: int, path: Path) -> bool:
    """Whether the descriptor is the file that the path names now."""
    try:
        return os.path.samestat(os.fstat(fd), path.lstat())
    except FileNotFoundError:
        return False


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.{os.urandom(4).hex()}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""


def _drop_stale(path: Path) -> None:
    """Remove the owner file of a process that died; only one of several takers gets it away."""
    text = _read(path)
    owner = Owner.parse(text)
    if owner is None or not owner.gone():
        return
    aside = _beside(path)
    with contextlib.suppress(FileNotFoundError):
        path.rename(aside)
        if _read(aside) != text:
            # Somebody else was faster and this is a live lock: put it back.
            with contextlib.suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()
