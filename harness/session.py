"""The façade of the engine: ops go in, events come out. Wiring only."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

from hames.harness.bus import Bus
from hames.harness.events import Event, OpDone, OpFailed, SessionClosed
from hames.harness.operations import Operations
from hames.harness.ops import Close, Interrupt, Op, Reply, new_id
from hames.harness.runner import Runner

CUT_SHORT = "The session was interrupted before this was done."
KEPT_REPLIES = 16

CLOSE_SECONDS = 10.0
"""How long the running turn may take to end after `Close`."""


class Session:
    """One session with two doors. `end` gives up what the session holds: clients, processes."""

    def __init__(
        self, bus: Bus, runner: Runner, operations: Operations, end: Callable[[], Awaitable[None]]
    ) -> None:
        self._bus = bus
        self._runner = runner
        self._operations = operations
        self._end = end
        self._ops: asyncio.Queue[tuple[str, Op | None]] = asyncio.Queue()
        """None is the last: everything before it has been answered."""
        self._tasks: list[asyncio.Task[None]] = []
        self._closing: list[str] = []
        self._ended = False
        self._hurried = asyncio.Event()
        self._waiting: asyncio.Task[None] | None = None
        self._replies: deque[asyncio.Task[None]] = deque(maxlen=KEPT_REPLIES)

    def start(self) -> None:
        """Begin to work; needs a running event loop."""
        self._tasks = [
            asyncio.create_task(self._work()),
            asyncio.create_task(self._guard(self._runner.run())),
        ]

    def submit(self, op: Op, op_id: str | None = None) -> str:
        """Send an op; its `OpDone` or `OpFailed` comes out of `events` with the id returned."""
        op_id = op_id or new_id()
        if self._waiting is None:
            self._ops.put_nowait((op_id, op))
        elif isinstance(op, Reply):
            # The op under way may wait for this very answer, of a hook that a client runs.
            self._replies.append(asyncio.ensure_future(self._operations.perform(op, op_id)))
        else:
            hurries = isinstance(op, Interrupt) or (isinstance(op, Close) and not op.drain)
            if hurries and not self._runner.interrupt():
                self._waiting.cancel()
            self._ops.put_nowait((op_id, op))
        return op_id

    def events(self) -> AsyncIterator[Event]:
        """Everything that happens, until `SessionClosed`. Raises what crashed the engine."""
        return self._bus.events()

    async def _work(self) -> None:
        closing: asyncio.Task[None] | None = None
        while True:
            op_id, op = await self._ops.get()
            if op is None:
                break
            if isinstance(op, Close):
                self._closing.append(op_id)
                self._operations.services.questions.close()
                if not op.drain:
                    self._hurry()
                if closing is None:
                    self._runner.inbox.close()
                    closing = asyncio.create_task(self._guard(self._close()))
            else:
                self._waiting = asyncio.ensure_future(self._operations.perform(op, op_id))
                await self._guard(self._waiting)
                if self._waiting.cancelled():
                    self._bus.emit(OpFailed(self._runner.scope, op_id, CUT_SHORT))
                self._waiting = None
        for closed in self._closing:
            self._bus.emit(OpDone(self._runner.scope, closed, {}))
        self._bus.emit(SessionClosed(self._runner.scope))

    def _hurry(self) -> None:
        """Nothing is begun any more and the running turn is interrupted."""
        self._operations.closed = True
        self._hurried.set()
        self._runner.inbox.take_all()
        self._runner.interrupt()

    async def _close(self) -> None:
        """Wait for the turn, let go of everything, and say so last."""
        running = self._tasks[1]
        await _either(running, self._hurried.wait())
        await asyncio.wait({running}, timeout=CLOSE_SECONDS)
        self._operations.closed = True
        if not running.done():
            running.cancel()
            await asyncio.wait({running}, timeout=CLOSE_SECONDS)
        await self._runner.finish()
        self._ended = True
        await self._end()
        self._ops.put_nowait(("", None))

    async def _guard(self, work: Awaitable[None]) -> None:
        """A bug in the engine ends the event stream with its exception."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
        if not task.cancelled() and (bug := task.exception()) is not None:
            self._bus.crash(bug)

    async def aclose(self) -> None:
        """Stop whatever still runs; nothing to do after `SessionClosed`."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_SECONDS)
        if not self._ended:
            self._ended = True
            await self._end()


async def _either(task: "asyncio.Task[None]", event: Coroutine[Any, Any, Any]) -> None:
    """Wait until the task is done or the event happened."""
    other = asyncio.ensure_future(event)
    await asyncio.wait({task, other}, return_when=asyncio.FIRST_COMPLETED)
    other.cancel()
