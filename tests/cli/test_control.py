"""The translator: requests to ops, ops to answers, questions to requests."""

import json
from typing import Any

import pytest

from hames.cli.control import TOO_LARGE, Control
from hames.cli.wire.inbound import (
    BadLine,
    ControlAnswer,
    ControlRequest,
    Ignored,
    Inbound,
    UserMessage,
)
from hames.harness import ops
from hames.harness.events import AskCancelled, Asked, Event, OpDone, OpFailed, Scope
from hames.harness.ops import JsonAnswer, Op, PermissionAnswer

SCOPE = Scope("session-1", "turn-1")


class Door:
    """A Control with what it submitted and wrote."""

    def __init__(self) -> None:
        self.submitted: list[tuple[str, Op]] = []
        self._text = ""
        self.control = Control(self._submit, self._write)

    def _submit(self, op: Op, op_id: str | None = None) -> str:
        chosen = op_id or f"own-{len(self.submitted)}"
        self.submitted.append((chosen, op))
        return chosen

    def _write(self, text: str) -> None:
        assert text.endswith("\n")
        self._text += text

    def line(self, *lines: Inbound) -> "Door":
        for line in lines:
            self.control.take_line(line, 3)
        return self

    def event(self, *events: Event) -> "Door":
        for event in events:
            self.control.take_event(event)
        return self

    @property
    def written(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self._text.splitlines()]

    @property
    def ops(self) -> list[Op]:
        return [op for _, op in self.submitted]


def request(subtype: str, /, **body: Any) -> ControlRequest:
    return ControlRequest("req_1", subtype, body)


def success(value: dict[str, Any]) -> dict[str, Any]:
    inner = {"subtype": "success", "request_id": "req_1", "response": value}
    return {"type": "control_response", "response": inner}


def failure(text: str) -> dict[str, Any]:
    inner = {"subtype": "error", "request_id": "req_1", "error": text}
    return {"type": "control_response", "response": inner}


@pytest.mark.parametrize(
    ("line", "op"),
    [
        (request("initialize", hooks=None), ops.Initialize(None, None, {})),
        (
            request("initialize", hooks={"Stop": []}, agents={"a": {}}, skills=["s"]),
            ops.Initialize({"Stop": []}, {"a": {}}, {"skills": ["s"]}),
        ),
        (request("interrupt"), ops.Interrupt()),
        (request("interrupt", cancel_queued=True), ops.Interrupt(cancel_queued=True)),
        (request("set_permission_mode", mode="plan"), ops.SetMode("plan")),
        (request("set_model", model="opus"), ops.SetModel("opus")),
        (request("set_model", model=None), ops.SetModel(None)),
        (request("set_model"), ops.SetModel(None)),
        (request("set_max_thinking_tokens", max_thinking_tokens=9), ops.SetThinking(9)),
        (request("set_max_thinking_tokens", maxThinkingTokens=0), ops.SetThinking(0)),
        (request("set_max_thinking_tokens", max_thinking_tokens=None), ops.SetThinking(None)),
        (request("mcp_status"), ops.Describe("mcp")),
        (request("get_context_usage"), ops.Describe("context")),
    ],
)
def test_a_request_becomes_an_op_with_its_id(line: ControlRequest, op: Op) -> None:
    door = Door().line(line)
    assert (door.submitted, door.written) == ([("req_1", op)], [])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (request("set_model", model=7), "`model` must be a non-empty string"),
        (request("set_permission_mode"), "`mode` must be a non-empty string"),
        (request("initialize", hooks=[]), "`hooks` must be an object or null"),
        (request("initialize", agents="a"), "`agents` must be an object or null"),
        (
            request("set_max_thinking_tokens", max_thinking_tokens=True),
            "`max_thinking_tokens` must be a whole number of at least 0, or null",
        ),
        (
            request("mcp_reconnect", serverName="x"),
            "MCP servers are not available in this session",
        ),
        (request("stop_task", task_id="x"), "there are no background tasks in this session"),
        (
            request("rewind_files", user_message_id="x"),
            "file checkpoints are not available in this session",
        ),
        (request("dance"), "Unsupported control request subtype: dance"),
    ],
)
def test_a_request_that_cannot_be_is_answered_with_an_error(
    line: ControlRequest, text: str
) -> None:
    door = Door().line(line)
    assert (door.submitted, door.written) == ([], [failure(text)])


@pytest.mark.parametrize(
    ("line", "value", "answer"),
    [
        (request("initialize"), {"commands": []}, {"commands": []}),
        (request("interrupt"), {"still_queued": ["a"]}, {"still_queued": ["a"]}),
        (request("mcp_status"), {"mcpServers": []}, {"mcpServers": []}),
        (request("set_permission_mode", mode="plan"), {"mode": "plan"}, {}),
        (request("set_model", model="opus"), {"model": "claude-opus-5-5"}, {}),
    ],
)
def test_the_end_of_the_op_is_the_answer(
    line: ControlRequest, value: dict[str, Any], answer: dict[str, Any]
) -> None:
    door = Door().line(line).event(OpDone(SCOPE, "req_1", value))
    assert door.written == [success(answer)]


def test_a_refused_op_is_an_error_answer() -> None:
    door = Door().line(request("set_permission_mode", mode="x"))
    assert door.event(OpFailed(SCOPE, "req_1", "no such mode")).written == [failure("no such mode")]


def test_an_id_in_use_is_refused_and_free_again_after_its_answer() -> None:
    door = Door().line(request("interrupt"), request("interrupt"))
    assert door.written == [failure("request_id req_1 is in use")]
    door.event(OpDone(SCOPE, "req_1", {})).line(request("interrupt"))
    assert door.ops == [ops.Interrupt(), ops.Interrupt()]


def test_user_messages_become_input_and_their_acceptance_is_silent() -> None:
    message = UserMessage("hi", uuid="u", origin={"kind": "human"}, query=False, literal=True)
    door = Door().line(message).event(OpDone(SCOPE, "own-0", {"uuid": "u"}))
    assert door.ops == [ops.UserInput("hi", "u", {"kind": "human"}, query=False, literal=True)]
    assert door.written == []


def test_a_message_that_is_not_taken_is_told() -> None:
    door = Door().line(UserMessage("hi")).event(OpFailed(SCOPE, "own-0", "The session is closed."))
    (notice,) = door.written
    assert (notice["subtype"], notice["level"]) == ("informational", "warning")
    assert notice["content"] == "A user message was not taken: The session is closed."


def test_a_bad_line_is_told_with_its_number() -> None:
    door = Door().event(OpDone(SCOPE, "other", {}))
    door.line(BadLine("is not JSON and was skipped"), BadLine("is not UTF-8", "req_1"), Ignored())
    notice, answer = door.written
    assert notice["content"] == "stdin line 3 is not JSON and was skipped"
    assert notice["session_id"] == "session-1"
    assert answer == failure("stdin line 3 is not UTF-8")
    assert door.submitted == []


def test_the_end_of_input_lets_the_session_finish() -> None:
    door = Door()
    door.control.end()
    assert door.ops == [ops.Close(drain=True)]


PAYLOAD: dict[str, Any] = {
    "tool_name": "Bash",
    "tool_use_id": "toolu_1",
    "input": {"command": "ls"},
    "permission_suggestions": [],
    "blocked_path": None,
    "decision_reason": "no rule",
}
DISPLAY = {"title": "Bash wants to run a command", "text": "ls"}


def asked(kind: Any = "permission", **payload: Any) -> Asked:
    return Asked(SCOPE, "q1", kind, DISPLAY, {**PAYLOAD, **payload})


def test_a_permission_question_is_asked_whole() -> None:
    (message,) = Door().event(asked()).written
    assert message == {
        "type": "control_request",
        "request_id": "q1",
        "request": {
            "subtype": "can_use_tool",
            **PAYLOAD,
            "title": "Bash wants to run a command",
            "display_name": "Bash",
            "description": "ls",
        },
    }


def test_a_question_of_a_subagent_names_it() -> None:
    scope = SCOPE._replace(agent_id="agent-1")
    (message,) = Door().event(asked()._replace(scope=scope)).written
    assert message["request"]["agent_id"] == "agent-1"


UPDATE = {"type": "setMode", "mode": "plan", "destination": "session"}


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (ControlAnswer("q1", {"behavior": "allow"}), PermissionAnswer("allow")),
        (
            ControlAnswer("q1", {"behavior": "allow", "updatedInput": {"a": 1}}),
            PermissionAnswer("allow", {"a": 1}),
        ),
        (
            ControlAnswer("q1", {"behavior": "allow", "updatedPermissions": [UPDATE]}),
            PermissionAnswer("allow", updates=(UPDATE,)),
        ),
        (
            ControlAnswer("q1", {"behavior": "allow", "updatedPermissions": [UPDATE, 7]}),
            PermissionAnswer("allow"),
        ),
        (
            ControlAnswer("q1", {"behavior": "deny", "message": "no", "interrupt": True}),
            PermissionAnswer("deny", message="no", interrupt=True),
        ),
        (
            ControlAnswer("q1", error="boom"),
            PermissionAnswer("deny", message="The permission check failed: boom"),
        ),
        (
            ControlAnswer("q1", {"behavior": "maybe"}),
            PermissionAnswer("deny", message="The permission check gave no valid answer."),
        ),
        (
            ControlAnswer("q1"),
            PermissionAnswer("deny", message="The permission check gave no valid answer."),
        ),
        (
            ControlAnswer("q1", {"behavior": "allow", "updatedInput": []}),
            PermissionAnswer("deny", message="The permission check gave an invalid input."),
        ),
    ],
)
def test_an_answer_about_a_call(line: ControlAnswer, answer: PermissionAnswer) -> None:
    assert Door().event(asked()).line(line).ops == [ops.Reply("q1", answer)]


def test_a_question_is_answered_once() -> None:
    door = Door().event(asked())
    door.line(ControlAnswer("q1", {"behavior": "allow"}), ControlAnswer("q1", {"behavior": "deny"}))
    assert len(door.ops) == 1
    assert Door().line(ControlAnswer("q9", {})).ops == []


def test_a_withdrawn_question_is_withdrawn_from_the_client_too() -> None:
    door = Door().event(asked(), AskCancelled(SCOPE, "q1"), AskCancelled(SCOPE, "q2"))
    assert door.written[1:] == [{"type": "control_cancel_request", "request_id": "q1"}]
    assert door.line(ControlAnswer("q1", {"behavior": "allow"})).ops == []


def test_a_call_too_large_to_be_shown_whole_is_denied() -> None:
    door = Door().event(asked(input={"command": "a" * 1_000_000}))
    answer = PermissionAnswer("deny", message=f"The permission check failed: {TOO_LARGE}")
    assert (door.ops, door.written) == ([ops.Reply("q1", answer)], [])


CALLBACK = {"callback_id": "hook_0", "input": {"hook_event_name": "Stop"}, "tool_use_id": None}


def test_a_hook_callback_is_asked_and_answered() -> None:
    door = Door().event(Asked(SCOPE, "q1", "hook_callback", {}, CALLBACK))
    assert door.written[0]["request"] == {"subtype": "hook_callback", **CALLBACK}
    assert door.line(ControlAnswer("q1", {"continue": True})).ops == [
        ops.Reply("q1", JsonAnswer({"continue": True}))
    ]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (ControlAnswer("q1", error="boom"), JsonAnswer({}, "boom")),
        (ControlAnswer("q1", 7), JsonAnswer({}, "the answer is not a JSON object")),
    ],
)
def test_a_failed_hook_callback(line: ControlAnswer, answer: JsonAnswer) -> None:
    door = Door().event(Asked(SCOPE, "q1", "hook_callback", {}, CALLBACK))
    assert door.line(line).ops == [ops.Reply("q1", answer)]


def test_questions_that_clients_do_not_know_are_not_sent() -> None:
    assert Door().event(Asked(SCOPE, "q1", "trust", {}, {})).written == []


def test_a_repeated_introduction_carries_the_open_questions() -> None:
    door = Door().line(request("initialize")).event(OpDone(SCOPE, "req_1", {}), asked())
    door.line(request("initialize")).event(OpDone(SCOPE, "req_1", {}))
    first, question, second, tasks = door.written
    assert "pending_permission_requests" not in first["response"]
    assert second["response"]["pending_permission_requests"] == [question]
    assert (tasks["subtype"], tasks["tasks"]) == ("background_tasks_changed", [])
