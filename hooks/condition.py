"""The `if` key of a hook: one permission rule that the call must touch."""

from hames.hooks.context import HookContext
from hames.hooks.event_table import TOOL_EVENTS
from hames.hooks.events import HookEvent
from hames.hooks.spec import HookSpec


def condition_holds(spec: HookSpec, event: HookEvent, context: HookContext) -> bool:
    """Whether the hook has no `if`, or its rule covers the call; never outside tool events."""
    del context
    if spec.condition is None:
        return True
    if event.name not in TOOL_EVENTS:
        return False
    return spec.condition.split("(", 1)[0].strip() == event.fields.get("tool_name")
