"""The tool-call pipeline: resolve, decide, run, finish. Tools declare; this enforces."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hames.harness.calls import (
    Allow,
    Call,
    CallOutcome,
    Decision,
    Defer,
    Deny,
    Invalid,
    Use,
    resolve,
)
from hames.harness.effects import encode_effect
from hames.harness.events import CallDenied, Notice, ToolFinished, ToolProgress, ToolStarted
from hames.harness.gate import Gate
from hames.harness.hook_values import NOTHING_AFTER, NOTHING_BEFORE, Post, Pre
from hames.harness.limits import within_limit
from hames.harness.ops import new_id
from hames.harness.place import KeyLocks, Place, Places
from hames.harness.record import Record
from hames.harness.services import Services
from hames.harness.state import SessionState
from hames.harness.transcript import result_entry
from hames.harness.turn import Turn
from hames.system.types import JsonObject, is_object
from hames.tools.context import LoadedSkill, Ports, ToolContext
from hames.tools.effects import ReadState
from hames.tools.registry import Registry
from hames.tools.result import ToolError, ToolResult

if TYPE_CHECKING:  # imported when a skill or a file is touched
    from hames.harness.skill_runs import SkillRuns
    from hames.harness.surroundings import Surroundings

log = logging.getLogger(__name__)

INTERRUPTED = "The user interrupted this call before it finished."
NOT_RUN = "This call was not run: the user interrupted the turn before it began."
NOT_DEFERRED = (
    "A hook deferred a call; that works in print mode and for a lone call only, so it is judged "
    "as if the hook had said nothing."
)
FAILURE_HOOK_SECONDS = 5.0


class Ran(NamedTuple):
    """A call that was executed and how long it took."""

    result: ToolResult
    milliseconds: int


class Tools(NamedTuple):
    """What the calls of all agents go through: the tools, the gate, the locks."""

    registry: Registry
    gate: Gate
    locks: KeyLocks
    skills: "Callable[[], SkillRuns] | None" = None
    surroundings: "Callable[[], Surroundings] | None" = None


class Dispatch:
    """Runs the calls of one agent. One `tool_result` for each `tool_use`, whatever happens."""

    def __init__(
        self, record: Record, services: Services, tools: Tools, offered: frozenset[str], spill: Path
    ) -> None:
        self._record = record
        self._services = services
        self._tools = tools
        self._offered = offered
        self._spill = spill
        tools.gate.allow_reading(spill)
        self._running: set[str] = set()
        self._results: dict[str, tuple[str, str | list[JsonObject]]] = {}
        """Entry and content of every stored result, by call id."""

    async def run(self, use: Use, index: int, places: Places, turn: Turn) -> CallOutcome:
        """One call, from its block to its stored result; an interrupted call has one too."""
        started = time.monotonic()
        try:
            return await self._pipeline(use, index, places, turn)
        except asyncio.CancelledError:
            if not turn.interrupted:
                raise
            return await self._interrupted(use, turn, started)

    def described(self, uses: Sequence[Use]) -> list[JsonObject]:
        """The calls with their results, as PostToolBatch hooks read them."""
        return [
            {
                "tool_name": use.name,
                "tool_input": use.input,
                "tool_use_id": use.id,
                "tool_response": self._results.get(use.id, (None, None))[1],
            }
            for use in uses
        ]

    def not_run(self, use: Use, turn: Turn) -> CallOutcome:
        """The outcome of a call that never began because the turn was interrupted."""
        block = _block(use.id, NOT_RUN, is_error=True)
        entry = self._store(use, block, ToolResult(NOT_RUN, f"Error: {NOT_RUN}"), 0, turn)
        return CallOutcome(use, entry, stop="aborted_tools")

    async def _pipeline(self, use: Use, index: int, places: Places, turn: Turn) -> CallOutcome:
        call = self._resolve(use)
        if isinstance(call, Invalid):
            await places.skip(index)
            return self._refused(use, call, turn)
        async with places.of(index, shared=call.tool.parallel_safe(call.args)) as place:
            pre = await self._before(call, turn, alone=places.count == 1)
            call, decision = await self._settle(call, pre, turn)
            if not isinstance(decision, Allow):
                return self._refused(use, decision, turn, pre)
            await self._narrow(call, place)
            async with self._tools.locks.hold(call.tool.lock_key(call.args)):
                ran = await self._execute(call, turn)
            return await self._finish(call, ran, pre, turn)

    def _resolve(self, use: Use) -> Call | Invalid:
        return resolve(self._tools.registry, self._offered, use)

    async def _before(self, call: Call, turn: Turn, *, alone: bool) -> Pre:
        hooks = self._services.hooks_now()
        if hooks is None:
            return NOTHING_BEFORE
        pre = await hooks.pre_tool(call, turn.scope, self._record.state)
        if pre.verdict == "defer" and (self._services.interactive or not alone):
            self._services.emit(Notice(turn.scope, "warning", NOT_DEFERRED, call.use.id))
            return pre._replace(verdict=None)
        return pre

    async def _after(self, call: Call, ran: Ran, turn: Turn) -> Post:
        """What hooks say of a finished call; its result is kept when the user stops them."""
        try:
            return await self._hear(call, ran, turn)
        except asyncio.CancelledError:
            if not turn.interrupted:
                raise
            return NOTHING_AFTER

    async def _hear(self, call: Call, ran: Ran, turn: Turn) -> Post:
        hooks, state = self._services.hooks_now(), self._record.state
        if hooks is None:
            return NOTHING_AFTER
        if ran.result.failed:
            error = _text_of(ran.result)
            return await hooks.post_failure(call, error, ran.milliseconds, turn.scope, state)
        output = ran.result.structured
        return await hooks.post_tool(call, output, ran.milliseconds, turn.scope, state)

    async def _settle(self, call: Call, pre: Pre, turn: Turn) -> tuple[Call, Decision]:
        """The gate's decision, repeated with each answer, so that a deny always wins."""
        return await self._tools.gate.settle(call, pre, turn, self._record)

    @staticmethod
    async def _narrow(call: Call, place: Place) -> None:
        await place.narrow(shared=call.tool.parallel_safe(call.args))

    async def _execute(self, call: Call, turn: Turn) -> Ran:
        """Run the tool within its time; every failure becomes a result."""
        summary = call.tool.summary(call.args)
        self._services.emit(ToolStarted(turn.scope, call.use.id, call.name, call.input, summary))
        self._running.add(call.use.id)
        started = time.monotonic()
        try:
            async with asyncio.timeout(call.tool.timeout(call.args)):
                result = await call.tool.run(call.args, self._context(call, turn))
        except ToolError as failure:
            result = _failed(str(failure))
        except TimeoutError:
            result = _failed(f"{call.name} did not finish in time and was stopped.")
        except Exception as bug:
            log.exception("the tool %s failed", call.name)
            result = _failed(f"{call.name} failed inside hames ({type(bug).__name__}: {bug}).")
        return Ran(result, round((time.monotonic() - started) * 1000))

    def _context(self, call: Call, turn: Turn) -> ToolContext:
        services, gate, state = self._services, self._tools.gate, self._record.state
        ports = Ports(
            progress=self._progress(call, turn),
            may_read=partial(gate.may_read, state=state),
            denied=partial(gate.denies_read, state=state),
            load_skill=partial(self._load_skill, turn) if self._tools.skills else None,
        )
        directories = (services.root, *gate.directories(state))
        return ToolContext(
            call_id=call.use.id,
            cwd=state.cwd,
            root=services.root,
            directories=directories,
            spill=self._spill,
            env=self._environment(),
            reads=state.reads,
            ports=ports,
        )

    def _environment(self) -> dict[str, str]:
        services = self._services
        own = {"CLAUDE_CODE_SESSION_ID": self._record.session_id}
        return {**services.env, **own, **(services.hooks.variables if services.hooks else {})}

    @property
    def state(self) -> SessionState:
        """The state of the conversation."""
        return self._record.state

    def may_read(self, path: Path, *, consented: bool) -> bool:
        """Whether the file may be read unasked; with `consented` only a deny forbids it."""
        gate = self._tools.gate
        return (
            not gate.denies_read(path, self.state) if consented else gate.may_read(path, self.state)
        )

    async def run_unasked(
        self,
        name: str,
        given: JsonObject,
        turn: Turn,
        *,
        rules: Sequence[str] = (),
        consented: bool = False,
    ) -> ToolResult:
        """Run a call that is not the model's; nobody is asked and nothing is stored.

        `rules` are allowed for it. With `consented` only a deny stops it. Raises ToolError.
        """
        call = self._resolve(Use(f"hames_{new_id()}", name, given, ""))
        if isinstance(call, Invalid):
            raise ToolError(call.text)
        state = replace(self.state, turn_rules=(*self.state.turn_rules, *rules))
        verdict = self._tools.gate.verdict(call, state)
        if verdict.behavior != "allow" and not (consented and verdict.behavior == "ask"):
            raise ToolError(f"No permission to use {name}: {verdict.reason}.")
        context = self._context(call, turn)._replace(ports=Ports())
        async with asyncio.timeout(call.tool.timeout(call.args)):
            result: ToolResult = await call.tool.run(call.args, context)
        return result

    async def _load_skill(self, turn: Turn, name: str, arguments: str) -> LoadedSkill:
        if self._tools.skills is None:
            raise ToolError("There are no skills in this session.")
        return await self._tools.skills().load(name, arguments, self, turn, self._record)

    def _progress(self, call: Call, turn: Turn) -> Callable[[str], None]:
        started = time.monotonic()

        def report(text: str) -> None:
            elapsed = time.monotonic() - started
            self._services.emit(ToolProgress(turn.scope, call.use.id, call.name, text, elapsed))

        return report

    async def _finish(self, call: Call, ran: Ran, pre: Pre, turn: Turn) -> CallOutcome:
        """Hooks after the call, limits, effects, the entry and the event."""
        post = await self._after(call, ran, turn)
        result = _replaced(ran.result, post)
        limit = call.tool.max_result_chars
        touched = any(isinstance(effect, ReadState) for effect in result.effects)
        if touched and self._tools.surroundings is not None:
            result = self._tools.surroundings().around(call.name, result, self.state, turn.scope)
        content = within_limit(result.content, limit, self._spill, call.use.id)
        block = _block(call.use.id, content, is_error=result.failed)
        before = self._record.state.cwd
        entry = self._store(call.use, block, result, ran.milliseconds, turn)
        await self._tell_of_move(before, turn)
        return CallOutcome(
            call.use,
            entry,
            reminders=(*pre.contexts, *result.reminders, *post.contexts),
            stop="hook_stopped" if post.stop is not None else None,
            stop_text=post.stop,
        )

    async def _tell_of_move(self, before: Path, turn: Turn) -> None:
        hooks, state = self._services.hooks_now(), self._record.state
        if hooks is not None and state.cwd != before:
            await hooks.session.moved(str(before), turn.scope, state)

    def _refused(
        self, use: Use, decision: Decision, turn: Turn, pre: Pre | None = None
    ) -> CallOutcome:
        """The outcome of a call that does not run: invalid, denied or deferred."""
        reminders = pre.contexts if pre is not None else ()
        if isinstance(decision, Defer):
            self._record.append([{"type": "hames-state", "deferred": use.id}])
            return CallOutcome(use, use.entry, reminders, stop="tool_deferred")
        if isinstance(decision, Deny):
            self._note_denial(use, decision, turn)
        text = "" if isinstance(decision, Allow) else decision.text
        block = _block(use.id, text, is_error=True)
        entry = self._store(use, block, ToolResult(text, f"Error: {text}"), 0, turn)
        interrupt = isinstance(decision, Deny) and decision.interrupt
        stop = "hook_stopped" if pre is not None and pre.stop is not None else None
        return CallOutcome(
            use,
            entry,
            reminders,
            stop="aborted_tools" if interrupt else stop,
            stop_text=pre.stop if pre is not None else None,
        )

    def _note_denial(self, use: Use, decision: Deny, turn: Turn) -> None:
        turn.denials.append({"tool_name": use.name, "tool_use_id": use.id, "tool_input": use.input})
        if decision.reason_type not in ("hook", "user"):
            self._services.emit(
                CallDenied(
                    turn.scope, use.id, use.name, use.input, decision.text, decision.reason_type
                )
            )

    async def _interrupted(self, use: Use, turn: Turn, started: float) -> CallOutcome:
        if use.id in self._results:  # it had finished and only let others pass
            return CallOutcome(use, self._results[use.id][0], stop="aborted_tools")
        milliseconds = round((time.monotonic() - started) * 1000)
        block = _block(use.id, INTERRUPTED, is_error=True)
        result = ToolResult(INTERRUPTED, f"Error: {INTERRUPTED}")
        entry = self._store(use, block, result, milliseconds, turn)
        call = self._resolve(use)
        if isinstance(call, Call) and use.id in self._running:
            await self._tell_hooks_of_interrupt(call, milliseconds, turn)
        return CallOutcome(use, entry, stop="aborted_tools")

    async def _tell_hooks_of_interrupt(self, call: Call, milliseconds: int, turn: Turn) -> None:
        hooks, state = self._services.hooks_now(), self._record.state
        if hooks is None:
            return
        try:
            async with asyncio.timeout(FAILURE_HOOK_SECONDS):
                await hooks.post_failure(
                    call, INTERRUPTED, milliseconds, turn.scope, state, interrupt=True
                )
        except TimeoutError:
            log.warning("hooks after the interrupt of %s took too long", call.name)

    def _store(
        self, use: Use, block: JsonObject, result: ToolResult, milliseconds: int, turn: Turn
    ) -> str:
        """Append the result with its effects, then tell everybody; the uuid of the entry."""
        effects = [encode_effect(effect) for effect in result.effects]
        extra: JsonObject = {"hames": {"effects": effects}} if effects else {}
        draft = result_entry(block, result.structured, use.entry, **extra)
        (entry,) = self._record.append([draft])
        uuid = str(entry["uuid"])
        self._results[use.id] = (uuid, block["content"])
        self._services.emit(
            ToolFinished(turn.scope, uuid, use.id, use.name, block, result.structured, milliseconds)
        )
        return uuid


def _failed(text: str) -> ToolResult:
    return ToolResult(text, f"Error: {text}", failed=True)


def _text_of(result: ToolResult) -> str:
    if isinstance(result.content, str):
        return result.content
    return "\n".join(str(b.get("text", "")) for b in result.content if b.get("type") == "text")


def _replaced(result: ToolResult, post: Post) -> ToolResult:
    """The result with the output that a hook put in its place."""
    if post.output is None:
        return result
    output = post.output
    if is_object(output):
        shown: JsonObject = output
        return result._replace(content=str(shown.get("stdout") or shown), structured=shown)
    return result._replace(content=str(output), structured=str(output))


def _block(call_id: str, content: str | list[JsonObject], *, is_error: bool) -> JsonObject:
    block: JsonObject = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return block | {"is_error": True} if is_error else block
