"""What all agents of one session share. Data only: whoever needs a part is given the whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from hames.harness.events import Event
from hames.harness.gate import Gate
from hames.harness.hook_points import HookPoints
from hames.harness.place import KeyLocks
from hames.harness.questions import Questions
from hames.harness.usage import UsageLedger
from hames.tools.registry import Registry


@dataclass(frozen=True, slots=True)
class Services:
    """The shared parts of a session. `env` is the environment of children and switches."""

    emit: Callable[[Event], None]
    registry: Registry
    gate: Gate
    hooks: HookPoints
    questions: Questions
    locks: KeyLocks
    ledger: UsageLedger
    env: Mapping[str, str]
    root: Path
