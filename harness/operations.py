"""Carries out ops, at any time, also in the middle of a turn; each ends exactly once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hames.harness import ops
from hames.harness.errors import HamesError
from hames.harness.events import OpDone, OpFailed
from hames.harness.inbox import Prompt
from hames.harness.live_settings import LiveSettings
from hames.harness.modes import MODES, refuses_mode
from hames.harness.reports import Reports
from hames.harness.runner import Runner
from hames.harness.seats import Seats
from hames.harness.services import Services
from hames.settings.snapshot import Snapshot
from hames.system.types import JsonObject


class Refused(Exception):
    """The op cannot be carried out; the text says why."""


@dataclass(slots=True)
class Operations:
    """The meaning of every op except `Close`, which belongs to the session itself.

    `reload` reads the settings again; `register_hooks` takes the hooks of a client.
    """

    runner: Runner
    services: Services
    live: LiveSettings
    seats: Seats
    reports: Reports
    reload: Callable[[], Awaitable[Snapshot]]
    register_hooks: Callable[[JsonObject], None]
    may_bypass: bool = False
    closed: bool = False

    async def perform(self, op: ops.Op, op_id: str) -> None:
        """Carry the op out and emit its `OpDone` or `OpFailed`."""
        scope = self.runner.scope
        try:
            if self.closed:
                raise Refused("The session is closed.")
            value = await self._table()[type(op)](op)
        except (Refused, HamesError) as refusal:
            self.services.emit(OpFailed(scope, op_id, str(refusal)))
        else:
            self.services.emit(OpDone(scope, op_id, value))

    def _table(self) -> dict[type, Callable[[Any], Awaitable[JsonObject]]]:
        return {
            ops.Initialize: self._initialize,
            ops.UserInput: self._user_input,
            ops.Interrupt: self._interrupt,
            ops.TakeBack: self._take_back,
            ops.Reply: self._reply,
            ops.SetMode: self._set_mode,
            ops.SetModel: self._set_model,
            ops.SetEffort: self._set_effort,
            ops.SetThinking: self._set_thinking,
            ops.Clear: self._clear,
            ops.Resume: self._resume,
            ops.AddDirectory: self._add_directory,
            ops.Describe: self._describe,
            ops.Reload: self._reload,
        }

    async def _user_input(self, op: ops.UserInput) -> JsonObject:
        if self.runner.inbox.closed:
            raise Refused("The session is closing.")
        uuid = op.uuid or ops.new_id()
        prompt = Prompt(uuid, op.content, op.origin, op.query, op.literal)
        return {"uuid": uuid, "queued": self.runner.inbox.put(prompt)}

    async def _interrupt(self, op: ops.Interrupt) -> JsonObject:
        inbox = self.runner.inbox
        cancelled = [p.uuid for p in inbox.take_all()] if op.cancel_queued else None
        value: JsonObject = {"still_queued": inbox.queued}
        if cancelled is not None:
            value["cancelled"] = cancelled
        self.runner.interrupt()
        return value

    async def _take_back(self, op: ops.TakeBack) -> JsonObject:
        del op
        return {"contents": [prompt.content for prompt in self.runner.inbox.take_all()]}

    async def _reply(self, op: ops.Reply) -> JsonObject:
        return {"taken": self.services.questions.reply(op.request_id, op.answer)}

    async def _set_mode(self, op: ops.SetMode) -> JsonObject:
        mode = "default" if op.mode == "manual" else op.mode
        if mode not in MODES:
            raise Refused(f"unknown permission mode {op.mode!r}; there are: {', '.join(MODES)}")
        problem = refuses_mode(mode, self.live.snapshot, may_bypass=self.may_bypass)
        if problem is not None:
            raise Refused(problem)
        self.runner.agent.record.append([{"type": "permission-mode", "permissionMode": mode}])
        self.services.questions.redecide()
        return {"mode": mode}

    async def _set_model(self, op: ops.SetModel) -> JsonObject:
        model = None if op.model in (None, "default") else op.model
        return await self.seats.choose_model(self.runner, model)

    async def _set_effort(self, op: ops.SetEffort) -> JsonObject:
        return await self.seats.choose_effort(self.runner, op.effort)

    async def _set_thinking(self, op: ops.SetThinking) -> JsonObject:
        if op.max_tokens is not None and op.max_tokens < 0:
            raise Refused("a thinking budget must not be negative")
        self._choose(maxThinking=op.max_tokens)
        return {}

    def _choose(self, **choice: object) -> None:
        self.runner.agent.record.append([{"type": "hames-state", **choice}])

    def _idle_only(self) -> None:
        if self.runner.turn is not None:
            raise Refused("A turn is running; interrupt it first.")

    async def _clear(self, op: ops.Clear) -> JsonObject:
        del op
        self._idle_only()
        return await self.seats.clear(self.runner)

    async def _resume(self, op: ops.Resume) -> JsonObject:
        self._idle_only()
        return await self.seats.resume(self.runner, op.source, fork=op.fork)

    async def _add_directory(self, op: ops.AddDirectory) -> JsonObject:
        path = Path(op.path).expanduser()
        path = path if path.is_absolute() else self.runner.agent.record.state.cwd / path
        if not path.is_dir():
            raise Refused(f"{path} is not a directory")
        self._choose(directory=str(path))
        self.services.questions.redecide()
        hooks = self.services.hooks_now()
        if hooks is not None:
            hooks.session.added(str(path), self.runner.scope, self.runner.agent.record.state)
        return {"directory": str(path)}

    async def _initialize(self, op: ops.Initialize) -> JsonObject:
        value = self.reports.introduction(self.runner)
        if op.hooks is not None:
            self.register_hooks(op.hooks)
            value["hooks_applied"] = True
        return value

    async def _describe(self, op: ops.Describe) -> JsonObject:
        return await self.reports.describe(self.runner, op.what)

    async def _reload(self, op: ops.Reload) -> JsonObject:
        del op
        snapshot = await self.reload()
        return {"warnings": [str(warning) for warning in snapshot.warnings]}
