"""Rules between messages: roles, order, emptiness, pairing of calls and results."""

from collections.abc import Mapping
from typing import Any

from support.fake_api.request import Judged, Problems, blocks_of

_SERVER_RESULTS = "_tool_result"


def shape(request: Judged) -> Problems:
    """An array of objects with a known role and a content of the right type."""
    listed = request.body.get("messages")
    if not isinstance(listed, list):
        yield "messages: Field required" if listed is None else "messages: Input should be an array"
        return
    if not listed:
        yield "messages: at least one message is required"
    for index, message in enumerate(listed):
        if isinstance(message, dict):
            yield from _message_shape(f"messages.{index}", message)
        else:
            yield f"messages.{index}: Input should be an object"


def _message_shape(path: str, message: Mapping[str, Any]) -> Problems:
    role = message.get("role")
    if role not in ("user", "assistant", "system"):
        yield f"{path}.role: Input should be 'user' or 'assistant'"
    content = message.get("content")
    if not isinstance(content, str | list):
        yield f"{path}.content: Input should be a valid string or array"
    elif isinstance(content, list):
        for number, block in enumerate(content):
            if not isinstance(block, dict) or not isinstance(block.get("type"), str):
                yield f"{path}.content.{number}.type: Field required"
    for extra in message.keys() - {"role", "content"}:
        if not (role == "system" and extra in ("clear_at", "output_config")):
            yield f"{path}.{extra}: Extra inputs are not permitted"


def roles(request: Judged) -> Problems:
    """The user speaks first; system messages only where the model has them; no prefill."""
    messages = request.messages
    for index, message in enumerate(messages):
        if message["role"] == "system" and not request.facts.system_messages:
            yield f"messages.{index}.role: role 'system' is not supported on this model"
    if messages[0]["role"] != "user":
        yield 'messages: first message must use the "user" role'
    last = messages[-1]
    if last["role"] == "assistant" and not _paused(last):
        if not request.facts.prefill:
            yield (
                "This model does not support assistant message prefill. "
                "The conversation must end with a user message."
            )
        ending = blocks_of(last)[-1:]
        if ending and str(ending[0].get("text", "")).endswith((" ", "\n", "\t")):
            yield "messages: final assistant content cannot end with trailing whitespace"


def _paused(message: Mapping[str, Any]) -> bool:
    """An answer that the server paused holds work of the server and is sent back as it is."""
    return any(block["type"] == "server_tool_use" for block in blocks_of(message))


def emptiness(request: Judged) -> Problems:
    """No message without content but a final one of the assistant."""
    last = len(request.messages) - 1
    for index, message in enumerate(request.messages):
        if not message["content"] and not (message["role"] == "assistant" and index == last):
            yield (
                f"messages.{index}: all messages must have non-empty content "
                "except for the optional final assistant message"
            )


def pairing(request: Judged) -> Problems:
    """Every call has exactly one result, first in the next user message; no others."""
    seen: set[str] = set()
    calls: list[str] = []
    for index, message in enumerate(request.messages):
        blocks = blocks_of(message)
        yield from _unanswered(index, message, calls)
        yield from _results(index, blocks, calls)
        calls = []
        if message["role"] != "assistant":
            continue
        calls = [str(block.get("id")) for block in blocks if block["type"] == "tool_use"]
        for call in calls:
            if call in seen:
                yield f"messages.{index}: `tool_use` ids must be unique"
            seen.add(call)
    if calls:
        yield _missing(len(request.messages) - 1, calls)


def _missing(index: int, calls: list[str]) -> str:
    return (
        f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately "
        f"after: {', '.join(calls)}. Each `tool_use` block must have a corresponding "
        "`tool_result` block in the next message."
    )


def _unanswered(index: int, message: Mapping[str, Any], calls: list[str]) -> Problems:
    """Only the results at the head of the message count: text before them hides them."""
    head: list[str] = []
    for block in blocks_of(message):
        if block["type"] != "tool_result":
            break
        head.append(str(block.get("tool_use_id")))
    missing = [call for call in calls if message["role"] != "user" or call not in head]
    if missing:
        yield _missing(index - 1, missing)


def _results(index: int, blocks: list[dict[str, Any]], calls: list[str]) -> Problems:
    found: set[str] = set()
    for number, block in enumerate(blocks):
        if block["type"] != "tool_result":
            continue
        call = str(block.get("tool_use_id"))
        if call not in calls:
            yield (
                f"messages.{index}.content.{number}: unexpected `tool_use_id` found in "
                f"`tool_result` blocks: {call}. Each `tool_result` block must have a "
                "corresponding `tool_use` block in the previous message."
            )
        elif call in found:
            yield (
                f"messages.{index}.content.{number}: each tool_use must have a single result. "
                f"Found multiple `tool_result` blocks with id: {call}"
            )
        found.add(call)


def server_tools(request: Judged) -> Problems:
    """While a server tool is unfinished the user may only hand in results.

    Neighbouring answers count as one: the second goes on with a paused first.
    """
    waiting: set[str] = set()
    for index, message in enumerate(request.messages):
        blocks = blocks_of(message)
        if message["role"] == "assistant":
            waiting |= {str(b.get("id")) for b in blocks if b["type"] == "server_tool_use"}
            waiting -= {
                str(b.get("tool_use_id")) for b in blocks if b["type"].endswith(_SERVER_RESULTS)
            }
        elif waiting and any(b["type"] != "tool_result" for b in blocks):
            yield (
                f"messages.{index}: only `tool_result` blocks may follow an unfinished "
                "`server_tool_use`"
            )
            waiting = set()


def tools_defined(request: Judged) -> Problems:
    """A history with calls needs the tools array."""
    used = any(
        block["type"] in ("tool_use", "tool_result")
        for message in request.messages
        for block in blocks_of(message)
    )
    if used and not request.tools:
        yield "Requests which include `tool_use` or `tool_result` blocks must define tools"


SHAPE_RULES = (shape,)
RULES = (roles, emptiness, pairing, server_tools, tools_defined)
