"""Questions of the engine as requests to the client, and its answers back. Pure."""

from typing import Any

from hames.cli.wire.inbound import ControlAnswer
from hames.harness.events import Asked
from hames.harness.ops import Answer, JsonAnswer, PermissionAnswer
from hames.system.types import JsonObject, is_list, is_object


def question_request(event: Asked) -> JsonObject | None:
    """The `request` of a control request; None for a kind that clients do not know."""
    match event.kind:
        case "permission":
            return _can_use_tool(event)
        case "hook_callback":
            return {"subtype": "hook_callback", **event.payload}
        case _:
            return None


def _can_use_tool(event: Asked) -> JsonObject:
    request: JsonObject = {
        "subtype": "can_use_tool",
        **event.payload,
        "title": event.display.get("title"),
        "display_name": event.payload.get("tool_name"),
        "description": event.display.get("text"),
    }
    if event.scope.agent_id is not None:
        request["agent_id"] = event.scope.agent_id
    return request


def answer_for(kind: str, line: ControlAnswer) -> Answer:
    """What the client answered; an error or an answer without sense never allows anything."""
    if kind == "permission":
        return _permission(line)
    if line.error is not None:
        return JsonAnswer({}, line.error)
    if not is_object(line.value):
        return JsonAnswer({}, "the answer is not a JSON object")
    return JsonAnswer(line.value)


def _permission(line: ControlAnswer) -> PermissionAnswer:
    value: JsonObject = line.value if is_object(line.value) else {}
    behavior, given = value.get("behavior"), value.get("updatedInput")
    if line.error is not None:
        return PermissionAnswer("deny", message=f"The permission check failed: {line.error}")
    if behavior not in ("allow", "deny"):
        return PermissionAnswer("deny", message="The permission check gave no valid answer.")
    if given is not None and not is_object(given):
        return PermissionAnswer("deny", message="The permission check gave an invalid input.")
    return PermissionAnswer(
        behavior=behavior,
        updated_input=given,
        updates=_updates(value.get("updatedPermissions")),
        message=str(value.get("message") or ""),
        interrupt=value.get("interrupt") is True,
    )


def _updates(given: Any) -> tuple[JsonObject, ...]:
    """The raw updates; one that is no object voids all of them."""
    updates = given if is_list(given) else []
    return tuple(updates) if all(is_object(update) for update in updates) else ()
