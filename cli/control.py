"""The client door: a translator between the control protocol and ops and events.

Client requests become ops whose id is the request's id; their answers are `OpDone` and
`OpFailed`. Questions of the engine become requests to the client; its answers become `Reply`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hames.cli.wire.inbound import BadLine, ControlAnswer, ControlRequest, Inbound, UserMessage
from hames.cli.wire.lines import MAX_LINE, line_of
from hames.cli.wire.messages import messages_of, no_background_tasks
from hames.cli.wire.questions import answer_for, question_request
from hames.harness import events as ev
from hames.harness import ops
from hames.harness.ops import Op
from hames.system.types import JsonObject, is_object

TOO_LARGE = (
    "This call is too large to be shown whole to the program that decides about it. "
    "Do it in smaller pieces."
)

Submit = Callable[..., str]
"""`Session.submit`: an op and perhaps its id."""


class Refused(Exception):
    """The request cannot become an op; the text is the answer."""


class Question(NamedTuple):
    """A question that the client was asked: its kind and the request as sent."""

    kind: str
    request: JsonObject


class Control:
    """Both directions of the protocol for one session. `write` takes whole lines."""

    def __init__(self, submit: Submit, write: Callable[[str], None]) -> None:
        self._submit = submit
        self._write = write
        self._scope = ev.Scope("")
        self._requests: dict[str, str] = {}
        self._messages: set[str] = set()
        self._questions: dict[str, Question] = {}
        self._introduced = False

    def take_line(self, line: Inbound, number: int) -> None:
        """Act on one line of the client; `number` counts from 1."""
        match line:
            case UserMessage():
                self._messages.add(self._submit(ops.UserInput(*line)))
            case ControlRequest():
                self._request(line)
            case ControlAnswer():
                self._answer(line)
            case BadLine(problem, request_id):
                if request_id is not None:
                    self._fail(request_id, f"stdin line {number} {problem}")
                else:
                    self._notice(f"stdin line {number} {problem}")
            case _:
                pass

    def end(self) -> None:
        """The client sends nothing more: finish what is queued; nobody answers questions."""
        self._submit(ops.Close(drain=True))

    def take_event(self, event: ev.Event) -> None:
        """Tell the client what concerns the protocol."""
        self._scope = ev.Scope(event.scope.session_id)
        match event:
            case ev.OpDone():
                self._done(event)
            case ev.OpFailed():
                self._failed(event)
            case ev.Asked():
                self._ask(event)
            case ev.AskCancelled():
                if self._questions.pop(event.request_id, None) is not None:
                    cancel = {"type": "control_cancel_request", "request_id": event.request_id}
                    self._write(line_of(cancel))
            case _:
                pass

    def _request(self, line: ControlRequest) -> None:
        if line.request_id in self._requests:
            self._fail(line.request_id, f"request_id {line.request_id} is in use")
            return
        try:
            op = op_for(line)
        except Refused as refusal:
            self._fail(line.request_id, str(refusal))
            return
        self._requests[line.request_id] = line.subtype
        self._submit(op, line.request_id)

    def _answer(self, line: ControlAnswer) -> None:
        question = self._questions.pop(line.request_id, None)
        if question is not None:
            self._submit(ops.Reply(line.request_id, answer_for(question.kind, line)))

    def _ask(self, event: ev.Asked) -> None:
        request = question_request(event)
        if request is None:
            return
        message = {
            "type": "control_request",
            "request_id": event.request_id,
            "request": request,
        }
        line = line_of(message, shorten=False)
        if len(line) > MAX_LINE:
            answer = answer_for(event.kind, ControlAnswer(event.request_id, error=TOO_LARGE))
            self._submit(ops.Reply(event.request_id, answer))
            return
        self._questions[event.request_id] = Question(event.kind, message)
        self._write(line)

    def _done(self, event: ev.OpDone) -> None:
        subtype = self._requests.pop(event.op_id, None)
        self._messages.discard(event.op_id)
        if subtype is None:
            return
        value = event.value if subtype in _WITH_VALUE else {}
        response: JsonObject = {
            "subtype": "success",
            "request_id": event.op_id,
            "response": value,
        }
        repeated = subtype == "initialize" and self._introduced
        if repeated:
            asked = self._questions.values()
            response["pending_permission_requests"] = [
                question.request for question in asked if question.kind == "permission"
            ]
        self._write(line_of({"type": "control_response", "response": response}))
        if repeated:
            self._write(line_of(no_background_tasks(event.scope)))
        self._introduced = self._introduced or subtype == "initialize"

    def _failed(self, event: ev.OpFailed) -> None:
        if self._requests.pop(event.op_id, None) is not None:
            self._fail(event.op_id, event.text)
        elif event.op_id in self._messages:
            self._messages.discard(event.op_id)
            self._notice(f"A user message was not taken: {event.text}")

    def _fail(self, request_id: str, text: str) -> None:
        response = {"subtype": "error", "request_id": request_id, "error": text}
        self._write(line_of({"type": "control_response", "response": response}))

    def _notice(self, text: str) -> None:
        for message in messages_of(ev.Notice(self._scope, "warning", text)):
            self._write(line_of(message))


_WITH_VALUE = frozenset({"initialize", "interrupt", "mcp_status", "get_context_usage"})
"""Requests whose answer is the value of their op; all others are answered with {}."""

_NOT_YET = {
    "mcp_reconnect": "MCP servers are not available in this session",
    "mcp_toggle": "MCP servers are not available in this session",
    "mcp_set_servers": "MCP servers are not available in this session",
    "rewind_files": "file checkpoints are not available in this session",
    "stop_task": "there are no background tasks in this session",
}


def op_for(line: ControlRequest) -> Op:
    """The op of a client request. Raises Refused with the text of the error answer."""
    body = line.body
    match line.subtype:
        case "initialize":
            return _initialize(body)
        case "interrupt":
            return ops.Interrupt(cancel_queued=body.get("cancel_queued") is True)
        case "set_permission_mode":
            return ops.SetMode(_text(body, "mode"))
        case "set_model":
            model = body.get("model")
            return ops.SetModel(None if model is None else _text(body, "model"))
        case "set_max_thinking_tokens":
            return ops.SetThinking(_thinking_tokens(body))
        case "mcp_status":
            return ops.Describe("mcp")
        case "get_context_usage":
            return ops.Describe("context")
        case subtype if subtype in _NOT_YET:
            raise Refused(_NOT_YET[subtype])
        case subtype:
            raise Refused(f"Unsupported control request subtype: {subtype[:80]}")


def _initialize(body: JsonObject) -> ops.Initialize:
    options = {key: value for key, value in body.items() if key not in ("hooks", "agents")}
    return ops.Initialize(_object(body, "hooks"), _object(body, "agents"), options)


def _object(body: JsonObject, name: str) -> JsonObject | None:
    value = body.get(name)
    if value is not None and not is_object(value):
        raise Refused(f"`{name}` must be an object or null")
    return value


def _text(body: JsonObject, name: str) -> str:
    value: Any = body.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(f"`{name}` must be a non-empty string")
    return value


def _thinking_tokens(body: JsonObject) -> int | None:
    value: Any = body.get("max_thinking_tokens", body.get("maxThinkingTokens"))
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise Refused("`max_thinking_tokens` must be a whole number of at least 0, or null")
    return value
