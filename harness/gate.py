"""May this call run? Rules, mode, hooks and people, asked in that order and then again."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from hames.harness.calls import Allow, Call, Decision, Defer, Deny, Invalid, validated
from hames.harness.display import question_display
from hames.harness.events import Notice
from hames.harness.grants import Grants
from hames.harness.hook_values import Pre
from hames.harness.ops import PermissionAnswer
from hames.harness.questions import Answered, Outcome, Redecide
from hames.harness.record import Record
from hames.harness.services import Services
from hames.harness.state import SessionState
from hames.harness.turn import Turn
from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import HookVerdict
from hames.settings.permissions.trace import Decision as Verdict
from hames.system.types import JsonObject

REFUSED = "The user does not want this call to run. Stop and wait for what they say next."
HOOK_DENIED = "A PermissionRequest hook does not allow this call."
GONE = "The call was not run: nobody answered the question whether it may run."


def _never(call: Call) -> bool:
    del call
    return False


class Gate:
    """Judges the calls of all agents of a session by the same rules.

    `is_plain` tells of calls that change nothing though their tool may.
    """

    def __init__(
        self, grants: Grants, services: Services, is_plain: Callable[[Call], bool] = _never
    ) -> None:
        self._grants = grants
        self._services = services
        self._is_plain = is_plain

    async def settle(
        self, call: Call, pre: Pre, turn: Turn, record: Record
    ) -> tuple[Call, Decision]:
        """The final input and decision. Input changed by anybody is validated and judged again."""
        for problem in self._grants.new_problems():
            self._services.emit(Notice(turn.scope, "notice", problem))
        if pre.verdict == "deny":
            return call, Deny(pre.reason, "hook")
        if pre.verdict == "defer":
            return call, Defer()
        changed = _changed(call, pre.updated_input)
        if isinstance(changed, Invalid):
            return call, changed
        while True:
            verdict = self._judge(changed, _hook_verdict(pre), record.state)
            if verdict.behavior == "allow":
                return changed, Allow()
            if verdict.behavior == "deny":
                return changed, Deny(_denied_by(changed, verdict), verdict.reason_type)
            answer = await self._ask(changed, verdict, turn, record)
            if isinstance(answer, Deny):
                return changed, answer
            if isinstance(answer, PermissionAnswer):
                return await self._answered(changed, answer, turn, record)

    def verdict(self, call: Call, state: SessionState) -> Verdict:
        """What rules and mode say of a call; nobody is asked."""
        return self._judge(call, None, state)

    def _judge(self, call: Call, hook: HookVerdict | None, state: SessionState) -> Verdict:
        read_only = call.tool.read_only or self._is_plain(call)
        facts = self._grants.facts(call.name, call.input, state, read_only=read_only)
        return decide(self._grants.policy(state), facts, self._grants.mode(state), hook)

    async def _ask(
        self, call: Call, verdict: Verdict, turn: Turn, record: Record
    ) -> PermissionAnswer | Deny | Redecide:
        """Ask hooks, then people; Redecide when the rules changed while the question was open."""
        suggestions = self._grants.suggestions(call.name, call.input, verdict, record.state)
        questions, hooks = self._services.questions, self._services.hooks_now()
        can_ask = questions.can_ask("permission")
        hook = None
        if hooks is not None:
            hook = hooks.permission_request(
                call, suggestions, turn.scope, record.state, can_ask=can_ask
            )
        if not can_ask:
            said = await hook if hook is not None else None
            return _by_hook(said) or Deny(_nobody_to_ask(call.name, verdict), verdict.reason_type)
        payload: JsonObject = {
            "tool_name": call.name,
            "tool_use_id": call.use.id,
            "input": call.input,
            "permission_suggestions": suggestions,
            "blocked_path": verdict.blocked_path,
            "decision_reason": verdict.reason,
        }
        display = question_display(call, verdict.reason)
        question = _asked(questions.ask("permission", turn.scope, display, payload))
        return await question if hook is None else await _first(hook, question)

    async def _answered(
        self, call: Call, answer: PermissionAnswer, turn: Turn, record: Record
    ) -> tuple[Call, Decision]:
        """Apply an answer: its updates all or none; a deny rule on its input still wins."""
        if answer.behavior != "allow":
            return call, Deny(answer.message or REFUSED, "user", answer.interrupt)
        changed = _changed(call, answer.updated_input)
        if isinstance(changed, Invalid):
            return call, changed
        verdict = self._judge(changed, None, record.state)
        if verdict.behavior == "deny":
            return changed, Deny(_denied_by(changed, verdict), verdict.reason_type)
        problem = await self._grants.apply(answer.updates, record) if answer.updates else None
        if problem is not None:
            self._services.emit(Notice(turn.scope, "warning", problem, call_id=call.use.id))
        return changed, Allow()

    def allow_reading(self, folder: Path) -> None:
        """Let the model read what hames itself stored in `folder` for it."""
        self._grants.allow_reading(folder)

    def may_read(self, path: Path, state: SessionState) -> bool:
        """Whether reading the file would need no prompt."""
        return self._read_verdict(path, state).behavior == "allow"

    def denies_read(self, path: Path, state: SessionState) -> bool:
        """Whether a rule forbids reading the file."""
        verdict = self._read_verdict(path, state)
        return verdict.behavior == "deny" and verdict.reason_type == "rule"

    def _read_verdict(self, path: Path, state: SessionState) -> Verdict:
        facts = self._grants.facts("Read", {"file_path": str(path)}, state, read_only=True)
        return decide(self._grants.policy(state), facts, self._grants.mode(state))

    def directories(self, state: SessionState) -> tuple[Path, ...]:
        """The working directories beside the primary one."""
        return self._grants.directories(state)


async def _asked(question: Coroutine[Any, Any, Outcome]) -> PermissionAnswer | Deny | Redecide:
    outcome = await question
    if isinstance(outcome, Redecide):
        return outcome
    if isinstance(outcome, Answered) and isinstance(outcome.answer, PermissionAnswer):
        return outcome.answer
    return Deny(GONE, "user")


async def _first(
    hook: Coroutine[Any, Any, PermissionAnswer | None],
    question: Coroutine[Any, Any, PermissionAnswer | Deny | Redecide],
) -> PermissionAnswer | Deny | Redecide:
    """Hooks and people decide side by side: the first decision counts, a deny when both came."""
    told, asked = asyncio.create_task(hook), asyncio.create_task(question)
    try:
        await asyncio.wait({told, asked}, return_when=asyncio.FIRST_COMPLETED)
        said = _by_hook(told.result()) if told.done() else None
        if said is None or (asked.done() and not isinstance(said, Deny)):
            return await asked
        return said
    finally:
        for task in (told, asked):
            task.cancel()
        await asyncio.wait({told, asked})


def _by_hook(said: PermissionAnswer | None) -> PermissionAnswer | Deny | None:
    if said is None or said.behavior == "allow":
        return said
    return Deny(said.message or HOOK_DENIED, "hook", said.interrupt)


def _changed(call: Call, given: JsonObject | None) -> Call | Invalid:
    if given is None or given == call.input:
        return call
    return validated(call.tool, call.use, given)


def _hook_verdict(pre: Pre) -> HookVerdict | None:
    match pre.verdict:
        case "allow" | "ask":
            return HookVerdict(pre.verdict, pre.reason, rewrote=pre.updated_input is not None)
        case _:
            return None


def _denied_by(call: Call, verdict: Verdict) -> str:
    return f"No permission to use {call.name}: {verdict.reason}."


def _nobody_to_ask(tool: str, verdict: Verdict) -> str:
    return (
        f"No permission to use {tool}: {verdict.reason}. Nobody can be asked in this session; "
        "it would need an allow rule or another permission mode."
    )
