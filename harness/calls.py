"""One tool call on its way: as the model asked, resolved, decided and finished."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hames.system.types import JsonObject, as_list, as_object, is_object
from hames.tools.registry import Registry
from hames.tools.result import ToolError

if TYPE_CHECKING:  # the module of the base class imports pydantic, which the start cannot afford
    from hames.tools.base import Tool


class Use(NamedTuple):
    """A `tool_use` block. `problem` says that its input JSON could not be read.

    `entry` is the uuid of its transcript entry.
    """

    id: str
    name: str
    input: JsonObject
    entry: str
    problem: str | None = None


class Call(NamedTuple):
    """A resolved call: its tool and validated input; `input` is the same as JSON."""

    use: Use
    tool: "Tool[Any]"
    args: Any
    input: JsonObject

    @property
    def name(self) -> str:
        """The canonical name of the tool."""
        return self.tool.name


class Invalid(NamedTuple):
    """A call that cannot be run; `text` tells the model what is wrong with it."""

    use: Use
    text: str


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run."""


class Deny(NamedTuple):
    """The call may not run; `text` goes to the model.

    `reason_type` is rule, mode, safety, hook, default or user. `interrupt` ends the turn.
    """

    text: str
    reason_type: str
    interrupt: bool = False


@dataclass(frozen=True, slots=True)
class Defer:
    """A hook hands the call to the program around hames: the run stops before it."""


Decision = Allow | Deny | Defer | Invalid


class CallOutcome(NamedTuple):
    """A finished call. `stop` is a terminal reason when the turn must end after it.

    `reminders` are appended after the results of the message.
    """

    use: Use
    entry: str
    reminders: tuple[str | list[JsonObject], ...] = ()
    stop: str | None = None
    stop_text: str | None = None


def stored_use(entries: Sequence[JsonObject], call_id: str) -> Use | None:
    """The call of an id in the entries of a conversation."""
    for entry in reversed(entries):
        message = as_object(entry.get("message"))
        blocks = as_list(message.get("content")) if message is not None else []
        for block in filter(is_object, blocks):
            if block.get("type") == "tool_use" and block.get("id") == call_id:
                given = as_object(block.get("input")) or {}
                return Use(call_id, str(block.get("name")), given, str(entry.get("uuid")))
    return None


def resolve(registry: Registry, offered: frozenset[str], use: Use) -> Call | Invalid:
    """The call of a `tool_use` block: the tool found by name and its input validated."""
    if use.problem is not None:
        return Invalid(use, f"InputValidationError: {use.name} failed: {use.problem}")
    spec = registry.find(use.name)
    if spec is None or spec.name not in offered:
        return Invalid(use, f"Error: No such tool available: {use.name}")
    return validated(registry.tool(spec), use, use.input)


def validated(tool: "Tool[Any]", use: Use, given: JsonObject) -> Call | Invalid:
    """The call with this input; every wrong field is named."""
    try:
        args = tool.parse(given)
    except ToolError as error:
        return Invalid(use, str(error))
    return Call(use, tool, args, tool.wire_input(args))
