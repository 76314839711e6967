"""Finding processes of a test by a text in their command line."""

import time
from pathlib import Path


def alive(mark: str) -> list[str]:
    """Command lines of live processes that hold `mark`."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if mark in line:
                found.append(line)
    return found


def left_after(mark: str, seconds: float = 3.0) -> list[str]:
    """What is still alive after at most `seconds`; empty as soon as nothing is."""
    deadline = time.monotonic() + seconds
    while (found := alive(mark)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found
