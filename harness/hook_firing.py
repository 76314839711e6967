"""Fires one event and shows people what its hooks want them to see."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hames.harness.events import Event, HookRan, Notice, Scope, TerminalSequence
from hames.harness.record import Record
from hames.harness.reminders import hook_context
from hames.harness.state import SessionState
from hames.hooks.context import HookContext
from hames.hooks.engine import HookEngine
from hames.hooks.events import HookEvent
from hames.hooks.result import AddedContext, HookRun, Outcome
from hames.hooks.spec import HookSpec

STOPPED = "A hook stopped the turn."
CLOSE_SECONDS = 2.0


class HookHost(Protocol):
    """What hooks need of the session: see `Services`, which is one."""

    @property
    def emit(self) -> Callable[[Event], None]:
        """Sends an event out."""
        ...

    env: Mapping[str, str]
    reminders: list[str]
    record: Record | None
    interactive: bool
    agent_type: str | None

    @property
    def effort(self) -> Callable[[SessionState], str | None]:
        """The level in force; None for models without levels."""
        ...


class HookFiring:
    """The engine of a session with its observers, and what runs beside the turns."""

    def __init__(self, host: HookHost, engine: HookEngine) -> None:
        self.host = host
        self.engine = engine
        self._beside: set[asyncio.Task[Any]] = set()

    async def fire(self, event: HookEvent, scope: Scope, state: SessionState) -> Outcome:
        """Run the hooks of an event; what they want people to see becomes events."""
        context = HookContext(
            cwd=state.cwd,
            permission_mode=state.mode,
            prompt_id=scope.turn_id,
            effort=self.host.effort(state),
            agent_id=scope.agent_id,
            agent_type=scope.agent_type or self.host.agent_type,
        )
        emit = self.host.emit
        outcome = await self.engine.fire(event, context, _Observer(self.host, scope))
        for text in (*outcome.system_messages, *outcome.notices):
            emit(Notice(scope, "warning", text))
        if self.host.interactive:
            for sequence in outcome.terminal_sequences:
                emit(TerminalSequence(scope, sequence))
        return outcome

    def beside(self, work: Coroutine[Any, Any, object]) -> None:
        """Run something that nobody waits for, at most until the session ends."""
        task = asyncio.create_task(work)
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    async def aclose(self) -> None:
        """Let what runs beside the turns come to its end, for a moment, then end it."""
        tasks = set(self._beside)
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self.engine.aclose()


@dataclass(frozen=True, slots=True)
class _Observer:
    host: HookHost
    scope: Scope

    def started(self, hook_id: str, hook_name: str, spec: HookSpec) -> None:
        status = spec.status_message
        self.host.emit(HookRan(self.scope, hook_id, hook_name, spec.event, status=status))

    def finished(self, run: HookRun) -> None:
        self.host.emit(
            HookRan(
                self.scope,
                run.hook_id,
                run.hook_name,
                run.event,
                run.outcome,
                run.stdout,
                run.stderr,
                run.exit_code,
            )
        )


def contexts_of(outcome: Outcome) -> tuple[str, ...]:
    """What the hooks add to the conversation, as reminders that name them."""
    return tuple(hook_context(added.hook, _with_path(added)) for added in outcome.contexts)


def _with_path(added: AddedContext) -> str:
    return f"{added.text}\n(all of it: {added.path})" if added.path is not None else added.text


def stop_of(outcome: Outcome) -> str | None:
    """Why the turn ends, for people; None when it goes on."""
    return (outcome.stop_reason or STOPPED) if outcome.stop else None
