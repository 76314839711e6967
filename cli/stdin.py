"""The text that was piped into a headless run."""

import os
import select
import stat
import sys
import time

from hames.harness.errors import UsageError

MAX_BYTES = 10_000_000
PATIENCE = 3.0
"""Seconds that a silent pipe is waited for when a prompt was given as an argument too."""

NO_INPUT = "Input must be provided either through stdin or as a prompt argument when using --print"
ONLY_BLANKS = (
    "Input contained only whitespace. Provide a prompt with text through stdin or as a prompt "
    "argument when using --print"
)


def prompt_from(argument: str | None, *, required: bool = True) -> str:
    """The prompt of a headless run: the argument, a blank line, and what stdin holds.

    Raises UsageError when there is nothing or only whitespace; a resumed session may go on with
    nothing when `required` is false.
    """
    piped = _piped(has_argument=argument is not None)
    if argument is None and not piped and not required:
        return ""
    if argument is None and not piped:
        raise UsageError(NO_INPUT)
    parts = [part for part in (argument, piped) if part is not None and part.strip()]
    if not parts:
        raise UsageError(ONLY_BLANKS if (argument or piped) else NO_INPUT)
    return "\n\n".join(parts)


def _piped(*, has_argument: bool) -> str | None:
    """What stdin holds; None for a terminal, a closed stdin, or one that stays silent."""
    fd = _input_fd()
    if fd is None:
        return None
    chunks: list[bytes] = []
    size = 0
    deadline = time.monotonic() + PATIENCE
    try:
        while True:
            if has_argument and not chunks and not _ready(fd, deadline):
                sys.stderr.write("Warning: no stdin data received, proceeding without it.\n")
                return None
            chunk = os.read(fd, 1 << 16)
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
            if size > MAX_BYTES:
                raise UsageError("stdin holds more than 10 MB; put it into a file and name that")
    except OSError as error:
        sys.stderr.write(f"Warning: stdin cannot be read: {error.strerror}\n")
        return None
    return b"".join(chunks).decode("utf-8", "replace").rstrip("\n")


def _input_fd() -> int | None:
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return None
    if os.isatty(0):
        return None
    return None if stat.S_ISCHR(mode) and os.path.samestat(os.fstat(0), _null()) else 0


def _null() -> os.stat_result:
    return os.stat(os.devnull)  # noqa: PTH116 - compared with a descriptor


def _ready(fd: int, deadline: float) -> bool:
    try:
        ready, _, _ = select.select([fd], [], [], max(deadline - time.monotonic(), 0))
    except ValueError:
        return True
    return bool(ready)
