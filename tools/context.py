"""What a tool may see of its session, and the ports to what lies above it."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from hames.system.types import JsonObject
from hames.tools.effects import Effect
from hames.tools.read_mark import ReadMark


class LoadedSkill(NamedTuple):
    """An invoked skill: the messages with its body, hidden from people, and what it changes."""

    name: str
    messages: tuple[str | list[JsonObject], ...]
    effects: tuple[Effect, ...]


def _ignore(text: str) -> None:
    del text


def _nothing_readable(path: Path) -> bool:
    del path
    return False


class Ports(NamedTuple):
    """Calls upward. The defaults are the cautious answers.

    `progress(text)`: newest output of a running call. `may_read(path)`: whether reading the
    path would need no prompt. `denied(path)`: whether a Read deny rule covers the path, so that
    Grep and Glob can leave it out of their results. `load_skill(name, args)` invokes a skill and
    raises ToolError; None where there are none.
    """

    progress: Callable[[str], None] = _ignore
    may_read: Callable[[Path], bool] = _nothing_readable
    denied: Callable[[Path], bool] = _nothing_readable
    load_skill: Callable[[str, str], Awaitable[LoadedSkill]] | None = None


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
