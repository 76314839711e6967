"""What a run may need later: hooks, and the watch over its settings. Imported when it does."""

import asyncio
from collections.abc import Iterable
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from hames.harness.events import Scope
from hames.harness.inbox import Inbox
from hames.harness.live_settings import LiveSettings
from hames.harness.models.port import ModelClient
from hames.harness.models.profiles import Profile
from hames.harness.models.retry import RetryPolicy
from hames.harness.services import Services
from hames.harness.start import Start, children_env
from hames.settings.snapshot import Snapshot
from hames.settings.watch import stamps
from hames.system.types import JsonObject

if TYPE_CHECKING:
    from hames.harness.hook_points import HookPoints
    from hames.settings.definitions import Plugin
    from hames.settings.memory_files import MemoryFile

WIRING = "hames.harness.hook_wiring"
DEFINITIONS = "hames.harness.hook_definitions"

EARLY = frozenset(
    {"SessionStart", "Setup", "InstructionsLoaded", "UserPromptSubmit", "UserPromptExpansion"}
)
"""Events that come before the first request; hooks of others are imported while it is awaited."""

WATCH_DELAY = 0.5
"""Seconds after the first request, or the start of a terminal session."""


class LateHooks(NamedTuple):
    """Makes the hook points of a session, once there is a hook."""

    start: Start
    session_id: str
    services: Services
    inbox: Inbox
    live: LiveSettings
    client: ModelClient
    profile: Profile
    retries: RetryPolicy

    def open(self) -> "HookPoints":
        """The hook points of the session; made by the first call."""
        services = self.services
        if services.hooks is None:
            import_module(WIRING).make_hook_points(
                services, self.start, self.session_id, cache(self._models), self.inbox
            )
        late, services.late_hooks = services.late_hooks, None
        if late is not None:
            late()
        points: HookPoints | None = services.hooks
        assert points is not None
        return points

    def _models(self) -> Any:
        """How prompt and agent hooks reach a model."""
        return import_module("hames.harness.hook_models").ModelRunner(
            self.start, self.live, self.services, self.client, self.profile, self.retries
        )

    def register(self, snapshot: Snapshot) -> None:
        """Put the hooks of the settings in force; without any nothing is imported."""
        services = self.services
        events = {name for block in snapshot.hooks for name in block.hooks}
        if services.hooks is None and EARLY.isdisjoint(events):
            services.late_hooks = partial(self._register, snapshot) if events else None
        else:
            services.late_hooks = None
            self._register(snapshot)

    def _register(self, snapshot: Snapshot) -> None:
        import_module(WIRING).register_settings(self.open(), self.services, snapshot)

    def register_plugins(self, plugins: "Iterable[Plugin]") -> None:
        """Put the hooks of plugins in force."""
        import_module(DEFINITIONS).register_plugins(self.services, plugins)

    def register_client(self, hooks: JsonObject) -> None:
        """Put the hooks of a client in the place of those it brought before."""
        import_module(WIRING).register_client(self.open(), self.services, hooks)

    def tell_of_memory(self, files: "tuple[MemoryFile, ...]") -> None:
        """InstructionsLoaded hooks hear of the files that open a conversation."""
        hooks, record = self.services.hooks, self.services.record
        if hooks is not None and record is not None:
            hooks.session.loaded(files, Scope(record.session_id), record.state)


class Following:
    """The watch over settings files: made when it is needed, begun once, ended at the close."""

    def __init__(self, hooks: LateHooks) -> None:
        self._hooks = hooks
        self._seen = stamps(hooks.live.snapshot.files)
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._made: Any = None

    def begin(self) -> None:
        """Watch after a moment: a run that is over by then needs no watch."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(WATCH_DELAY, self._follow)

    async def reload(self) -> Snapshot:
        """Read the settings again, now. Raises ConfigError for an unusable `--settings`."""
        snapshot: Snapshot = await self._reloading().reload()
        return snapshot

    def _follow(self) -> None:
        self._task = asyncio.create_task(self._reloading().follow())

    def _reloading(self) -> Any:
        if self._made is None:
            hooks = self._hooks
            self._made = import_module("hames.harness.reloading").Reloading(
                hooks.live, hooks.services, self._swapped, self._seen
            )
        return self._made

    def _swapped(self, snapshot: Snapshot) -> None:
        """What follows a snapshot beside the rules: the environment of children, the hooks."""
        hooks = self._hooks
        environ = hooks.start.request.env
        hooks.services.env = children_env(environ, snapshot, hooks.session_id)
        hooks.register(snapshot)

    async def aclose(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
