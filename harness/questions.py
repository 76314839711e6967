"""Open questions on one table: who asked, who may answer, and how each ends."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from hames.harness.events import AskCancelled, Asked, Event, QuestionKind, Scope
from hames.harness.ops import Answer, new_id
from hames.system.types import JsonObject


class Answered(NamedTuple):
    """Somebody answered."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Redecide:
    """What the question rests on changed (rules, mode): decide again before asking again."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """Nobody will answer: the client is gone or the session closes."""


Outcome = Answered | Redecide | Cancelled


class _Open(NamedTuple):
    asked: Asked
    outcome: "asyncio.Future[Outcome]"


class Questions:
    """The open questions of a session, of all its agents.

    `changed` is called whenever a question opens or ends.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        answerable: frozenset[str],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._emit = emit
        self._answerable = answerable
        self.changed = changed
        self._open: dict[str, _Open] = {}
        self._closed = False

    def can_ask(self, kind: QuestionKind) -> bool:
        """Whether anybody is there to answer questions of this kind."""
        return kind in self._answerable

    def answers_too(self, kind: QuestionKind) -> None:
        """A client said that it answers questions of this kind."""
        if not self._closed:
            self._answerable |= {kind}

    @property
    def waiting(self) -> Asked | None:
        """The oldest open question for people."""
        asked = (question.asked for question in self._open.values())
        return next((a for a in asked if a.kind not in ("hook_callback", "mcp_message")), None)

    async def ask(
        self, kind: QuestionKind, scope: Scope, display: JsonObject, payload: JsonObject
    ) -> Outcome:
        """Ask and wait, without a limit; cancelling the waiting task withdraws the question."""
        if not self.can_ask(kind):
            return Cancelled()
        asked = Asked(scope, new_id(), kind, display, payload)
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._open[asked.request_id] = _Open(asked, future)
        self._emit(asked)
        self.changed()
        answered = False
        try:
            outcome = await future
            answered = isinstance(outcome, Answered)
            return outcome
        finally:
            del self._open[asked.request_id]
            if not answered:
                self._emit(AskCancelled(scope, asked.request_id))
            self.changed()

    def reply(self, request_id: str, answer: Answer) -> bool:
        """Answer a question; False when it is not open (any more)."""
        found = self._open.get(request_id)
        if found is None or found.outcome.done():
            return False
        found.outcome.set_result(Answered(answer))
        return True

    def redecide(self) -> None:
        """Let every waiting permission question be decided anew."""
        for question in self._open.values():
            if question.asked.kind == "permission" and not question.outcome.done():
                question.outcome.set_result(Redecide())

    def close(self) -> None:
        """Nobody answers any more: cancel all, and everything asked from now on."""
        self._closed = True
        self._answerable = frozenset[str]()
        for question in self._open.values():
            if not question.outcome.done():
                question.outcome.set_result(Cancelled())
