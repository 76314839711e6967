"""Tells when one of a set of files changed: by the system's watcher, else by polling."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from pathlib import Path

QUIET = 0.1
"""Seconds without a further change before it is told: editors write in several steps."""

POLL = 1.0
"""Seconds between two looks when the system has no watches left."""

Stamp = tuple[int, int, int]
Stamps = Mapping[Path, Stamp | None]
_log = logging.getLogger(__name__)


async def watch(
    paths: Iterable[Path],
    on_change: Callable[[frozenset[Path]], Awaitable[None]],
    *,
    before: Stamps | None = None,
    quiet: float = QUIET,
    poll: float = POLL,
) -> None:
    """Call `on_change` with the files whose content may differ, until cancelled.

    Files may be missing at first, be replaced, vanish and come back. The callback runs alone: a
    change during a call leads to a further call. `before` are the stamps of when the files were
    read; what changed since then is told first.
    """
    files = frozenset(paths)
    if before is None:
        before = stamps(files)
    elif changed := _differing(files, before, before := stamps(files)):
        await on_change(changed)
    async with contextlib.aclosing(_signals(files, poll)) as signals:
        async for _ in signals:
            if stamps(files) == before:
                continue
            await asyncio.sleep(quiet)
            now = stamps(files)
            changed = _differing(files, before, now)
            before = now
            if changed:
                await on_change(changed)


def _differing(files: frozenset[Path], before: Stamps, now: Stamps) -> frozenset[Path]:
    return frozenset(path for path in files if now.get(path) != before.get(path))


async def _signals(files: frozenset[Path], poll: float) -> AsyncGenerator[None, None]:
    """Something may have changed. Falls back to a steady beat when the watcher fails."""
    try:
        async with contextlib.aclosing(_events(files, poll)) as events:
            async for _ in events:
                yield None
    # The watcher raises what its library likes, and settings must still be reloaded.
    except Exception as error:
        _log.warning("settings are watched by polling: %s", error)
    while True:
        await asyncio.sleep(poll)
        yield None


async def _events(files: frozenset[Path], poll: float) -> AsyncGenerator[None, None]:
    """Events of the folders that exist, and a slow beat, in which new folders are noticed."""
    await asyncio.to_thread(_load_library)
    import watchfiles

    names = {str(path) for path in files} | {os.path.realpath(path) for path in files}
    while folders := _folders(files):
        # The stub of the library names a type of anyio that pyright does not know.
        events = watchfiles.awatch(  # pyright: ignore[reportUnknownMemberType]
            *folders,
            watch_filter=None,
            recursive=False,
            debounce=100,
            step=20,
            rust_timeout=int(poll * 1000),
            yield_on_timeout=True,
            raise_interrupt=False,
        )
        async with contextlib.aclosing(events):
            async for changes in events:
                if not changes or any(name in names for _, name in changes):
                    yield None
                if _folders(files) != folders:
                    break


def _load_library() -> None:
    """Importing it takes longer than the event loop should stand still."""
    import watchfiles

    del watchfiles


def _folders(files: Iterable[Path]) -> frozenset[Path]:
    """Existing folders of the files and of what they link to."""
    places = {path.parent for path in files} | {Path(os.path.realpath(p)).parent for p in files}
    return frozenset(folder for folder in places if folder.is_dir())


def stamps(files: Iterable[Path]) -> Stamps:
    """What tells two states of each file apart; None for a file that is not there."""
    return {path: _stamp(path) for path in files}


def _stamp(path: Path) -> Stamp | None:
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino
