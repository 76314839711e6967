"""One turn: from accepted user messages to its result; how it is interrupted."""

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hames.harness.events import Scope
from hames.harness.inbox import Prompt
from hames.harness.models.retry import RetryBudget
from hames.system.types import JsonObject
from hames.tools.effects import Effect

T = TypeVar("T")


@dataclass(slots=True)
class Turn:
    """The running counters of a turn; `num_turns` counts requests that were answered.

    `usages` are those of its responses, `api_ms` is the time spent waiting for the model,
    `retries` is shared with the subagents of the turn. `contexts` join its first prompt and
    `effects` are what it changes. `fallback` is the model that answers in place of the chosen one.
    """

    scope: Scope
    prompts: list[Prompt]
    started: float = field(default_factory=time.monotonic)
    num_turns: int = 0
    api_ms: float = 0.0
    ttft_ms: int | None = None
    usages: list[JsonObject] = field(default_factory=list[JsonObject])
    denials: list[JsonObject] = field(default_factory=list[JsonObject])
    stop_blocks: int = 0
    retries: RetryBudget = field(default_factory=RetryBudget)
    contexts: list[str | list[JsonObject]] = field(default_factory=list[str | list[JsonObject]])
    effects: tuple[Effect, ...] = ()
    fallback: str | None = None
    _interrupt: asyncio.Event = field(default_factory=asyncio.Event)
    _tasks: "set[asyncio.Task[Any]]" = field(default_factory=set["asyncio.Task[Any]"])

    def usable(self, models: Sequence[str]) -> Sequence[str]:
        """The models to ask: not those that this turn has given up for a fallback."""
        return models[models.index(self.fallback) :] if self.fallback in models else models

    @property
    def interrupted(self) -> bool:
        """Whether somebody asked the turn to stop."""
        return self._interrupt.is_set()

    def interrupt(self) -> None:
        """Stop the turn: what runs is cancelled once, so that it can end in order."""
        if self.interrupted:
            return
        self._interrupt.set()
        for task in self._tasks - {asyncio.current_task()}:
            task.cancel()

    def track(self, task: "asyncio.Task[T]") -> "asyncio.Task[T]":
        """Let an interrupt cancel the task as long as it runs."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self.interrupted:
            task.cancel()
        return task

    async def result_of(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        """Run `work` until it ends or the turn is interrupted; then the result is `otherwise`.

        Failures of `work` are raised; cancelling this call cancels the work.
        """
        task = self.track(asyncio.ensure_future(work))
        try:
            await asyncio.wait({task})
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        return otherwise if task.cancelled() else task.result()

    def elapsed_ms(self) -> int:
        """Milliseconds since the turn began."""
        return round((time.monotonic() - self.started) * 1000)
