"""FileChanged hooks: the files that matchers name and those that hooks ask for are watched."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from hames.harness.events import Scope
from hames.harness.hook_firing import HookFiring
from hames.harness.record import Record
from hames.hooks import session_events
from hames.settings.watch import watch


class FileWatch:
    """Watches while any hook waits for the event; `record` is the conversation in front."""

    def __init__(self, firing: HookFiring, record: Callable[[], Record | None]) -> None:
        self._firing = firing
        self._record = record
        self._asked: tuple[Path, ...] = ()
        self._watched: frozenset[Path] = frozenset()
        self._there: dict[Path, bool] = {}
        self._task: asyncio.Task[None] | None = None

    def look_at(self, paths: Iterable[str] | None, cwd: Path) -> None:
        """Watch `paths` (None: those asked for before) and the names of matchers in `cwd`."""
        if paths is not None:
            self._asked = tuple(Path(path) for path in paths if Path(path).is_absolute())
        wanted = frozenset([*self._asked, *self._named(cwd)])
        if not self._firing.engine.concerns("FileChanged"):
            wanted = frozenset[Path]()
        if wanted == self._watched:
            return
        self._watched = wanted
        self._there = {path: path.exists() for path in wanted}
        self.stop()
        if wanted:
            self._task = asyncio.create_task(watch(wanted, self._changed))

    def stop(self) -> None:
        """Watch nothing any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _named(self, cwd: Path) -> Iterable[Path]:
        for matcher in self._firing.engine.matchers("FileChanged"):
            for name in matcher.split("|"):
                if name.strip():
                    yield cwd / name.strip()

    async def _changed(self, paths: frozenset[Path]) -> None:
        record = self._record()
        if record is None:
            return
        for path in sorted(paths):
            there, before = path.exists(), self._there.get(path, False)
            self._there[path] = there
            change = "change" if there and before else "add" if there else "unlink"
            event = session_events.file_changed(str(path), change)
            scope, state = Scope(record.session_id), record.state
            outcome = await self._firing.fire(event, scope, state)
            if outcome.watch_paths is not None:
                self._asked = tuple(Path(asked) for asked in outcome.watch_paths)
                self._firing.beside(self._look_again(state.cwd))

    async def _look_again(self, cwd: Path) -> None:
        """In a task of its own: the watch that it may end is the one that called."""
        self.look_at(None, cwd)
