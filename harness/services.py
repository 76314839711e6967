"""What all agents of one session share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hames.harness.events import Event
from hames.harness.questions import Questions
from hames.harness.usage import UsageLedger

if TYPE_CHECKING:  # a session without hooks never imports them
    from hames.harness.hook_points import HookPoints


@dataclass(slots=True)
class Services:
    """The shared parts. `env` is the environment of children and switches.

    `hooks` is None while there are none; a client or changed settings may bring some.
    """

    emit: Callable[[Event], None]
    questions: Questions
    ledger: UsageLedger
    env: Mapping[str, str]
    root: Path
    hooks: "HookPoints | None" = None
