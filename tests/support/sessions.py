"""Driving a `Session` in process against the fake Messages API."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from hames.harness.build import build_session
from hames.harness.events import Event, OpDone, OpFailed, SessionClosed, TurnFinished, TurnResult
from hames.harness.ops import Close, Op, UserInput
from hames.harness.run_config import RunConfig
from hames.harness.session import Session

MODEL = "claude-sonnet-4-6"
SECONDS = 20.0
ALL_ALLOWED = ("Bash", "Read", "Edit", "Write", "Glob", "Grep")

E = TypeVar("E")


class Driven:
    """A session whose events are kept; every wait is bounded."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.events: list[Event] = []
        self._changed = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for event in self.session.events():
                async with self._changed:
                    self.events.append(event)
                    self._changed.notify_all()
        finally:
            async with self._changed:
                self._changed.notify_all()

    async def until(self, fits: Callable[[Event], bool], after: int = 0) -> Event:
        """The first event from number `after` on that fits, waiting for it."""

        def found() -> Event | None:
            return next((event for event in self.events[after:] if fits(event)), None)

        async with asyncio.timeout(SECONDS), self._changed:
            await self._changed.wait_for(lambda: found() is not None or self._reader.done())
        event = found()
        if event is None:
            self._reader.result()
            raise AssertionError(f"the session ended: {self.events[-5:]}")
        return event

    async def seen(self, kind: type[E], after: int = 0) -> E:
        """The first event of a kind."""
        event = await self.until(lambda e: isinstance(e, kind), after)
        assert isinstance(event, kind)
        return event

    async def do(self, op: Op) -> OpDone | OpFailed:
        """Submit an op and wait for its end."""
        op_id = self.session.submit(op)
        ended = await self.until(
            lambda e: isinstance(e, OpDone | OpFailed) and e.op_id == op_id,
        )
        assert isinstance(ended, OpDone | OpFailed)
        return ended

    async def turn(self, text: str, **options: Any) -> TurnResult:
        """Send a message and wait for the end of its turn."""
        after = len(self.events)
        self.session.submit(UserInput(text, **options))
        return (await self.seen(TurnFinished, after)).result

    async def close(self, *, drain: bool = False) -> None:
        """Close and wait for the last event."""
        self.session.submit(Close(drain))
        await self.seen(SessionClosed)

    def of(self, kind: type[E]) -> list[E]:
        """All events of a kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def aclose(self) -> None:
        """Stop everything; the reader's failure is the test's."""
        await self.session.aclose()
        if not self._reader.done():
            self._reader.cancel()
        await asyncio.wait({self._reader})


def session_env(url: str, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a session: that of the test and the fake API."""
    return {
        **os.environ,
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-test-secret",
        "HAMES_RETRY_SCALE": "0.001",
        **(more or {}),
    }


@asynccontextmanager
async def driving(
    url: str, env: Mapping[str, str] | None = None, **config: Any
) -> AsyncGenerator[Driven]:
    """A started session in the current directory; `config` are fields of `RunConfig`."""
    config.setdefault("cwd", Path.cwd())
    config.setdefault("model", MODEL)
    config.setdefault("allowed_tools", ALL_ALLOWED)
    session = await build_session(RunConfig(**config), session_env(url, env))
    session.start()
    driven = Driven(session)
    try:
        yield driven
    finally:
        await driven.aclose()
