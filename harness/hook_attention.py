"""Notification hooks: somebody is wanted, and has not come for a while."""

import asyncio
from collections.abc import Mapping

from hames.harness.events import Asked, Scope, State
from hames.harness.hook_firing import HookFiring
from hames.harness.state import SessionState
from hames.hooks import events

ANSWER_SECONDS = 6.0
IDLE_SECONDS = 60.0
SCALE = "HAMES_NOTIFICATION_SCALE"
"""Environment variable: both waits are multiplied by it."""

TITLE = "hames"
IDLE = "hames is waiting for your input"


class Attention:
    """Two timers: a question that nobody answers, and a session in which nothing happens."""

    def __init__(self, firing: HookFiring) -> None:
        self._firing = firing
        self._timer: asyncio.TimerHandle | None = None
        self._waits_for: str | None = None

    def note(self, state: State, asked: Asked | None, scope: Scope, now: SessionState) -> None:
        """The session is in `state`; `asked` is the oldest question that waits for people."""
        waits_for = asked.request_id if asked is not None else state
        if waits_for == self._waits_for:
            return
        self._waits_for = waits_for
        self.stop()
        if asked is not None:
            kind = "elicitation_dialog" if asked.kind == "elicitation" else "permission_prompt"
            self._start(ANSWER_SECONDS, kind, _wanted(asked), asked.scope, now)
        elif state == "idle":
            self._start(IDLE_SECONDS, "idle_prompt", IDLE, scope, now)

    def stop(self) -> None:
        """Forget what is waited for."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start(
        self, seconds: float, kind: str, message: str, scope: Scope, now: SessionState
    ) -> None:
        event = events.notification(message, kind, TITLE)
        if self._firing.engine.concerns(event.name):
            self._timer = asyncio.get_running_loop().call_later(
                seconds * _scale(self._firing.host.env),
                lambda: self._firing.beside(self._firing.fire(event, scope, now)),
            )


def _wanted(asked: Asked) -> str:
    tool = asked.payload.get("tool_name")
    return f"Permission needed for {tool}" if tool else "Your answer is needed"


def _scale(env: Mapping[str, str]) -> float:
    try:
        return min(max(float(env.get(SCALE, "1")), 0.0), 100.0)
    except ValueError:
        return 1.0
