"""Private files and folders of hames itself, and bounded reading of any regular file."""

import contextlib
import errno
import os
import stat
from io import FileIO
from pathlib import Path

from hames.system.nofollow import MAX_HOPS, open_file

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700

_SHARED = stat.S_IWGRP | stat.S_IWOTH


class NotRegularFile(OSError):
    """The path names a folder, FIFO, socket or device; `kind` says which."""

    def __init__(self, path: Path, mode: int) -> None:
        self.kind = file_kind(mode)
        super().__init__(errno.EINVAL, f"not a regular file but a {self.kind}", str(path))


class FileTooLarge(OSError):
    """The file holds more than `limit` bytes."""

    def __init__(self, path: Path, limit: int) -> None:
        self.limit = limit
        super().__init__(errno.EFBIG, f"larger than {limit} bytes", str(path))


class UnsafePath(OSError):
    """A link or a foreign folder stands where hames wants to keep private files."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EPERM, f"{reason}; remove it or choose another folder", str(path))


def file_kind(mode: int) -> str:
    """What `st_mode` says, in a word."""
    kinds = {
        stat.S_IFREG: "file",
        stat.S_IFDIR: "directory",
        stat.S_IFIFO: "FIFO",
        stat.S_IFSOCK: "socket",
        stat.S_IFCHR: "character device",
        stat.S_IFBLK: "block device",
        stat.S_IFLNK: "link",
    }
    return kinds.get(stat.S_IFMT(mode), "special file")


def ensure_private(path: Path) -> None:
    """Create the folder `path` and its missing parents with mode 0700.

    An existing `path` loses its group and other bits. Raises UnsafePath where somebody else
    could have planted a component: a link or a foreign folder in a place others may write to.
    """
    path = path.absolute()
    for folder in (*reversed(path.parents), path):
        try:
            info = folder.lstat()
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=PRIVATE_FOLDER)
            info = folder.lstat()
        if folder != folder.parent:
            _check_owner(folder, info)
    _tighten(path)


def _check_owner(folder: Path, info: os.stat_result) -> None:
    me = os.geteuid()
    shared = bool(folder.parent.stat().st_mode & _SHARED)
    if shared and info.st_uid not in (me, 0):
        raise UnsafePath(folder, "belongs to another user in a folder that others may write to")
    if stat.S_ISLNK(info.st_mode):
        if shared:
            raise UnsafePath(folder, "is a link in a folder that others may write to")
        info = folder.stat()
    if not stat.S_ISDIR(info.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))


def _tighten(path: Path) -> None:
    info = path.stat()
    me = os.geteuid()
    if me not in (info.st_uid, 0):
        raise UnsafePath(path, "belongs to another user")
    if info.st_mode & 0o077:
        # A read-only or foreign file system keeps its modes; the files inside are 0600 anyway.
        with contextlib.suppress(OSError):
            path.chmod(stat.S_IMODE(info.st_mode) & ~0o077)


def private_target(path: Path) -> Path:
    """The file behind `path`, following links only where nobody else could have planted them.

    Raises UnsafePath for a link in a shared folder, OSError (ELOOP) for a loop.
    """
    path = path.absolute()
    for _ in range(MAX_HOPS):
        try:
            link = path.readlink()
        except OSError:
            return Path(os.path.realpath(path.parent)) / path.name
        if path.parent.stat().st_mode & _SHARED:
            raise UnsafePath(path, "is a link in a folder that others may write to")
        path = path.parent / link
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def temporary_name() -> str:
    """An unpredictable name for a file that is renamed into place."""
    return f".hames-{os.urandom(8).hex()}.tmp"


def write_all(fd: int, data: bytes | memoryview) -> None:
    """Write every byte of `data`; a short write is continued."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def sync_folder(path: Path) -> None:
    """Make a rename in `path` durable; file systems that cannot are left alone."""
    with contextlib.suppress(OSError):
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def write_private(path: Path, data: bytes) -> None:
    """Replace the file at `path` by `data` in one step, mode 0600; its folder must exist."""
    target = private_target(path)
    temporary = target.parent / temporary_name()
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        try:
            write_all(fd, data)
            os.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def open_append(path: Path) -> int:
    """A descriptor for `append_private`; creates the file with mode 0600, follows no link."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    fd = os.open(path, flags, PRIVATE_FILE)
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise NotRegularFile(path, mode)
    return fd


def append_private(target: Path | int, data: bytes) -> None:
    """Append whole lines in one write, to a path or to a descriptor of `open_append`.

    A torn last line (crash, full disk) is closed first, so that new lines stay readable.
    """
    if isinstance(target, Path):
        fd = open_append(target)
        try:
            append_private(fd, data)
        finally:
            os.close(fd)
        return
    size = os.fstat(target).st_size
    if size and os.pread(target, 1, size - 1) != b"\n":
        data = b"\n" + data
    write_all(target, data)


def open_regular(path: Path) -> FileIO:
    """Open a regular file for unbuffered reading; raises NotRegularFile, never waits for a FIFO."""
    return open_real(Path(os.path.realpath(path)))


def open_real(real: Path) -> FileIO:
    """As `open_regular` for a path without links; a link swapped in since is refused (ELOOP)."""
    mode = real.lstat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
        raise NotRegularFile(real, mode)
    fd = open_file(real, os.O_RDONLY | os.O_NONBLOCK)
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise NotRegularFile(real, mode)
    return os.fdopen(fd, "rb", buffering=0)


def read_bounded(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes; raises FileTooLarge above that."""
    with open_regular(path) as file:
        chunks: list[bytes] = []
        left = limit + 1
        while left > 0 and (chunk := file.read(min(left, 1 << 20))):
            chunks.append(chunk)
            left -= len(chunk)
    if left <= 0:
        raise FileTooLarge(path, limit)
    return b"".join(chunks)
