"""What all agents of one session share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hames.harness.events import Event
from hames.harness.questions import Questions
from hames.harness.usage import UsageLedger

if TYPE_CHECKING:  # a session without hooks never imports them
    from hames.harness.hook_points import HookPoints
    from hames.harness.record import Record
    from hames.harness.state import SessionState


def _chosen_effort(state: "SessionState") -> str | None:
    return state.effort


@dataclass(slots=True)
class Services:
    """The shared parts. `env` is the environment of children and switches.

    `hooks` is None while there are none; a client or changed settings may bring some, and
    `open_hooks` then makes it. `late_hooks` registers those of the settings that nobody can need
    before the first request is out. `reminders` join the next request. `record` is the conversation
    in front. `interactive` is whether people sit at a terminal, `agent_type` the agent that the
    main conversation runs as. `effort` gives the level in force, None for models without levels.
    """

    emit: Callable[[Event], None]
    questions: Questions
    ledger: UsageLedger
    env: Mapping[str, str]
    root: Path
    hooks: "HookPoints | None" = None
    open_hooks: "Callable[[], HookPoints] | None" = None
    late_hooks: Callable[[], None] | None = None
    reminders: list[str] = field(default_factory=list[str])
    record: "Record | None" = None
    interactive: bool = False
    agent_type: str | None = None
    effort: "Callable[[SessionState], str | None]" = _chosen_effort

    def hooks_now(self) -> "HookPoints | None":
        """The hooks, those included that wait for the first request."""
        if self.late_hooks is not None and self.open_hooks is not None:
            self.open_hooks()
        return self.hooks

    def take_reminders(self) -> list[str]:
        """What waited for the next request; it waits no more."""
        taken, self.reminders = self.reminders, []
        return taken
