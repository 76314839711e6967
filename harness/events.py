"""What goes out of a session: one typed stream; every front end is a translator of it."""

from pathlib import Path
from typing import Literal, NamedTuple

from hames.system.types import JsonObject

State = Literal["running", "idle", "requires_action"]
QuestionKind = Literal[
    "permission", "question", "plan", "hook_callback", "mcp_message", "elicitation", "trust"
]


class Scope(NamedTuple):
    """Whose event it is. All but the first two are set inside subagents only."""

    session_id: str
    turn_id: str | None = None
    agent_id: str | None = None
    parent_tool_use_id: str | None = None
    agent_type: str | None = None


class SessionStarted(NamedTuple):
    """The session is ready: `source` is startup, resume, clear or fork."""

    scope: Scope
    source: str
    transcript: str | None


class TranscriptGrew(NamedTuple):
    """The session's file got these entries; sent only when the run asked for it."""

    scope: Scope
    path: Path
    entries: list[JsonObject]


class SessionReset(NamedTuple):
    """`/clear`: later events carry `new_session_id`; `scope` is the outgoing session."""

    scope: Scope
    new_session_id: str


class TurnStarted(NamedTuple):
    """A turn begins; `description` is the session as `Describe("session")` tells it."""

    scope: Scope
    description: JsonObject


class PromptTaken(NamedTuple):
    """A queued user message was taken: it joined the conversation or was answered at once."""

    scope: Scope
    uuid: str
    content: str | list[JsonObject]


class StreamDelta(NamedTuple):
    """One raw Messages API event; `ttft_ms` is set on the first of a response."""

    scope: Scope
    event: JsonObject
    ttft_ms: int | None = None


class BlockCompleted(NamedTuple):
    """One finished content block as an API message that holds only it.

    Its `usage` is that of `message_start`; `aborted` marks blocks of a cut response. `error` is
    the category of a synthetic message that tells of a failure.
    """

    scope: Scope
    uuid: str
    message: JsonObject
    aborted: bool = False
    error: str | None = None


class ToolStarted(NamedTuple):
    """A call was allowed and begins to run with its final input; `summary` is one line."""

    scope: Scope
    call_id: str
    name: str
    input: JsonObject
    summary: str


class ToolProgress(NamedTuple):
    """Newest output of a running call; `elapsed` in seconds."""

    scope: Scope
    call_id: str
    name: str
    text: str
    elapsed: float


class ToolFinished(NamedTuple):
    """A call has its result: denied, failed, interrupted and successful calls alike.

    `block` is the `tool_result` block, `structured` the public output object of the tool.
    """

    scope: Scope
    uuid: str
    call_id: str
    name: str
    block: JsonObject
    structured: JsonObject | str
    duration_ms: int


class CallDenied(NamedTuple):
    """A call was denied without a prompt; `reason_type` is rule, mode, safety, hook or other."""

    scope: Scope
    call_id: str
    name: str
    input: JsonObject
    reason: str
    reason_type: str


class HookRan(NamedTuple):
    """A hook started (`outcome` None) or ended (success, error, cancelled).

    `status` is what its author wants to be shown while it runs.
    """

    scope: Scope
    hook_id: str
    name: str
    event: str
    outcome: str | None = None
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    status: str | None = None


class TerminalSequence(NamedTuple):
    """Bytes for the terminal of an interactive session: a title, a notification or a bell."""

    scope: Scope
    text: str


class Asked(NamedTuple):
    """A question is open until its `Reply` or `AskCancelled`.

    `display` is made at the moment of asking (title, text, diff); `payload` is what programs
    need, per kind: for `permission` tool_name, tool_use_id, input, suggestions, blocked_path,
    decision_reason.
    """

    scope: Scope
    request_id: str
    kind: QuestionKind
    display: JsonObject
    payload: JsonObject


class AskCancelled(NamedTuple):
    """The question needs no answer any more."""

    scope: Scope
    request_id: str


class StatusChanged(NamedTuple):
    """The session runs, waits for an answer, or owes no further turn."""

    scope: Scope
    state: State
    mode: str


class Notice(NamedTuple):
    """A line for people: `level` is info, notice, warning or error."""

    scope: Scope
    level: str
    text: str
    call_id: str | None = None
    stops: bool = False


class Retrying(NamedTuple):
    """A request failed and is sent again after `delay_ms`; `attempt` counts from 1.

    Text shown of the failed attempt is void. `message` tells people what happened.
    """

    scope: Scope
    attempt: int
    max_retries: int
    delay_ms: int
    status: int | None
    error: str
    message: str = ""


class TurnFinished(NamedTuple):
    """The turn is over; nothing of it comes after. `result` holds the fields of `TurnResult`."""

    scope: Scope
    result: "TurnResult"


class TurnResult(NamedTuple):
    """How a turn ended.

    `subtype`, `terminal_reason` and `stop_reason` are spelt as the public result message spells
    them; `text` is the answer or the failure for people, `errors` the failures of the error arms.
    `usage` is of the main loop in this turn, `model_usage` and `cost_usd` are cumulative.
    `note` is a reason for people that is no failure. `deferred` is a call that waits outside.
    """

    subtype: str
    is_error: bool
    text: str
    terminal_reason: str
    stop_reason: str | None
    num_turns: int
    duration_ms: int
    api_ms: int
    usage: JsonObject
    model_usage: JsonObject
    cost_usd: float
    errors: tuple[str, ...] = ()
    denials: tuple[JsonObject, ...] = ()
    api_status: int | None = None
    prompt_uuids: tuple[str, ...] = ()
    origin: JsonObject | None = None
    ttft_ms: int | None = None
    interrupted: bool = False
    deferred: JsonObject | None = None
    note: str | None = None


class OpDone(NamedTuple):
    """The op succeeded; of `UserInput` it is the acceptance."""

    scope: Scope
    op_id: str
    value: JsonObject


class OpFailed(NamedTuple):
    """The op was refused; `text` says why and what to do."""

    scope: Scope
    op_id: str
    text: str


class SessionClosed(NamedTuple):
    """The last event of a session."""

    scope: Scope


Event = (
    SessionStarted
    | TranscriptGrew
    | SessionReset
    | TurnStarted
    | PromptTaken
    | StreamDelta
    | BlockCompleted
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | CallDenied
    | HookRan
    | TerminalSequence
    | Asked
    | AskCancelled
    | StatusChanged
    | Notice
    | Retrying
    | TurnFinished
    | OpDone
    | OpFailed
    | SessionClosed
)
