"""The public `result` message."""

from hames.harness.events import TurnFinished, TurnResult
from hames.harness.ops import new_id
from hames.system.types import JsonObject


def result_message(event: TurnFinished) -> JsonObject:
    """The one message that ends a turn; its arms differ in `result` and `errors`."""
    result = event.result
    message: JsonObject = {
        "type": "result",
        "subtype": result.subtype,
        "is_error": result.is_error,
        "duration_ms": result.duration_ms,
        "duration_api_ms": result.api_ms,
        "num_turns": result.num_turns,
        "session_id": event.scope.session_id,
        "stop_reason": result.stop_reason,
        "total_cost_usd": result.cost_usd,
        "usage": result.usage,
        "modelUsage": result.model_usage,
        "permission_denials": list(result.denials),
        "terminal_reason": result.terminal_reason,
        "uuid": new_id(),
    }
    if result.subtype == "success":
        message["result"] = result.text
        message["api_error_status"] = result.api_status
    else:
        message["errors"] = list(result.errors)
    if result.deferred is not None:
        message["deferred_tool_use"] = result.deferred
    if result.origin is not None:
        message["origin"] = result.origin
    if result.prompt_uuids:
        message["user_message_uuid"] = result.prompt_uuids[-1]
        message["user_message_uuids"] = list(result.prompt_uuids[-64:])
    if result.ttft_ms is not None:
        message["ttft_ms"] = result.ttft_ms
    return message


def result_text(result: TurnResult) -> str:
    """What `--output-format text` prints."""
    if result.subtype == "success":
        return result.text or result.note or ""
    reason = "; ".join(result.errors) or result.subtype
    for public, printed in (
        ("Reached maximum number of turns", "Reached max turns"),
        ("Reached maximum budget", "Reached max budget"),
    ):
        reason = reason.replace(public, printed)
    return f"Error: {reason}"


def startup_failure(session_id: str, text: str) -> JsonObject:
    """The result of a run that could not start, for programs that only read stdout."""
    return {
        "type": "result",
        "subtype": "error_during_execution",
        "is_error": True,
        "duration_ms": 0,
        "duration_api_ms": 0,
        "num_turns": 0,
        "session_id": session_id,
        "stop_reason": None,
        "total_cost_usd": 0,
        "usage": {},
        "modelUsage": {},
        "permission_denials": [],
        "terminal_reason": "turn_setup_failed",
        "errors": [text],
        "uuid": new_id(),
    }
