"""What a call may change in its session. It returns these; dispatch applies and stores them."""

from pathlib import Path
from typing import NamedTuple

from hames.tools.context import ReadMark


class SetCwd(NamedTuple):
    """The working directory of the session moved to `path`."""

    path: Path


class SetMode(NamedTuple):
    """The permission mode became `mode` (wire spelling)."""

    mode: str


class ReadState(NamedTuple):
    """A file was read or written and is known to the model as `mark` says."""

    mark: ReadMark


class Grant(NamedTuple):
    """Allow `rules` until the next user message."""

    rules: tuple[str, ...]


Effect = SetCwd | SetMode | ReadState | Grant
