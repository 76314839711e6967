"""What a tool may see of its session, and the ports to what lies above it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple


class ReadMark(NamedTuple):
    """What the model knows of a file.

    `path` is the real path. `full` is false for a page or a partial view: such a mark does not
    permit Write and is not an unchanged re-read. `offset` and `limit` are the lines asked for
    (1-based; None: from the start, to the end). `seeded` marks memory files loaded at start.
    """

    path: Path
    mtime_ns: int
    size: int
    full: bool
    offset: int | None = None
    limit: int | None = None
    seeded: bool = False


def _ignore(text: str) -> None:
    del text


def _nothing_readable(path: Path) -> bool:
    del path
    return False


class Ports(NamedTuple):
    """Calls upward. The defaults are the cautious answers.

    `progress(text)`: newest output of a running call. `may_read(path)`: whether reading the
    path would need no prompt. `denied(path)`: whether a Read deny rule covers the path, so that
    Grep and Glob can leave it out of their results.
    """

    progress: Callable[[str], None] = _ignore
    may_read: Callable[[Path], bool] = _nothing_readable
    denied: Callable[[Path], bool] = _nothing_readable


class ToolContext(NamedTuple):
    """What one call may know.

    `root` is the primary working directory of the session and `directories` all of them.
    `spill` is the private folder for large results of this session. `env` is the environment
    for children and switches. `reads` maps real paths to what the model knows of them.
    """

    call_id: str
    cwd: Path
    root: Path
    directories: tuple[Path, ...]
    spill: Path
    env: Mapping[str, str]
    reads: Mapping[Path, ReadMark]
    ports: Ports = Ports()
