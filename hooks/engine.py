"""Fires events: selects the hooks, runs them side by side and combines what they say."""

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hames.hooks.background import BackgroundResult, background_result
from hames.hooks.combine import combined
from hames.hooks.context import HookContext, HookSession
from hames.hooks.event_table import HandlerType
from hames.hooks.events import HookEvent, input_of
from hames.hooks.handlers import Handlers
from hames.hooks.limits import UNLIMITED, short, shortened, time_limits
from hames.hooks.output import failed, understand
from hames.hooks.policy import HookPolicy
from hames.hooks.ports import RawOutput, Runner
from hames.hooks.registry import HookRegistry
from hames.hooks.result import NOTHING, HookResult, HookRun, Outcome, RunOutcome
from hames.hooks.spec import Command, HookSpec
from hames.system.text import head_tail
from hames.system.types import JsonObject

log = logging.getLogger(__name__)

_RECORDED = 100_000
"""Characters of stdout and of stderr in the record of a run."""


class Observer(Protocol):
    """Hears of every run; both are called from the event loop."""

    def started(self, hook_id: str, hook_name: str, spec: HookSpec) -> None:
        """A hook is about to run."""
        ...

    def finished(self, run: HookRun) -> None:
        """It ended, failed or was cancelled."""
        ...


@dataclass(frozen=True, slots=True)
class _Firing:
    """One event that is being fired."""

    event: HookEvent
    context: HookContext
    given: JsonObject
    observer: Observer | None


def _unheard(result: BackgroundResult) -> None:
    log.debug("%s: background hook ended", result.run.hook_name)


class HookEngine:
    """The hooks of one session.

    `runners` run prompt, agent, mcp_tool and callback handlers. `deliver` gets the results of
    background hooks.
    """

    def __init__(
        self,
        session: HookSession,
        policy: HookPolicy,
        *,
        runners: Mapping[HandlerType, Runner] | None = None,
        deliver: Callable[[BackgroundResult], None] = _unheard,
    ) -> None:
        self._session = session
        self._handlers = Handlers(session, policy, runners or {})
        self._registry = HookRegistry(policy)
        self._deliver = deliver
        self._background: set[asyncio.Task[None]] = set()
        self._ids = (f"{os.urandom(4).hex()}-{number}" for number in itertools.count(1))

    def register(
        self, group: str, specs: Iterable[HookSpec], *, agent_id: str | None = None
    ) -> int:
        """Replace the hooks of `group` (`settings`, `sdk`, `skill:x` ...); how many may run.

        With `agent_id` they hear only the events of that subagent.
        """
        return self._registry.register(group, specs, agent_id)

    def unregister(self, group: str) -> None:
        """Forget the hooks of `group`."""
        self._registry.unregister(group)

    def apply(self, policy: HookPolicy) -> None:
        """Judge all hooks by another policy, after the settings changed."""
        self._handlers.policy = policy
        self._registry.apply(policy)

    def enter(self, session: HookSession) -> None:
        """Another session (or changed facts of it) from the next event on."""
        self._session = session
        self._handlers.session = session

    @property
    def session(self) -> HookSession:
        """What hooks are told of the session."""
        return self._session

    def matchers(self, event_name: str) -> list[str]:
        """The matchers of all hooks of the event that have one."""
        return self._registry.matchers(event_name)

    def concerns(self, event_name: str) -> bool:
        """Whether any hook waits for the event: worth asking before its input is built."""
        return self._registry.concerns(event_name)

    def matching(self, event: HookEvent, context: HookContext) -> list[HookSpec]:
        """The hooks that `fire` would run."""
        return self._registry.matching(event, context)

    async def fire(
        self, event: HookEvent, context: HookContext, observer: Observer | None = None
    ) -> Outcome:
        """Run every hook of the event and say what they say together.

        Cancelling ends the hooks; nothing else raises.
        """
        if not self._registry.concerns(event.name):
            return NOTHING
        specs = self._registry.matching(event, context)
        if not specs:
            return NOTHING
        self._registry.spend(specs)
        firing = _Firing(event, context, input_of(event, self._session, context), observer)
        runs: list[HookRun] = []
        cut: dict[str, Path] = {}
        async with asyncio.TaskGroup() as tasks:
            for spec, limit in zip(specs, time_limits(specs, self._session.env), strict=True):
                if isinstance(spec.handler, Command) and spec.handler.background:
                    self._start_in_background(spec, spec.handler, firing)
                else:
                    tasks.create_task(self._run_and_keep(spec, firing, limit, runs, cut))
        return combined(event, runs, cut)

    async def settle(self, seconds: float) -> bool:
        """Wait for the background hooks; whether all of them ended within `seconds`."""
        tasks = list(self._background)
        return not tasks or not (await asyncio.wait(tasks, timeout=seconds))[1]

    async def aclose(self) -> None:
        """End the background hooks with everything they started."""
        tasks = list(self._background)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_and_keep(
        self,
        spec: HookSpec,
        firing: _Firing,
        limit: float,
        runs: list[HookRun],
        cut: dict[str, Path],
    ) -> None:
        """Append the run when it is done, so that `runs` is in the order of finishing."""
        _, run = await self._run(spec, firing, limit, understand)
        result, path = shortened(run.result, run.hook_id, self._session.spill)
        if path is not None:
            cut[run.hook_id] = path
        runs.append(replace(run, result=result))

    async def _run(
        self,
        spec: HookSpec,
        firing: _Firing,
        limit: float,
        reading: Callable[[HookSpec, HookEvent, RawOutput], HookResult],
    ) -> tuple[RawOutput, HookRun]:
        hook_id, name = next(self._ids), firing.event.label
        began = time.monotonic()
        if firing.observer is not None:
            firing.observer.started(hook_id, name, spec)
        outcome: RunOutcome = "cancelled"
        raw, result = RawOutput(exit_code=None), HookResult(outcome=outcome)
        try:
            raw = await self._handlers.run(spec, firing.given, firing.context, limit)
            result = reading(spec, firing.event, raw)
            outcome = result.outcome
        except Exception as error:
            log.exception("%s: hook %s", name, spec.summary)
            result = failed(spec, firing.event, f"internal error: {error!r}")
            outcome = "error"
        finally:
            run = HookRun(
                hook_id=hook_id,
                hook_name=name,
                event=firing.event.name,
                spec=spec,
                outcome=outcome,
                stdout=_recorded(raw.stdout),
                stderr=_recorded(raw.stderr or raw.failure or ""),
                exit_code=raw.exit_code,
                seconds=time.monotonic() - began,
                result=result,
            )
            if firing.observer is not None:
                firing.observer.finished(run)
        return raw, run

    def _start_in_background(self, spec: HookSpec, handler: Command, firing: _Firing) -> None:
        task = asyncio.create_task(self._run_in_background(spec, handler, firing))
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _run_in_background(self, spec: HookSpec, handler: Command, firing: _Firing) -> None:
        raw, run = await self._run(spec, firing, UNLIMITED, _without_decisions)
        said = background_result(handler, raw, run)
        folder = self._session.spill
        self._deliver(
            replace(
                said,
                context=short(said.context, f"{run.hook_id}-context", folder)[0],
                system_message=short(said.system_message, f"{run.hook_id}-message", folder)[0],
                wake=short(said.wake, f"{run.hook_id}-wake", folder)[0],
            )
        )


def _without_decisions(spec: HookSpec, event: HookEvent, raw: RawOutput) -> HookResult:
    """A background hook decides nothing; only that it could not run is told."""
    if raw.failure is not None:
        return replace(failed(spec, event, raw.failure), blocked=False, permission=None)
    return HookResult(outcome="success" if raw.exit_code in (0, 2) else "error")


def _recorded(text: str) -> str:
    return head_tail(text, _RECORDED, "[... {omitted} characters left out ...]")
