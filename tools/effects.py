"""What a call may change in its session. It returns these; dispatch applies and stores them."""

from dataclasses import dataclass
from pathlib import Path

from hames.tools.context import ReadMark


@dataclass(frozen=True, slots=True)
class SetCwd:
    """The working directory of the session moved to `path`."""

    path: Path


@dataclass(frozen=True, slots=True)
class SetMode:
    """The permission mode became `mode` (wire spelling)."""

    mode: str


@dataclass(frozen=True, slots=True)
class ReadState:
    """A file was read or written and is known to the model as `mark` says."""

    mark: ReadMark


@dataclass(frozen=True, slots=True)
class Grant:
    """Allow `rules` until the next user message."""

    rules: tuple[str, ...]


Effect = SetCwd | SetMode | ReadState | Grant
