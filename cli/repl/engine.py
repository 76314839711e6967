"""The way from the REPL to the session: ops with what to do when they are done."""

from collections.abc import Callable

from hames.harness import events as ev
from hames.harness import ops
from hames.harness.session import Session
from hames.system.types import JsonObject

Done = Callable[[JsonObject], None]
Failed = Callable[[str], None]


class Engine:
    """Sends ops; `failed` is told about refusals that nobody else handles.

    `session` is None until the folder is trusted and everything is built.
    """

    def __init__(self, failed: Failed) -> None:
        self.session: Session | None = None
        self._failed = failed
        self._waiting: dict[str, tuple[Done | None, Failed]] = {}

    def send(self, op: ops.Op, done: Done | None = None, failed: Failed | None = None) -> bool:
        """Submit an op; false when there is no session yet."""
        if self.session is None:
            return False
        op_id = self.session.submit(op)
        self._waiting[op_id] = (done, failed or self._failed)
        return True

    def settle(self, event: ev.OpDone | ev.OpFailed) -> None:
        """Tell whoever waits for the op."""
        done, failed = self._waiting.pop(event.op_id, (None, self._failed))
        if isinstance(event, ev.OpFailed):
            failed(event.text)
        elif done is not None:
            done(event.value)
