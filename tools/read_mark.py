"""What the model knows of a file."""

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
