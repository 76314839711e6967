"""Read, change and write a file that several processes share."""

import contextlib
import errno
import os
import zlib
from collections.abc import Callable
from pathlib import Path

from hames.system.files import PRIVATE_FILE, private_target, write_private
from hames.system.lock import DEFAULT_WAIT, FileLock
from hames.system.save import MISSING, FileChanged, FileStat, replace_file

_ATTEMPTS = 5
_BOM = b"\xef\xbb\xbf"


class BadFile(ValueError):
    """A shared file that its reader refuses; it is left as it is, `backup` is a private copy."""

    def __init__(self, path: Path, reason: str, backup: Path) -> None:
        self.path = path
        self.backup = backup
        super().__init__(f"{path}: {reason}. Repair it or delete it (a copy is in {backup})")


def update_json_file(
    path: Path,
    change: Callable[[str], str],
    *,
    timeout: float = DEFAULT_WAIT,
    new_mode: int = PRIVATE_FILE,
) -> bool:
    """Replace the text of a shared file by `change(text)` under its lock; True when it changed.

    A missing or blank file is "". Links are followed, mode and byte order mark kept; a new file
    gets `new_mode` less the umask. When `change` raises ValueError the file stays, a copy of it
    is kept once, and BadFile is raised. Also raises LockTimeout and OSError.
    """
    target = private_target(path)
    with FileLock(target.with_name(f".{target.name}.lock"), timeout):
        for _ in range(_ATTEMPTS - 1):
            # Programs that do not know this lock may write in between.
            with contextlib.suppress(FileChanged):
                return _change(target, change, new_mode)
        return _change(target, change, new_mode)


def _change(target: Path, change: Callable[[str], str], new_mode: int) -> bool:
    data, expect = _read_shared(target)
    bom = _BOM if data.startswith(_BOM) else b""
    try:
        old = data[len(bom) :].decode()
        new = change(old if old.strip() else "")
    except ValueError as error:
        raise BadFile(target, str(error), _keep(target, data)) from error
    if new == old or (not new and not old.strip()):
        return False
    if expect is not MISSING and not target.stat().st_mode & 0o222:
        raise PermissionError(errno.EACCES, "is read-only", str(target))
    replace_file(target, bom + new.encode(), expect=expect, new_mode=new_mode)
    return True


def _read_shared(target: Path) -> tuple[bytes, FileStat]:
    try:
        with target.open("rb") as file:
            expect = FileStat.of(os.fstat(file.fileno()))
            return file.read(), expect
    except FileNotFoundError:
        return b"", MISSING


def _keep(target: Path, data: bytes) -> Path:
    """A private copy of a bad file; the same content is kept once."""
    backup = target.with_name(f"{target.name}.bad-{zlib.crc32(data):08x}")
    if not backup.exists():
        write_private(backup, data)
    return backup
