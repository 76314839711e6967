"""Files of the user written whole: in one step, with mode, owner and links kept."""

import contextlib
import errno
import os
import stat
import sys
from pathlib import Path
from typing import NamedTuple, Self

from hames.system.files import NotRegularFile, sync_folder, temporary_name, write_all
from hames.system.nofollow import final_target, open_folder

_IN_PLACE_ERRORS = (errno.EACCES, errno.EPERM, errno.EBUSY, errno.EXDEV)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


class FileChanged(OSError):
    """The file is no longer as it was when it was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ESTALE, "changed since it was read", str(path))


class FileStat(NamedTuple):
    """What tells one state of a file from another."""

    mtime_ns: int
    size: int
    inode: int

    @classmethod
    def of(cls, info: os.stat_result) -> Self:
        """From a stat result."""
        return cls(info.st_mtime_ns, info.st_size, info.st_ino)


MISSING = FileStat(0, -1, 0)
"""Expect that there is no file."""


def save_file(path: Path, data: bytes, *, expect: FileStat | None = None) -> os.stat_result:
    """Write `data` to the file that `path` names, following links to the end.

    Missing folders are made. `expect` is the state that was read (None: any); another one raises
    FileChanged. Raises OSError (ELOOP) for a loop of links; the old content survives any failure.
    """
    target = final_target(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    return replace_file(final_target(target), data, expect=expect)


def replace_file(
    real: Path, data: bytes, *, expect: FileStat | None = None, new_mode: int = 0o666
) -> os.stat_result:
    """As `save_file` for a path without links; a link swapped in since is refused (ELOOP).

    A new file gets `new_mode` less the umask. A file with several names, or whose owner a
    replacement would lose, is written in place. Returns the state afterwards.
    """
    folder = open_folder(real.parent)
    try:
        old = _lstat(real, folder)
        _check(real, old, expect)
        if old is not None and not _replaceable(old):
            return _in_place(real, folder, data)
        try:
            _replace(real, folder, data, old, new_mode)
        except OSError as error:
            if old is None or error.errno not in _IN_PLACE_ERRORS:
                raise
            return _in_place(real, folder, data)
        sync_folder(real.parent)
        return os.stat(real.name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if isinstance(error, FileChanged | NotRegularFile):
            raise
        raise OSError(error.errno, error.strerror, str(real)) from None
    finally:
        os.close(folder)


def _replaceable(old: os.stat_result) -> bool:
    """Whether a new file in place of the old one keeps its names and its owner."""
    return old.st_nlink == 1 and os.geteuid() in (0, old.st_uid)


def _lstat(real: Path, folder: int) -> os.stat_result | None:
    try:
        info = os.stat(real.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(info.st_mode):
        raise OSError(errno.ELOOP, "is a link now", str(real))
    if not stat.S_ISREG(info.st_mode):
        raise NotRegularFile(real, info.st_mode)
    return info


def _check(real: Path, now: os.stat_result | None, expect: FileStat | None) -> None:
    if expect is not None and expect != (FileStat.of(now) if now else MISSING):
        raise FileChanged(real)


def _replace(
    real: Path, folder: int, data: bytes, old: os.stat_result | None, new_mode: int
) -> None:
    name = temporary_name()
    fd = os.open(name, _NEW, new_mode if old is None else 0o600, dir_fd=folder)
    try:
        try:
            write_all(fd, data)
            if old is not None:
                _copy_metadata(real, fd, old)
            os.fsync(fd)
        finally:
            os.close(fd)
        if old is None:
            _move_to_free_name(real, name, folder)
        else:
            _check(real, _lstat(real, folder), FileStat.of(old))
            os.replace(name, real.name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _move_to_free_name(real: Path, name: str, folder: int) -> None:
    """Give the new file its name unless somebody took it meanwhile."""
    try:
        os.link(name, real.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise FileChanged(real) from None
    except OSError:  # a file system without hard links
        _check(real, _lstat(real, folder), MISSING)
        os.replace(name, real.name, src_dir_fd=folder, dst_dir_fd=folder)


def _copy_metadata(real: Path, fd: int, old: os.stat_result) -> None:
    """Owner, extended attributes (ACLs among them) and mode, as far as we may set them."""
    with contextlib.suppress(OSError):
        os.fchown(fd, old.st_uid, old.st_gid)
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            for name in os.listxattr(real, follow_symlinks=False):
                with contextlib.suppress(OSError):
                    os.setxattr(fd, name, os.getxattr(real, name, follow_symlinks=False))
    os.fchmod(fd, stat.S_IMODE(old.st_mode))  # last: a change of owner clears setuid and setgid


def _in_place(real: Path, folder: int, data: bytes) -> os.stat_result:
    """Overwrite the bytes of the file; whatever fails, the old ones are put back."""
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    with os.fdopen(os.open(real.name, flags, dir_fd=folder), "r+b", buffering=0) as file:
        fd = file.fileno()
        old = file.readall()
        try:
            _reserve(fd, len(data))
            _overwrite(fd, data)
            os.fsync(fd)
        except BaseException:
            _overwrite(fd, old)
            raise
        return os.fstat(fd)


def _reserve(fd: int, size: int) -> None:
    """Take the space before the first byte is changed; raises OSError (ENOSPC)."""
    if not hasattr(os, "posix_fallocate"):
        return
    try:
        os.posix_fallocate(fd, 0, max(size, 1))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise


def _overwrite(fd: int, data: bytes) -> None:
    os.lseek(fd, 0, os.SEEK_SET)
    write_all(fd, data)
    os.ftruncate(fd, len(data))
