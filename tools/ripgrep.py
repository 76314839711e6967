"""Which program searches, how it is started, and what its errors mean."""

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hames.system.environment import inherited
from hames.system.process import Command, stream
from hames.system.text import visible
from hames.tools.result import ToolError

_PACKAGES = Path(__file__).parent.parent.parent
_STDERR_BYTES = 8_192
_COMMON = ("--no-config", "--color=never", "--no-messages", "--null", "--hidden", "--crlf")
_VERSION_FOLDERS = (".git", ".hg", ".svn", ".jj")


def search_program(env: Mapping[str, str]) -> tuple[str, ...]:
    """`rg` of PATH, else the one installed with hames, else our own stand-in.

    `USE_BUILTIN_RIPGREP=0`: never the one installed with hames.
    """
    found = shutil.which("rg", path=env.get("PATH", ""))
    if found and Path(found).is_absolute():
        return (found,)
    bundled = Path(sys.executable).parent / "rg"
    if env.get("USE_BUILTIN_RIPGREP") != "0" and bundled.is_file():
        return (str(bundled),)
    return (sys.executable, "-P", "-m", "hames.tools.pygrep")


class Search(NamedTuple):
    """A search in `folder`: options after the common ones, and `target`, `./` or `./name`."""

    folder: Path
    options: Sequence[str]
    target: str = "./"

    def argv(self, env: Mapping[str, str]) -> tuple[str, ...]:
        """The whole command."""
        hidden = [f"--glob=!{name}" for name in _VERSION_FOLDERS if not self._names(name)]
        return (*search_program(env), *_COMMON, *self.options, *hidden, "--", self.target)

    def _names(self, folder: str) -> bool:
        globs = [o.removeprefix("--glob=") for o in self.options if o.startswith("--glob=")]
        return folder in self.folder.parts or any(folder in glob.split("/") for glob in globs)


async def run_search(
    search: Search,
    sink: Callable[[bytes], object],
    *,
    env: Mapping[str, str],
    timeout: float,
    enough: asyncio.Event,
) -> bool:
    """Hand the output to `sink`; whether the search came to its end.

    Raises ToolError with the program's own diagnostic for a bad pattern, glob or type.
    """
    child_env = inherited(env)
    if (_PACKAGES / "hames" / "__init__.py").is_file():
        child_env["PYTHONPATH"] = str(_PACKAGES)
    try:
        finished = await stream(
            Command(search.argv(env), search.folder, child_env),
            sink,
            timeout=timeout,
            limit=_STDERR_BYTES,
            grace=0.2,
            enough=enough,
        )
    except OSError as error:
        raise ToolError(f"The search could not be started: {error}") from error
    complaint = finished.stderr.decode("utf-8", "replace").strip()
    if enough.is_set() or finished.timed_out:
        return False
    if finished.exit is None or finished.exit.code not in (0, 1):
        if complaint:
            raise ToolError(visible(complaint))
        return finished.exit is not None and finished.exit.code == 2
    return True


def search_place(path: str | None, cwd: Path) -> tuple[Path, str]:
    """The folder and target to search for a `path` argument. Raises ToolError when missing."""
    if path is not None and "\0" in path:
        raise ToolError("The path holds a NUL byte.")
    place = Path(os.path.normpath(cwd / path)) if path else cwd
    try:
        if place.is_dir():
            return place, "./"
        if place.exists():
            return place.parent, f"./{place.name}"
    except OSError as error:
        raise ToolError(f"{place}: {error.strerror}") from error
    raise ToolError(f"{place} does not exist. The working directory is {cwd}.")
