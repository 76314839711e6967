"""The public `system/init` message."""

from hames.harness.events import TurnStarted
from hames.harness.ops import new_id
from hames.system.types import JsonObject

CAPABILITIES = ("interrupt_receipt_v1", "interrupt_cancel_queued_v1")
_LEFT_OUT_WHEN_EMPTY = ("betas", "plugin_errors", "mcp_server_errors")


def init_message(event: TurnStarted) -> JsonObject:
    """The first message of every turn. The Agent tool goes by its older name here."""
    known = event.description
    tools = ["Task" if name == "Agent" else name for name in known["tools"]]
    message: JsonObject = {
        "type": "system",
        "subtype": "init",
        **known,
        "tools": tools,
        "capabilities": list(CAPABILITIES),
        "session_id": event.scope.session_id,
        "uuid": new_id(),
    }
    for key in _LEFT_OUT_WHEN_EMPTY:
        if not message.get(key):
            message.pop(key, None)
    return message
