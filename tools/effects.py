"""What a call may change in its session. It returns these; dispatch applies and stores them."""

from pathlib import Path
from typing import NamedTuple

from hames.tools.read_mark import ReadMark


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


class ForTurn(NamedTuple):
    """Model, effort and tools that are taken away, until the next user message."""

    model: str | None = None
    effort: str | None = None
    denied: tuple[str, ...] = ()


class Invoked(NamedTuple):
    """A skill's body went into the conversation; `digest` names its rendered text."""

    skill: str
    digest: str


class Shown(NamedTuple):
    """Instruction and skill files that the model was shown; not again before a compaction."""

    paths: tuple[Path, ...]


class Told(NamedTuple):
    """The model knows `value` of a `subject` that can change, such as the date."""

    subject: str
    value: str


Effect = SetCwd | SetMode | ReadState | Grant | ForTurn | Invoked | Shown | Told
