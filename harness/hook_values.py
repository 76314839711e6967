"""What hooks say at each point, as values that need nothing of the hooks themselves."""

from typing import Literal, NamedTuple

from hames.system.types import JsonObject

Verdict = Literal["allow", "deny", "ask", "defer"]


class Pre(NamedTuple):
    """What PreToolUse hooks said. `stop` ends the turn and is the reason shown to people."""

    verdict: Verdict | None = None
    reason: str = ""
    updated_input: JsonObject | None = None
    contexts: tuple[str, ...] = ()
    stop: str | None = None


class Post(NamedTuple):
    """What the hooks after a call said; `output` replaces the tool's output."""

    contexts: tuple[str, ...] = ()
    output: object = None
    stop: str | None = None


class PromptVerdict(NamedTuple):
    """What UserPromptSubmit or UserPromptExpansion hooks said.

    `blocked` is the reason for people. `hides` wants the prompt not to be shown with it. `title`
    names the session.
    """

    blocked: str | None = None
    contexts: tuple[str, ...] = ()
    hides: bool = False
    title: str | None = None


class StopVerdict(NamedTuple):
    """What Stop hooks said; `reasons` send the model on."""

    reasons: tuple[str, ...] = ()
    stop: str | None = None


class Told(NamedTuple):
    """What SessionStart hooks said.

    `initial_message` goes before the first prompt, `title` names the session.
    """

    contexts: tuple[str, ...] = ()
    initial_message: str | None = None
    title: str | None = None


NOTHING_BEFORE = Pre()
NOTHING_AFTER = Post()
