"""The turn loop: ask the model, run the calls, append, repeat."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from hames.harness.calls import CallOutcome, Use, stored_use
from hames.harness.caps import Caps
from hames.harness.conversation import Conversation
from hames.harness.errors import HamesError
from hames.harness.events import Notice, PromptTaken, TurnResult
from hames.harness.failures import Failures
from hames.harness.hook_values import Post, PromptVerdict, StopVerdict
from hames.harness.inbox import Inbox, Prompt
from hames.harness.models.categories import category
from hames.harness.models.port import ModelFailure
from hames.harness.place import Places
from hames.harness.record import Record
from hames.harness.sampling import Sampler
from hames.harness.services import Services
from hames.harness.state import SessionState
from hames.harness.steps import (
    AskAgain,
    Counts,
    End,
    Response,
    RunCalls,
    Step,
    final_text,
    next_step,
)
from hames.harness.transcript import reminder_entry, title_entry, user_entry
from hames.harness.turn import Turn
from hames.harness.unasked import Attached, Unasked
from hames.harness.usage import sum_usage
from hames.system.types import JsonObject

INTERRUPTED = "[Request interrupted by user]"
INTERRUPTED_TOOLS = "[Request interrupted by user for tool use]"
INTERRUPTED_RESULT = "Request interrupted by user"


class CallRunner(Unasked, Protocol):
    """Runs tool calls; one result for each, whatever happens."""

    async def run(self, use: Use, index: int, places: Places, turn: Turn) -> CallOutcome:
        """One call, from its block to its stored result."""
        ...

    def not_run(self, use: Use, turn: Turn) -> CallOutcome:
        """The outcome of a call that never began because the turn was interrupted."""
        ...

    def described(self, uses: Sequence[Use]) -> list[JsonObject]:
        """The calls with their results, as PostToolBatch hooks read them."""
        ...


Attach = Callable[[str, Unasked, Turn, SessionState], Coroutine[Any, Any, Attached]]
"""Attaches what a text mentions."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The turns of one agent. `calls` is asked when the first call comes."""

    conversation: Conversation
    services: Services
    sampler: Sampler
    calls: Callable[[], CallRunner]
    inbox: Inbox
    caps: Caps
    attach: Attach | None = None
    started: float = field(default_factory=time.monotonic)

    @property
    def record(self) -> Record:
        """The record of the conversation."""
        return self.conversation.record

    async def run(self, turn: Turn) -> TurnResult:
        """One turn, from its prompts to its result; the time limit of the run interrupts it."""
        left = self.caps.seconds_left(self._seconds())
        timer = asyncio.get_running_loop().call_later(left, turn.interrupt) if left else None
        try:
            end, text = await self._run(turn)
        finally:
            if timer is not None:
                timer.cancel()
        if turn.interrupted:
            end = self.caps.late(self._seconds()) or end
        return self._result(turn, end, text)

    def _seconds(self) -> float:
        return time.monotonic() - self.started

    async def _run(self, turn: Turn) -> tuple[End, str]:
        """How the turn ended, and its answer."""
        texts: list[str] = []
        step: Step | None = None
        end = await self._open(turn)
        counts, failures = Counts(), Failures(self.record)
        while end is None:
            response = await self._ask(turn, failures)
            if isinstance(response, End):
                end = response
                break
            if response.aborted:
                end = self._after_abort(response, turn)
                break
            if isinstance(step, AskAgain):
                texts[-1] += response.text
            else:
                texts.append(response.text)
            step = next_step(response, counts, after_results=isinstance(step, RunCalls))
            match step:
                case RunCalls(then):
                    end = await self._run_calls(response.uses, turn) or then
                case AskAgain(text):
                    self._remind((text,) if text else ())
                case End():
                    end = await self._stop(step, final_text(texts), turn)
        return end, final_text(texts)

    async def _open(self, turn: Turn) -> End | None:
        """Append the prompts that hooks let through; nothing left means nothing to ask."""
        prompts, turn.prompts = turn.prompts, []
        deferred = self.record.state.deferred
        if deferred is not None and (end := await self._take_up(deferred, turn)) is not None:
            return end
        end = await self._take(prompts, turn)
        if turn.interrupted and not turn.prompts:
            return End("aborted_streaming", "error_during_execution", INTERRUPTED_RESULT)
        goes_on = turn.prompts or deferred is not None
        return end if end is not None or goes_on else End("completed")

    async def _take_up(self, call_id: str, turn: Turn) -> End | None:
        """Judge the call again that a hook handed over when the conversation last ended."""
        self.record.append([{"type": "hames-state", "deferred": None}])
        use = stored_use(self.record.entries, call_id)
        return await self._run_calls([use], turn) if use is not None else None

    async def _take(self, prompts: Sequence[Prompt], turn: Turn) -> End | None:
        """Append what hooks let through; a prompt whose hooks were interrupted is given back."""
        end: End | None = None
        for index, prompt in enumerate(prompts):
            if prompt.is_blank:
                continue
            verdict = await self._hear(prompt, turn)
            if verdict is None:
                self.inbox.put_back(prompts[index:] if turn.prompts else prompts[index + 1 :])
                break
            if verdict.blocked is not None:
                end = End("hook_stopped", error=verdict.blocked)
                shown = "" if verdict.hides else f"\n\nYour prompt was: {prompt.text}"
                notice = Notice(turn.scope, "warning", verdict.blocked + shown, stops=True)
                self.services.emit(notice)
                continue
            attached = await self._attached(prompt, turn)
            contexts, turn.contexts = (*turn.contexts, *verdict.contexts, *attached.contents), []
            effects, turn.effects = (*turn.effects, *attached.effects), ()
            await self.conversation.add_prompt(prompt, contexts, effects)
            turn.prompts.append(prompt)
            if verdict.title:
                self.record.append([title_entry(verdict.title)])
            if not prompt.hidden:
                self.services.emit(PromptTaken(turn.scope, prompt.uuid, prompt.content))
        return end if not turn.prompts else None

    async def _attached(self, prompt: Prompt, turn: Turn) -> Attached:
        """The files that a prompt mentions."""
        if self.attach is None or not prompt.may_mention:
            return Attached()
        work = self.attach(prompt.text, self.calls(), turn, self.record.state)
        return await turn.result_of(work, Attached())

    async def _hear(self, prompt: Prompt, turn: Turn) -> PromptVerdict | None:
        """What hooks say of a prompt; None when an interrupt came first."""
        hooks = self.services.hooks
        if hooks is None or prompt.hidden:
            return PromptVerdict()
        asking = hooks.prompt(prompt.text, turn.scope, self.record.state)
        return await turn.result_of(asking, None)

    async def _ask(self, turn: Turn, failures: Failures) -> Response | End:
        """One request, repeated once for each repair that a refusal of the API allows."""
        while True:
            end = self.caps.check(turn, self.services.ledger, self._seconds())
            if end is not None:
                return end
            self._remind(self.services.take_reminders())
            self.conversation.add_due()
            models = turn.usable(self.conversation.models)
            try:
                return await self.sampler.ask(self.conversation, models, turn)
            except HamesError as refusal:
                await self._tell_of_failure("unknown", str(refusal), turn)
                return End("api_error", error=str(refusal))
            except ModelFailure as failure:
                handled = failures.handle(failure)
                self.conversation.output_limit = failures.output_limit
                if isinstance(handled, End):
                    self.conversation.note_failure(failure, handled, turn, self.services.emit)
                    told = handled.error or str(failure)
                    await self._tell_of_failure(category(failure), told, turn)
                    return handled
                self.services.emit(Notice(turn.scope, "warning", handled))

    async def _run_calls(self, uses: Sequence[Use], turn: Turn) -> End | None:
        """Run the calls of one message, then append reminders and what people typed meanwhile."""
        places = Places(len(uses), self.conversation.options.concurrency)
        async with asyncio.TaskGroup() as group:
            tasks = [
                turn.track(group.create_task(self._run_call(use, index, places, turn)))
                for index, use in enumerate(uses)
            ]
        outcomes = [
            self.calls().not_run(use, turn) if task.cancelled() else task.result()
            for use, task in zip(uses, tasks, strict=True)
        ]
        self._remind_after(outcomes)
        end = _stopped(outcomes)
        if end is None and not turn.interrupted:
            end = await self._join(uses, turn)
        if turn.interrupted:
            self.record.append([user_entry([{"type": "text", "text": INTERRUPTED_TOOLS}])])
            return End("aborted_tools", "error_during_execution", INTERRUPTED_RESULT)
        if end is not None and end.note is not None:
            self.services.emit(Notice(turn.scope, "warning", end.note, stops=True))
        return end

    async def _tell_of_failure(self, kind: str, text: str, turn: Turn) -> None:
        hooks = self.services.hooks_now()
        if hooks is not None:
            telling = hooks.session.failed(kind, text, turn.scope, self.record.state)
            await turn.result_of(telling, None)

    async def _run_call(self, use: Use, index: int, places: Places, turn: Turn) -> CallOutcome:
        outcome = await self.calls().run(use, index, places, turn)
        if outcome.stop == "aborted_tools":
            turn.interrupt()
        return outcome

    async def _join(self, uses: Sequence[Use], turn: Turn) -> End | None:
        """PostToolBatch hooks, then the queued messages that may join this turn."""
        hooks = self.services.hooks_now()
        if hooks is not None:
            calls = self.calls().described(uses)
            telling = hooks.post_batch(calls, turn.scope, self.record.state)
            post = await turn.result_of(telling, Post())
            self._remind(post.contexts)
            if post.stop is not None:
                return End("hook_stopped", note=post.stop)
            if turn.interrupted:
                return None
        await self._take(self.inbox.take_joining(), turn)
        return None

    async def _stop(self, end: End, text: str, turn: Turn) -> End | None:
        """Stop hooks after a good end; None when they send the model on."""
        hooks = self.services.hooks_now()
        if end.error is not None or hooks is None:
            return end
        asking = hooks.stop(text, turn.scope, self.record.state, active=turn.stop_blocks > 0)
        verdict = await turn.result_of(asking, StopVerdict())
        if verdict.stop is not None:
            self.services.emit(Notice(turn.scope, "warning", verdict.stop, stops=True))
            return End("stop_hook_prevented", note=verdict.stop)
        if not verdict.reasons:
            return end
        turn.stop_blocks += 1
        if turn.stop_blocks > self.conversation.options.stop_block_cap > 0:
            note = "Stop hooks sent the model on too often; the turn ends here."
            self.services.emit(Notice(turn.scope, "warning", note))
            return end
        self._remind(verdict.reasons)
        return None

    def _after_abort(self, response: Response, turn: Turn) -> End:
        """Answer the completed calls of an interrupted response and say what happened."""
        for use in response.uses:
            self.calls().not_run(use, turn)
        self.record.append([user_entry([{"type": "text", "text": INTERRUPTED}])])
        return End("aborted_streaming", "error_during_execution", INTERRUPTED_RESULT)

    def _remind_after(self, outcomes: Sequence[CallOutcome]) -> None:
        reminders = [
            reminder_entry(content, sourceToolUseID=outcome.use.id)
            for outcome in outcomes
            for content in outcome.reminders
        ]
        if reminders:
            self.record.append(reminders)

    def _remind(self, texts: Sequence[str]) -> None:
        if texts:
            self.record.append([reminder_entry(text) for text in texts])

    def _result(self, turn: Turn, end: End, text: str) -> TurnResult:
        ledger = self.services.ledger
        failed = end.error is not None
        limit = end.subtype == "error_max_turns"
        arm_text = end.error if failed and end.subtype == "success" else text
        if end.terminal_reason == "hook_stopped" and end.note is not None:
            arm_text = end.note
        return TurnResult(
            subtype=end.subtype,
            is_error=failed,
            text=arm_text or "",
            terminal_reason=end.terminal_reason,
            stop_reason=end.stop_reason,
            num_turns=turn.num_turns + (1 if limit else 0),
            duration_ms=turn.elapsed_ms(),
            api_ms=round(turn.api_ms),
            usage=sum_usage(turn.usages),
            model_usage=ledger.model_usage(self.services.env),
            cost_usd=ledger.total_usd,
            errors=(end.error,) if end.error is not None and end.subtype != "success" else (),
            denials=tuple(turn.denials),
            api_status=end.api_status,
            prompt_uuids=tuple(prompt.uuid for prompt in turn.prompts if not prompt.hidden),
            origin=turn.prompts[0].origin if turn.prompts else None,
            ttft_ms=turn.ttft_ms,
            interrupted=turn.interrupted,
            deferred=_described(end.deferred),
            note=end.note,
        )


def _stopped(outcomes: Sequence[CallOutcome]) -> End | None:
    """The end that a call asked for: a hook, or the program around hames takes the call over."""
    for outcome in outcomes:
        if outcome.stop == "tool_deferred":
            return End("tool_deferred", stop_reason="tool_deferred", deferred=outcome.use)
        if outcome.stop is not None:
            return End(outcome.stop, note=outcome.stop_text)
    return None


def _described(use: Use | None) -> JsonObject | None:
    return None if use is None else {"id": use.id, "name": use.name, "input": use.input}
