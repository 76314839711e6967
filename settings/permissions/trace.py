"""How a decision came about: the steps that were looked at, in their order."""

from typing import Literal, NamedTuple

from hames.settings.permissions.rule import Rule

Behavior = Literal["allow", "ask", "deny"]

ReasonType = Literal[
    "rule", "mode", "safety", "hook", "default", "directory", "answer", "unreadable", "user"
]


class Step(NamedTuple):
    """One stage of a decision. `outcome` None: the stage had nothing to say."""

    stage: str
    text: str
    outcome: Behavior | None = None
    rule: Rule | None = None


class Decision(NamedTuple):
    """What happens to a call.

    `reason` is one plain line for people and for the model. `critical` marks a removal that
    nothing approves; `asked_by_rule` an ask rule, which answers of hooks cannot lift.
    """

    behavior: Behavior
    reason: str
    reason_type: ReasonType
    rule: Rule | None = None
    blocked_path: str | None = None
    trace: tuple[Step, ...] = ()
    asked_by_rule: bool = False
    critical: bool = False
