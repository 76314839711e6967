"""What goes into a session: one typed stream; each op ends in one `OpDone` or `OpFailed`."""

from dataclasses import dataclass, field
from uuid import uuid4

from hames.system.types import JsonObject


def new_id() -> str:
    """A fresh UUID as text."""
    return str(uuid4())


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
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


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """The answer to a hook callback, an MCP message or an elicitation; `error` voids it."""

    value: JsonObject
    error: str | None = None


Answer = PermissionAnswer | JsonAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Op:
    op_id: str = field(default_factory=new_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialize(_Op):
    """A client introduces itself: its hooks by event, its agents, and options as it sent them."""

    hooks: JsonObject | None = None
    agents: JsonObject | None = None
    options: JsonObject = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class UserInput(_Op):
    """A user message. `content` is text or blocks; `query` false appends without a turn.

    `literal` keeps slash commands and `@` mentions as plain text.
    """

    content: str | list[JsonObject]
    uuid: str = field(default_factory=new_id)
    origin: JsonObject | None = None
    query: bool = True
    literal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt(_Op):
    """Stop the running turn; its value is `still_queued` and, when asked for, `cancelled`."""

    cancel_queued: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack(_Op):
    """Remove the queued messages and give their contents back, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(_Op):
    """Answer an open question, once."""

    request_id: str
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMode(_Op):
    """Change the permission mode (wire spelling)."""

    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetModel(_Op):
    """Change the model from the next request on; None is the default of the session."""

    model: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEffort(_Op):
    """Change the effort from the next request on; None is the default of the model."""

    effort: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetThinking(_Op):
    """Thinking budget in tokens; 0 turns thinking off, None is the default of the model."""

    max_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear(_Op):
    """Start a new conversation in a new file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume(_Op):
    """Continue another conversation. `source` is a session id or a title."""

    source: str
    fork: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDirectory(_Op):
    """Add a working directory for file access."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe(_Op):
    """Tell about the session: session, context, cost, mcp, queue or commands."""

    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reload(_Op):
    """Read the settings again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Close(_Op):
    """End the session; `drain` first finishes the running turn and everything queued."""

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
