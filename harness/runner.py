"""Takes queued messages one by one and runs their turns."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hames.harness.agent import Agent
from hames.harness.commands import Commands, Expanded, Said
from hames.harness.errors import HamesError
from hames.harness.events import (
    Event,
    Notice,
    PromptTaken,
    Scope,
    SessionStarted,
    State,
    StatusChanged,
    TurnFinished,
    TurnResult,
    TurnStarted,
)
from hames.harness.inbox import Inbox, Prompt
from hames.harness.ops import new_id
from hames.harness.services import Services
from hames.harness.sessions import title_of
from hames.harness.transcript import title_entry
from hames.harness.turn import Turn
from hames.system.types import JsonObject

if TYPE_CHECKING:
    from hames.harness.hook_points import HookPoints

BLANK = "The prompt was blank, so nothing was sent."
NOTHING_WAITS = "No deferred call waits in this session: give a prompt to go on with it."
LAST_PROMPT_CHARS = 200


@dataclass(slots=True)
class Runner:
    """Runs the turns of a session in the order of its queue; `agent` is whose turn it is.

    `describe` gives the session as `TurnStarted` tells it. `setup` is the trigger of the Setup
    hooks, if they are to run. `opener` is a prompt of the agent that the session runs as.
    """

    agent: Agent
    services: Services
    inbox: Inbox
    commands: Commands
    describe: Callable[["Runner"], JsonObject]
    turn: Turn | None = None
    setup: str | None = None
    opener: str = ""
    _starting: "asyncio.Task[None] | None" = None
    _state: State = "idle"
    _contexts: list[str | list[JsonObject]] = field(default_factory=list[str | list[JsonObject]])
    _first: str | None = None
    _title: str | None = None

    @property
    def scope(self) -> Scope:
        """The session, outside of any turn."""
        return Scope(self.agent.record.session_id)

    def emit(self, event: Event) -> None:
        """Send an event out."""
        self.services.emit(event)

    async def run(self) -> None:
        """Run turns until the queue is closed and empty."""
        self.services.questions.changed = self.announce_state
        await self.begin(self.agent)
        while (prompt := await self.inbox.take()) is not None:
            if prompt.query:
                await self._run_turn(prompt)
            else:
                await self.agent.conversation.add_prompt(prompt)
                self.agent.conversation.add_due()
                self.emit(PromptTaken(self.scope, prompt.uuid, prompt.content))

    async def begin(self, agent: Agent) -> None:
        """Go on with `agent`: SessionStart hooks run; what they add joins the next prompt."""
        self.agent = agent
        record = agent.record
        path = record.transcript.path
        self.emit(SessionStarted(self.scope, agent.source, str(path) if path else None))
        self.services.record = record
        if self.services.hooks is not None:
            self._starting = asyncio.ensure_future(self._tell_of_start(self.services.hooks))
            try:
                await asyncio.wait({self._starting})
            finally:
                self._starting.cancel()
            if not self._starting.cancelled():
                self._starting.result()

    def interrupt(self) -> bool:
        """Stop the turn and the hooks of a start; whether there was anything to stop."""
        starting = self._starting is not None and self._starting.cancel()
        if self.turn is not None:
            self.turn.interrupt()
        return starting or self.turn is not None

    async def _tell_of_start(self, hooks: "HookPoints") -> None:
        record = self.agent.record
        hooks.enter(record)
        self._contexts = []
        if self.setup is not None:
            trigger, self.setup = self.setup, None
            self._contexts += await hooks.session.setup(trigger, self.scope, record.state)
        told = await hooks.session.start(
            self.agent.source,
            self.scope,
            record.state,
            model=self.agent.conversation.models[0],
            title=title_of(record.entries),
        )
        self._contexts += told.contexts
        self._first, self._title = told.initial_message, told.title

    async def finish(self) -> None:
        """SessionEnd hooks, and the last lines of the transcript."""
        record = self.agent.record
        hooks = self.services.hooks_now()
        if hooks is not None:
            reason = "prompt_input_exit" if self.services.interactive else "other"
            await hooks.session.end(reason, self.scope, record.state)
        record.transcript.sync()
        record.transcript.close()

    def announce_state(self) -> None:
        """Tell whether the session runs, waits for an answer, or owes nothing."""
        state: State = "idle"
        if self.turn is not None:
            state = "requires_action" if self.services.questions.waiting else "running"
        now = self.agent.record.state
        if state != self._state:
            self._state = state
            self.emit(StatusChanged(self.scope, state, now.mode))
        if self.services.hooks is not None:
            waiting = self.services.questions.waiting
            self.services.hooks.session.attention.note(state, waiting, self.scope, now)

    async def _run_turn(self, prompt: Prompt) -> None:
        turn = self.turn = Turn(self.scope._replace(turn_id=new_id()), [prompt])
        self.announce_state()
        self.emit(TurnStarted(turn.scope, self.describe(self)))
        result = await self._result(prompt, turn)
        record = self.agent.record
        if not record.is_empty and not prompt.hidden:
            last = prompt.text.strip()[:LAST_PROMPT_CHARS]
            leaf = record.transcript.leaf
            record.append([{"type": "last-prompt", "lastPrompt": last, "leafUuid": leaf}])
            if self._title:
                record.append([title_entry(self._title)])
                self._title = None
        await asyncio.to_thread(record.transcript.sync)
        if record.transcript.problem is not None:
            self.emit(Notice(turn.scope, "warning", record.transcript.problem))
        self.turn = None
        self.emit(TurnFinished(turn.scope._replace(session_id=record.session_id), result))
        if not self.inbox.queued:
            self.announce_state()

    async def _result(self, prompt: Prompt, turn: Turn) -> TurnResult:
        """The result of the turn; what people must mend is one, too, and ends no session."""
        try:
            return await self._answer(prompt, turn)
        except HamesError as error:
            return self._local(str(error), turn, failed=True)

    async def _answer(self, prompt: Prompt, turn: Turn) -> TurnResult:
        if prompt.is_blank and self.agent.record.state.deferred is None:
            resumed = self.agent.source in ("resume", "fork") and prompt.content == ""
            return self._local(NOTHING_WAITS if resumed else BLANK, turn, failed=resumed)
        meaning = await self.commands.run(prompt, turn)
        if isinstance(meaning, Said):
            return self._local(meaning.text, turn, failed=meaning.failed)
        contexts, self._contexts = self._contexts, []
        if isinstance(meaning, Expanded):
            contexts += meaning.contents
            turn.effects = meaning.effects
        turn.contexts = contexts
        before = [self.opener if self.agent.source == "startup" else "", self._first or ""]
        turn.prompts[:0] = [Prompt(new_id(), text, literal=True) for text in before if text]
        self.opener, self._first = "", None
        result = await self.agent.loop.run(turn)
        self._contexts = [*turn.contexts, *self._contexts]
        return result

    def _local(self, text: str, turn: Turn, *, failed: bool = False) -> TurnResult:
        """The result of a turn that asked no model."""
        for prompt in turn.prompts:
            self.emit(PromptTaken(turn.scope, prompt.uuid, prompt.content))
        ledger = self.services.ledger
        return TurnResult(
            subtype="success",
            is_error=failed,
            text=text,
            terminal_reason="completed",
            stop_reason=None,
            num_turns=0,
            duration_ms=turn.elapsed_ms(),
            api_ms=0,
            usage={},
            model_usage=ledger.model_usage(self.services.env),
            cost_usd=ledger.total_usd,
            prompt_uuids=tuple(prompt.uuid for prompt in turn.prompts),
            origin=turn.prompts[0].origin if turn.prompts else None,
        )
