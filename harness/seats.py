"""Who sits in front of the queue: a new conversation after /clear, another one after /resume."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hames.harness.agent import Agent, AgentFactory
from hames.harness.errors import UsageError
from hames.harness.events import Notice, Scope, SessionReset, TranscriptGrew
from hames.harness.models.catalog import EFFORTS
from hames.harness.ops import new_id
from hames.harness.record import Record
from hames.harness.resume_point import cut_at
from hames.harness.runner import Runner
from hames.harness.sessions import SessionFiles, forked
from hames.harness.state import SessionState, fold, resumed
from hames.harness.transcript import Header, Transcript, read_entries
from hames.system.types import JsonObject

CACHE_LOST = "the next request sends the whole conversation uncached."


@dataclass(frozen=True, slots=True)
class Seats:
    """Opens conversations as this run wants them. `start` is the state of a new one.

    `persist` false keeps everything in memory; `mirror` tells every write as an event. `flags` are
    the fields of the state that this run was asked for; they win over a stored conversation.
    `model` is kept in new conversations, so that they go on with it later.
    """

    agents: AgentFactory
    files: SessionFiles
    start: SessionState
    header: Header
    persist: bool = True
    mirror: bool = False
    flags: frozenset[str] = frozenset()
    model: str | None = None

    def new(self, session_id: str, source: str) -> Agent:
        """An empty conversation in a file of its own; it keeps the model that a flag asked for."""
        agent = self._agent(self._path(session_id), session_id, (), self.start, source)
        if self.model is not None:
            agent.record.append([{"type": "hames-state", "model": self.model}])
        return agent

    def stored(
        self,
        path: Path,
        *,
        fork_as: str | None = None,
        at: str | None = None,
        drops: str | None = None,
    ) -> tuple[Agent, int]:
        """The conversation of a file, and how many of its lines could not be read.

        `fork_as` is the id of a copy to go on with; `at` the last entry to keep, `drops` the
        prompt of the only turn that may come after it.
        Raises UsageError.
        """
        try:
            loaded = read_entries(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        entries = cut_at(loaded.entries, at, drops) if at is not None else loaded.entries
        session_id = path.stem
        if fork_as is not None:
            session_id, path = fork_as, self.files.path(fork_as)
            entries = forked(entries, fork_as)
        state = resumed(fold(self.start, entries), self.start, self.flags)
        agent = self._agent(
            path if self.persist else None,
            session_id,
            entries,
            state,
            "resume" if fork_as is None else "fork",
        )
        if fork_as is not None:
            agent.record.transcript.copy(entries)
        return agent, loaded.skipped

    def _path(self, session_id: str) -> Path | None:
        return self.files.path(session_id) if self.persist else None

    def _agent(
        self,
        path: Path | None,
        session_id: str,
        entries: Sequence[JsonObject],
        state: SessionState,
        source: str,
    ) -> Agent:
        header = self.header._replace(session_id=session_id, cwd=str(state.cwd))
        written = self._teller(session_id) if self.mirror else None
        record = Record(Transcript(path, header, written=written), state, entries)
        return self.agents.make(record, self.files.spill(session_id), source)

    def _teller(self, session_id: str) -> Callable[[Path, list[JsonObject]], None]:
        emit, scope = self.agents.services.emit, Scope(session_id)
        return lambda path, entries: emit(TranscriptGrew(scope, path, entries))

    async def clear(self, runner: Runner) -> JsonObject:
        """Leave the conversation for a new one; its file stays."""
        session_id = new_id()
        await self._leave(runner, "clear")
        runner.emit(SessionReset(runner.scope, session_id))
        await runner.begin(self.new(session_id, "clear"))
        runner.services.ledger.clear()
        return {"session_id": session_id}

    async def resume(self, runner: Runner, wanted: str, *, fork: bool) -> JsonObject:
        """Leave the conversation for a stored one. Raises UsageError when there is none."""
        path = self.files.find(wanted)
        agent, skipped = self.stored(path, fork_as=new_id() if fork else None)
        await self._leave(runner, "resume")
        runner.emit(SessionReset(runner.scope, agent.record.session_id))
        await runner.begin(agent)
        if skipped:
            runner.emit(Notice(runner.scope, "warning", skipped_lines(path, skipped)))
        return {"session_id": agent.record.session_id}

    async def choose_model(self, runner: Runner, model: str | None) -> JsonObject:
        """Change the model from the next request on. Raises UsageError for what is no name."""
        if model is not None and len(model.split()) != 1:
            raise UsageError(f"{model!r} is no model: name a model by its alias or id")
        conversation = runner.agent.conversation
        state, hooks = conversation.record.state, runner.services.hooks_now()
        before = conversation.models[0]
        chosen = conversation.options.choose(replace(state, model=model))[0]
        if hooks is not None and chosen != before:
            await hooks.session.before_switch(before, chosen, runner.scope, state)
        conversation.record.append([{"type": "hames-state", "model": model}])
        if hooks is not None and chosen != before:
            await hooks.session.after_switch(before, chosen, runner.scope, state)
        if chosen != before and not runner.agent.record.is_empty:
            scope = runner.scope
            runner.emit(Notice(scope, "notice", f"{chosen} has its own prompt cache: {CACHE_LOST}"))
        return {"model": chosen}

    async def choose_effort(self, runner: Runner, effort: str | None) -> JsonObject:
        """Change the effort from the next request on. Raises UsageError for an unknown level."""
        if effort is not None and effort not in (*EFFORTS, "ultracode"):
            known = ", ".join((*EFFORTS, "ultracode"))
            raise UsageError(f"unknown effort {effort!r}; there are: {known}")
        runner.agent.record.append([{"type": "hames-state", "effort": effort}])
        return {"effort": effort}

    async def _leave(self, runner: Runner, reason: str) -> None:
        record = runner.agent.record
        hooks = runner.services.hooks_now()
        if hooks is not None:
            await hooks.session.end(reason, runner.scope, record.state)
        record.transcript.close()


def skipped_lines(path: Path, count: int) -> str:
    """What to tell about lines that could not be read."""
    return f"{path}: {count} damaged line{'s' if count > 1 else ''} skipped"
