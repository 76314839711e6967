"""Rules of single content blocks: their types per role, their fields, their text."""

import re
from collections.abc import Mapping
from typing import Any

from support.fake_api.request import Judged, Problems, every_block
from support.fake_api.rules_tools import NAME

_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
_FIELDS: Mapping[str, frozenset[str]] = {
    "text": frozenset({"text", "citations", "cache_control"}),
    "image": frozenset({"source", "transformations", "cache_control"}),
    "document": frozenset({"source", "citations", "context", "title", "cache_control"}),
    "search_result": frozenset({"content", "source", "title", "citations", "cache_control"}),
    "thinking": frozenset({"thinking", "signature"}),
    "redacted_thinking": frozenset({"data"}),
    "tool_use": frozenset({"id", "name", "input", "caller", "toolset_name", "cache_control"}),
    "tool_result": frozenset(
        {"tool_use_id", "content", "is_error", "toolset_name", "cache_control"}
    ),
    "tool_reference": frozenset({"tool_name", "cache_control"}),
}
"""Fields besides `type`; other block types of the server are not looked into."""
_SERVER = (
    "server_tool_use",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
    "container_upload",
    "compaction",
    "fallback",
)
_USER = frozenset({"text", "image", "document", "search_result", "tool_result", "container_upload"})
_ASSISTANT = frozenset({"text", "thinking", "redacted_thinking", "tool_use", *_SERVER})
_SYSTEM = frozenset({"text", "tool_addition", "tool_removal"})
_IN_RESULT = frozenset({"text", "image", "document", "search_result", "tool_reference"})
_ALLOWED = {"user": _USER | {"compaction"}, "assistant": _ASSISTANT, "system": _SYSTEM}
_KNOWN = _USER | _ASSISTANT | _SYSTEM | _IN_RESULT


def types(request: Judged) -> Problems:
    """A known type that its role may hold."""
    changes = request.beta("mid-conversation-tool-changes")
    for path, message, block in every_block(request):
        kind, role = block["type"], message["role"]
        if kind not in _KNOWN:
            expected = ", ".join(f"'{name}'" for name in sorted(_ALLOWED[role]))
            yield (
                f"{path}: Input tag '{kind}' found using 'type' does not match any of the "
                f"expected tags: {expected}"
            )
        elif kind not in _ALLOWED[role]:
            owner = "assistant" if kind in _ASSISTANT else "user"
            yield f"{path}: `{kind}` blocks can only be in `{owner}` messages"
        elif kind in ("tool_addition", "tool_removal") and not changes:
            yield f"{path}: Input tag '{kind}' needs a beta that was not requested"


def block_fields(request: Judged) -> Problems:
    """No field that the block type does not have."""
    for path, _, block in every_block(request):
        yield from _fields(path, block)
        if block["type"] == "tool_result" and isinstance(block.get("content"), list):
            for number, inner in enumerate(block["content"]):
                if isinstance(inner, dict):
                    yield from _fields(f"{path}.tool_result.content.{number}", inner)


def _fields(path: str, block: Mapping[str, Any]) -> Problems:
    kind = block.get("type")
    known = _FIELDS.get(str(kind))
    if known is not None:
        for extra in sorted(block.keys() - known - {"type"}):
            yield f"{path}.{kind}.{extra}: Extra inputs are not permitted"


def text(request: Judged) -> Problems:
    """Text is there, is not empty, and is more than white space."""
    for path, message, block in every_block(request):
        if block["type"] != "text":
            continue
        value = block.get("text")
        if not isinstance(value, str):
            yield f"{path}.text.text: Input should be a valid string"
        elif not value and not isinstance(message["content"], str):
            yield "messages: text content blocks must be non-empty"
        elif value and not value.strip():
            yield "messages: text content blocks must contain non-whitespace text"
        if message["role"] == "user" and block.get("citations"):
            yield f"{path}.text.citations: citations are not permitted in user messages"


def tool_use(request: Judged) -> Problems:
    """Id, name and input of calls."""
    for path, _, block in every_block(request):
        if block["type"] != "tool_use":
            continue
        if not isinstance(block.get("id"), str) or not _ID.match(block["id"]):
            yield f"{path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        if not isinstance(block.get("name"), str) or not NAME.match(block["name"]):
            yield f"{path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
        if not isinstance(block.get("input"), dict):
            yield f"{path}.tool_use.input: Input should be a valid dictionary"


def tool_result(request: Judged) -> Problems:
    """Id and content of results."""
    for path, _, block in every_block(request):
        if block["type"] != "tool_result":
            continue
        if not isinstance(block.get("tool_use_id"), str):
            yield f"{path}.tool_result.tool_use_id: Field required"
        if not isinstance(block.get("is_error", False), bool):
            yield f"{path}.tool_result.is_error: Input should be a valid boolean"
        content = block.get("content", "")
        if isinstance(content, list):
            for number, inner in enumerate(content):
                yield from _inner(request, f"{path}.tool_result.content.{number}", inner)
        elif not isinstance(content, str):
            yield f"{path}.tool_result.content: Input should be a valid string or array"


def _inner(request: Judged, path: str, inner: Any) -> Problems:
    kind = inner.get("type") if isinstance(inner, dict) else None
    if kind not in _IN_RESULT:
        yield (
            f"{path}: Input tag '{kind}' found using 'type' does not match any of the expected "
            "tags: 'document', 'image', 'search_result', 'text', 'tool_reference'"
        )
    elif kind == "text" and not isinstance(inner.get("text"), str):
        yield f"{path}.text.text: Input should be a valid string"
    elif kind == "text" and not inner["text"]:
        yield f"{path}: text content blocks must be non-empty"
    elif kind == "tool_reference":
        name = inner.get("tool_name")
        if name not in {tool.get("name") for tool in request.tools}:
            yield f"{path}: Tool reference '{name}' not found in available tools"


RULES = (types, block_fields, text, tool_use, tool_result)
