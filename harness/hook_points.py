"""Where user hooks join in: a call or a turn becomes hook input, the outcome becomes a value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hames.harness.calls import Call
from hames.harness.events import Event, HookRan, Notice, Scope
from hames.harness.hook_values import Post, Pre, PromptVerdict, StopVerdict, Told
from hames.harness.ops import PermissionAnswer
from hames.harness.reminders import hook_context
from hames.harness.state import SessionState
from hames.hooks import events, session_events
from hames.hooks.context import HookContext
from hames.hooks.engine import HookEngine
from hames.hooks.events import HookEvent
from hames.hooks.result import HookRun, Outcome
from hames.hooks.spec import HookSpec
from hames.system.types import JsonObject

STOPPED = "A hook stopped the turn."


class HookPoints:
    """Fires the events of a session's agents. A session without hooks has no such object."""

    def __init__(self, emit: Callable[[Event], None], engine: HookEngine) -> None:
        self._emit = emit
        self.engine = engine

    def _concerns(self, name: str) -> bool:
        return self.engine.concerns(name)

    async def _fire(self, event: HookEvent, scope: Scope, state: SessionState) -> Outcome:
        """Run the hooks of an event; what they want people to see becomes notices."""
        context = HookContext(
            cwd=state.cwd,
            permission_mode=state.mode,
            prompt_id=scope.turn_id,
            effort=state.effort,
            agent_id=scope.agent_id,
        )
        outcome = await self.engine.fire(event, context, _Observer(self._emit, scope))
        for text in (*outcome.system_messages, *outcome.notices):
            self._emit(Notice(scope, "warning", text))
        return outcome

    async def pre_tool(self, call: Call, scope: Scope, state: SessionState) -> Pre:
        """PreToolUse: deny, allow, ask, hand over, rewrite or add context."""
        if not self._concerns("PreToolUse"):
            return Pre()
        event = events.pre_tool_use(call.name, call.input, call.use.id)
        outcome = await self._fire(event, scope, state)
        verdict = outcome.permission.behavior if outcome.permission is not None else None
        reason = outcome.permission.reason if outcome.permission is not None else outcome.reason
        if outcome.blocked or outcome.stop:
            verdict = "deny"
            reason = reason or outcome.reason or outcome.stop_reason
        return Pre(
            verdict=verdict,
            reason=reason or "A hook denied this call.",
            updated_input=outcome.updated_input,
            contexts=_contexts(outcome),
            stop=_stop(outcome),
        )

    async def permission_request(
        self,
        call: Call,
        suggestions: Sequence[JsonObject],
        scope: Scope,
        state: SessionState,
        *,
        can_ask: bool,
    ) -> PermissionAnswer | None:
        """PermissionRequest: an answer in place of people. Not fired where nobody would be asked,
        except for subagents."""
        if not self._concerns("PermissionRequest") or not (can_ask or scope.agent_id):
            return None
        event = events.permission_request(call.name, call.input, suggestions)
        decision = (await self._fire(event, scope, state)).request
        if decision is None:
            return None
        return PermissionAnswer(
            behavior=decision.behavior,
            updated_input=decision.updated_input,
            updates=decision.updated_permissions,
            message=decision.message,
            interrupt=decision.interrupt,
        )

    async def post_tool(
        self,
        call: Call,
        structured: JsonObject | str,
        milliseconds: int,
        scope: Scope,
        state: SessionState,
    ) -> Post:
        """PostToolUse: feedback next to the result, or another output in its place."""
        if not self._concerns("PostToolUse"):
            return Post()
        event = events.post_tool_use(call.name, call.input, structured, call.use.id, milliseconds)
        outcome = await self._fire(event, scope, state)
        output = outcome.updated_output
        if call.name.startswith("mcp__") and outcome.updated_mcp_output is not None:
            output = outcome.updated_mcp_output
        return Post(_feedback(outcome), output, _stop(outcome))

    async def post_failure(
        self,
        call: Call,
        error: str,
        milliseconds: int,
        scope: Scope,
        state: SessionState,
        *,
        interrupt: bool = False,
    ) -> Post:
        """PostToolUseFailure: feedback next to the error."""
        if not self._concerns("PostToolUseFailure"):
            return Post()
        event = events.post_tool_use_failure(
            call.name,
            call.input,
            call.use.id,
            error,
            is_interrupt=interrupt or None,
            duration_ms=milliseconds,
        )
        outcome = await self._fire(event, scope, state)
        return Post(_feedback(outcome), None, _stop(outcome))

    async def post_batch(
        self, calls: Sequence[JsonObject], scope: Scope, state: SessionState
    ) -> Post:
        """PostToolBatch: `calls` as its input tells them; a block ends the loop."""
        if not self._concerns("PostToolBatch"):
            return Post()
        outcome = await self._fire(events.post_tool_batch(calls), scope, state)
        stop = _stop(outcome)
        if stop is None and outcome.blocked:
            stop = outcome.reason or STOPPED
        return Post(_contexts(outcome), None, stop)

    async def prompt(self, text: str, scope: Scope, state: SessionState) -> PromptVerdict:
        """UserPromptSubmit: block the prompt or add context to it."""
        if not self._concerns("UserPromptSubmit"):
            return PromptVerdict()
        outcome = await self._fire(events.user_prompt_submit(text), scope, state)
        stop = _stop(outcome)
        if outcome.blocked or stop is not None:
            return PromptVerdict(outcome.reason or stop or "A hook blocked the prompt.")
        return PromptVerdict(contexts=_contexts(outcome))

    async def stop(
        self, text: str, scope: Scope, state: SessionState, *, active: bool
    ) -> StopVerdict:
        """Stop: send the model on, or end the turn for good."""
        if not self._concerns("Stop"):
            return StopVerdict()
        outcome = await self._fire(events.stop(active, text or None), scope, state)
        reasons = (outcome.reason,) if outcome.blocked and outcome.reason else ()
        return StopVerdict((*reasons, *_contexts(outcome)), _stop(outcome))

    async def session_start(self, source: str, scope: Scope, state: SessionState) -> Told:
        """SessionStart: `source` is startup, resume, clear, compact or fork."""
        outcome = await self.tell(events.session_start(source), scope, state)
        return Told(_contexts(outcome), outcome.initial_user_message)

    async def session_end(self, reason: str, scope: Scope, state: SessionState) -> None:
        """SessionEnd: `reason` is clear, resume, logout, prompt_input_exit or other."""
        await self.tell(session_events.session_end(reason), scope, state)

    async def tell(self, event: HookEvent, scope: Scope, state: SessionState) -> Outcome:
        """Any other event: what its hooks say is the caller's to use."""
        return await self._fire(event, scope, state) if self._concerns(event.name) else Outcome()


@dataclass(frozen=True, slots=True)
class _Observer:
    emit: Callable[[Event], None]
    scope: Scope

    def started(self, hook_id: str, hook_name: str, spec: HookSpec) -> None:
        self.emit(HookRan(self.scope, hook_id, hook_name, spec.event))

    def finished(self, run: HookRun) -> None:
        self.emit(
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


def _contexts(outcome: Outcome) -> tuple[str, ...]:
    return tuple(hook_context(added.hook, _with_path(added)) for added in outcome.contexts)


def _with_path(added: Any) -> str:
    return f"{added.text}\n(all of it: {added.path})" if added.path is not None else added.text


def _feedback(outcome: Outcome) -> tuple[str, ...]:
    if not (outcome.blocked and outcome.reason):
        return _contexts(outcome)
    return (hook_context("PostToolUse", outcome.reason), *_contexts(outcome))


def _stop(outcome: Outcome) -> str | None:
    return (outcome.stop_reason or STOPPED) if outcome.stop else None
