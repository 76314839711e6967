"""Settings that change during a session: hooks are asked, then everything follows them at once."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hames.harness.errors import HamesError
from hames.harness.events import Notice, Scope
from hames.harness.live_settings import LiveSettings
from hames.harness.services import Services
from hames.settings import paths
from hames.settings.load import LoadRequest
from hames.settings.snapshot import Snapshot
from hames.settings.watch import Stamps, stamps, watch


@dataclass(slots=True)
class Reloading:
    """Reads settings again and puts them in force.

    `swapped` hears of every snapshot that came in force: children and hooks follow it. `seen`
    are the stamps of the files as they were read last.
    """

    live: LiveSettings
    services: Services
    swapped: Callable[[Snapshot], None]
    seen: Stamps
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def follow(self) -> None:
        """Reload whenever a file changes, until cancelled."""
        while True:
            files = self.live.snapshot.files
            watching = asyncio.create_task(watch(files, self._changed, before=self.seen))
            try:
                while not watching.done() and self.live.snapshot.files == files:
                    await asyncio.wait({watching}, timeout=1.0)
            finally:
                watching.cancel()
                await asyncio.wait({watching})

    async def _changed(self, changed: frozenset[Path]) -> None:
        try:
            await self.reload(changed)
        except HamesError as error:
            self._tell(f"The changed settings are not used: {error}")

    async def reload(self, changed: Iterable[Path] | None = None) -> Snapshot:
        """Read the files again, ask hooks about each of `changed` and swap.

        None finds out what changed. Raises ConfigError for an unusable `--settings`.
        """
        async with self._lock:
            now = stamps(self.live.snapshot.files)
            if changed is None:
                changed = [path for path in now if now[path] != self.seen.get(path)]
            self.seen = now
            found = [path for path in sorted(changed) if not await self._allowed(path)]
            snapshot = await asyncio.to_thread(self.live.read, changed, found)
            if snapshot != self.live.snapshot:
                self._swap(snapshot)
            return snapshot

    async def _allowed(self, path: Path) -> bool:
        hooks, record = self.services.hooks_now(), self.services.record
        source = source_of(path, self.live.request)
        if hooks is None or record is None or source is None:
            return True
        scope = Scope(record.session_id)
        return await hooks.session.allows_change(source, str(path), scope, record.state)

    def _swap(self, snapshot: Snapshot) -> None:
        known = set(map(str, self.live.snapshot.warnings))
        self.live.swap(snapshot)
        self.swapped(snapshot)
        self.services.questions.redecide()
        for text in map(str, snapshot.warnings):
            if text not in known:
                self._tell(text)

    def _tell(self, text: str) -> None:
        record = self.services.record
        scope = Scope(record.session_id if record is not None else "")
        self.services.emit(Notice(scope, "warning", text))


def source_of(path: Path, request: LoadRequest) -> str | None:
    """The `source` of a ConfigChange hook; None for a file that holds no settings."""
    cwd = paths.real(request.cwd)
    if path.is_relative_to(request.managed_dir):
        return "policy_settings"
    if path == paths.user_settings_file(request.env, request.home):
        return "user_settings"
    if path == cwd / paths.SETTINGS_FILE:
        return "project_settings"
    if path == paths.global_config_file(request.env, request.home):
        return None
    return "local_settings"
