"""What the tools that write files share."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from hames.system.files import FileTooLarge, NotRegularFile, open_real
from hames.system.lock import LockTimeout
from hames.system.save import FileChanged
from hames.tools.paths import problem
from hames.tools.result import ToolError

MAX_EDITED = 256 << 20
"""Bytes of the largest file that is changed."""

MAX_ORIGINAL = 1 << 20
"""Longer original texts are left out of the structured output (null)."""

P = ParamSpec("P")
R = TypeVar("R")


class Loaded(NamedTuple):
    """An existing file as it is now."""

    data: bytes
    info: os.stat_result


def load(real: Path) -> Loaded:
    """The bytes of a file and its state; raises OSError, FileTooLarge, NotRegularFile."""
    with open_real(real) as file:
        info = os.fstat(file.fileno())
        if info.st_size > MAX_EDITED:
            raise FileTooLarge(real, MAX_EDITED)
        return Loaded(file.read(), info)


def load_if_there(real: Path) -> Loaded | None:
    """As `load`; None when there is no file."""
    try:
        return load(real)
    except (FileNotFoundError, NotADirectoryError):
        return None


def original(text: str) -> str | None:
    """The text as `originalFile` of structured outputs."""
    return text if len(text) <= MAX_ORIGINAL else None


def make_folder(folder: Path) -> None:
    """Make a folder and its parents, following the umask. Raises ToolError where a file stands."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise ToolError(f"{folder} is a file, so nothing can be put below it.") from error


async def change_file(path: Path, change: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Run `change` in a thread and wait for its end even when cancelled, so that no write comes
    after the call is over. What can go wrong with a file becomes a ToolError."""
    work = asyncio.ensure_future(asyncio.to_thread(change, *args, **kwargs))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        raise
    except FileChanged as error:
        raise ToolError(f"{path} was changed by somebody else just now. Read it again.") from error
    except LockTimeout as error:
        raise ToolError(f"{error}. Try again later.") from error
    except NotRegularFile as error:
        raise ToolError(f"{path} is a {error.kind}, not a file.") from error
    except OSError as error:
        raise ToolError(problem(path, error)) from error
