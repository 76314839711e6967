"""Where hooks join in with a turn: a call or a turn becomes input, the outcome a value."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from hames.harness.calls import Call
from hames.harness.events import Scope
from hames.harness.hook_attention import Attention
from hames.harness.hook_files import FileWatch
from hames.harness.hook_firing import STOPPED, HookFiring, HookHost, contexts_of, stop_of
from hames.harness.hook_session_points import SessionPoints
from hames.harness.hook_values import Post, Pre, PromptVerdict, StopVerdict
from hames.harness.ops import PermissionAnswer
from hames.harness.record import Record
from hames.harness.reminders import hook_context, stop_feedback
from hames.harness.state import SessionState
from hames.hooks import events
from hames.hooks.context import HookSession
from hames.hooks.engine import HookEngine
from hames.hooks.events import HookEvent
from hames.hooks.result import Outcome
from hames.system.files import ensure_private, write_private
from hames.system.types import JsonObject

DENIED = "A hook denied this call."


class HookPoints:
    """Fires the events of a session's agents; a session without hooks has no such object.

    `session` holds the events around the turns. `facts` tells what hooks hear of a session id.
    """

    def __init__(
        self, host: HookHost, engine: HookEngine, facts: Callable[[str], HookSession]
    ) -> None:
        self.engine = engine
        self._firing = HookFiring(host, engine)
        self._facts = facts
        files = FileWatch(self._firing, lambda: host.record)
        self.session = SessionPoints(self._firing, files, Attention(self._firing))

    def enter(self, record: Record) -> None:
        """Hooks hear of this conversation from now on; its file of variables starts empty."""
        session = self._facts(record.session_id)
        path = record.transcript.path or session.transcript_path
        self.engine.enter(replace(session, transcript_path=path))
        start_env_file(session)

    def refresh(self) -> None:
        """The environment or the registered hooks changed."""
        host = self._firing.host
        self.engine.enter(replace(self.engine.session, env=host.env))
        if host.record is not None:
            self.session.refresh(host.record.state)

    @property
    def variables(self) -> Mapping[str, str]:
        """What shell commands are told besides the environment of the session."""
        path = self.engine.session.env_file
        return {} if path is None or not path.exists() else {"CLAUDE_ENV_FILE": str(path)}

    async def aclose(self) -> None:
        """End everything that hooks started."""
        self.session.stop()
        await self._firing.aclose()

    def _concerns(self, name: str) -> bool:
        return self.engine.concerns(name)

    async def _fire(self, event: HookEvent, scope: Scope, state: SessionState) -> Outcome:
        return await self._firing.fire(event, scope, state)

    async def pre_tool(self, call: Call, scope: Scope, state: SessionState) -> Pre:
        """PreToolUse: deny, allow, ask, hand over, rewrite or add context."""
        if not self._concerns("PreToolUse"):
            return Pre()
        event = events.pre_tool_use(call.name, call.input, call.use.id)
        outcome = await self._fire(event, scope, state)
        verdict = outcome.permission.behavior if outcome.permission is not None else None
        reason = outcome.permission.reason if outcome.permission is not None else ""
        if verdict != "deny" and (outcome.blocked or outcome.stop):
            verdict, reason = "deny", outcome.reason or (STOPPED if outcome.stop else "")
        return Pre(
            verdict=verdict,
            reason=reason or DENIED,
            updated_input=outcome.updated_input,
            contexts=contexts_of(outcome),
            stop=stop_of(outcome),
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
        return Post(_feedback(event, outcome), output, stop_of(outcome))

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
        return Post(_feedback(event, outcome), None, stop_of(outcome))

    async def post_batch(
        self, calls: Sequence[JsonObject], scope: Scope, state: SessionState
    ) -> Post:
        """PostToolBatch: `calls` as its input tells them; a block ends the loop."""
        if not self._concerns("PostToolBatch"):
            return Post()
        outcome = await self._fire(events.post_tool_batch(calls), scope, state)
        stop = stop_of(outcome)
        if stop is None and outcome.blocked:
            stop = outcome.reason or STOPPED
        return Post(contexts_of(outcome), None, stop)

    async def prompt(self, text: str, scope: Scope, state: SessionState) -> PromptVerdict:
        """UserPromptSubmit: block the prompt or add context to it."""
        return await self._judge_prompt(events.user_prompt_submit(text), scope, state)

    async def expansion(
        self, name: str, arguments: str, source: str, scope: Scope, state: SessionState
    ) -> PromptVerdict:
        """UserPromptExpansion of `/name arguments`; `source` is where the command comes from."""
        typed = f"/{name} {arguments}".strip()
        event = events.user_prompt_expansion("slash_command", name, arguments, source, typed)
        return await self._judge_prompt(event, scope, state)

    async def _judge_prompt(
        self, event: HookEvent, scope: Scope, state: SessionState
    ) -> PromptVerdict:
        if not self._concerns(event.name):
            return PromptVerdict()
        outcome = await self._fire(event, scope, state)
        stop = stop_of(outcome)
        blocked = None
        if outcome.blocked or stop is not None:
            blocked = outcome.reason or stop or "A hook blocked the prompt."
        return PromptVerdict(
            blocked, contexts_of(outcome), outcome.suppress_prompt, outcome.session_title
        )

    async def stop(
        self, text: str, scope: Scope, state: SessionState, *, active: bool
    ) -> StopVerdict:
        """Stop: send the model on, or end the turn for good. `active`: it was sent on before."""
        if not self._concerns("Stop"):
            return StopVerdict()
        outcome = await self._fire(events.stop(active, text or None), scope, state)
        reasons = [added.text for added in outcome.contexts]
        if outcome.blocked:
            reasons.insert(0, outcome.reason or "The work is not finished.")
        return StopVerdict(tuple(map(stop_feedback, reasons)), stop_of(outcome))


def start_env_file(session: HookSession) -> None:
    """Begin the file of variables anew; it takes in the one that the user named."""
    path, own = session.env_file, session.env.get("CLAUDE_ENV_FILE")
    with suppress(OSError):
        if path is not None and own and own != str(path):
            ensure_private(path.parent)
            write_private(path, f". {shlex.quote(own)}\n".encode())
        elif path is not None:
            path.unlink(missing_ok=True)


def _feedback(event: HookEvent, outcome: Outcome) -> tuple[str, ...]:
    if not (outcome.blocked and outcome.reason):
        return contexts_of(outcome)
    return (hook_context(event.label, outcome.reason), *contexts_of(outcome))
