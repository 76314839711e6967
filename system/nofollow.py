"""Opening files by descriptor, so that a link swapped in after a check is not followed."""

import errno
import os
from pathlib import Path

MAX_HOPS = 40
"""Links followed before a path counts as a loop; the limit of the Linux kernel."""

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def final_target(path: Path) -> Path:
    """The absolute, link-free path of the file that `path` names; it need not exist.

    Raises OSError (ELOOP) for a loop.
    """
    path = path.absolute()
    for _ in range(MAX_HOPS):
        try:
            link = path.readlink()
        except OSError:
            return Path(os.path.realpath(path.parent)) / path.name
        path = path.parent / link
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def open_folder(real: Path) -> int:
    """A descriptor of the folder `real`, walked without following any link.

    It serves as `dir_fd` only. Raises OSError (ELOOP or ENOTDIR) where a link stands in the way.
    """
    fd = os.open("/", _FOLDER)
    try:
        for name in real.parts[1:]:
            fd, parent = os.open(name, _FOLDER, dir_fd=fd), fd
            os.close(parent)
    except OSError as error:
        os.close(fd)
        raise OSError(error.errno, error.strerror, str(real)) from None
    return fd


def open_file(real: Path, flags: int, mode: int = 0o600) -> int:
    """Open the file `real` without following any link; `flags` as of `os.open`."""
    folder = open_folder(real.parent)
    try:
        return os.open(real.name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(real)) from None
    finally:
        os.close(folder)
