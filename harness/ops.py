"""What goes into a session: one typed stream; each op ends in one `OpDone` or `OpFailed`.

These and the events are named tuples, not dataclasses: there are many of them, all are defined
before the first request, and a dataclass takes ten times as long to define.
"""

from typing import NamedTuple
from uuid import uuid4

from hames.system.types import JsonObject


def new_id() -> str:
    """A fresh UUID as text."""
    return str(uuid4())


class PermissionAnswer(NamedTuple):
    """The answer to a permission question.

    `behavior` is allow or deny. `updated_input` replaces the input (None keeps it), `updates` are
    raw permission updates, applied all or none. `interrupt` ends the turn with the denial.
    `message` goes to the model.
    """

    behavior: str
    updated_input: JsonObject | None = None
    updates: tuple[JsonObject, ...] = ()
    message: str = ""
    interrupt: bool = False


class JsonAnswer(NamedTuple):
    """The answer to a hook callback, an MCP message or an elicitation; `error` voids it."""

    value: JsonObject
    error: str | None = None


Answer = PermissionAnswer | JsonAnswer


class Initialize(NamedTuple):
    """A client introduces itself: its hooks by event, its agents, and options as it sent them."""

    hooks: JsonObject | None = None
    agents: JsonObject | None = None
    options: JsonObject | None = None


class UserInput(NamedTuple):
    """A user message. `content` is text or blocks; `query` false appends without a turn.

    `literal` keeps slash commands and `@` mentions as plain text. `uuid` None gets a fresh one.
    """

    content: str | list[JsonObject]
    uuid: str | None = None
    origin: JsonObject | None = None
    query: bool = True
    literal: bool = False


class Interrupt(NamedTuple):
    """Stop the running turn; its value is `still_queued` and, when asked for, `cancelled`."""

    cancel_queued: bool = False


class TakeBack(NamedTuple):
    """Remove the queued messages and give their contents back, oldest first."""


class Reply(NamedTuple):
    """Answer an open question, once."""

    request_id: str
    answer: Answer


class SetMode(NamedTuple):
    """Change the permission mode (wire spelling)."""

    mode: str


class SetModel(NamedTuple):
    """Change the model from the next request on; None is the default of the session."""

    model: str | None


class SetEffort(NamedTuple):
    """Change the effort from the next request on; None is the default of the model."""

    effort: str | None


class SetThinking(NamedTuple):
    """Thinking budget in tokens; 0 turns thinking off, None is the default of the model."""

    max_tokens: int | None


class Clear(NamedTuple):
    """Start a new conversation in a new file."""


class Resume(NamedTuple):
    """Continue another conversation. `source` is a session id or a title."""

    source: str
    fork: bool = False


class AddDirectory(NamedTuple):
    """Add a working directory for file access."""

    path: str


class Describe(NamedTuple):
    """Tell about the session: session, context, layers, cost, mcp, queue or request."""

    what: str


class Reload(NamedTuple):
    """Read the settings again."""


class Close(NamedTuple):
    """End the session; `drain` first finishes the running turn and everything queued.

    Nobody answers questions after it: open ones are cancelled, which denies.
    """

    drain: bool = False


Op = (
    Initialize
    | UserInput
    | Interrupt
    | TakeBack
    | Reply
    | SetMode
    | SetModel
    | SetEffort
    | SetThinking
    | Clear
    | Resume
    | AddDirectory
    | Describe
    | Reload
    | Close
)
