"""Rules of the tool definitions and of the system prompt."""

import json
import re
from functools import lru_cache
from typing import Any

import jsonschema

from support.fake_api.request import Judged, Problems

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}\Z")
_CUSTOM = {
    "allowed_callers",
    "cache_control",
    "defer_loading",
    "description",
    "eager_input_streaming",
    "input_examples",
    "input_schema",
    "name",
    "strict",
    "type",
}
_SERVER_TOOL = re.compile(
    r"(web_search|web_fetch|code_execution|bash|text_editor|memory|computer|advisor"
    r"|tool_search_tool_regex|tool_search_tool_bm25)_20\d{6}\Z"
)
_COMBINERS = ("oneOf", "allOf", "anyOf")


@lru_cache(maxsize=2048)
def _schema_problem(encoded: str) -> str | None:
    try:
        jsonschema.Draft202012Validator.check_schema(json.loads(encoded))
    except jsonschema.SchemaError:
        return (
            "JSON schema is invalid. It must match JSON Schema draft 2020-12 "
            "(https://json-schema.org/draft/2020-12)."
        )
    return None


def tools(request: Judged) -> Problems:
    """Every definition is complete, names are unique, not all are deferred."""
    listed = request.body.get("tools")
    if listed is None:
        return
    if not isinstance(listed, list):
        yield "tools: Input should be a valid array"
        return
    seen: set[str] = set()
    for index, tool in enumerate(listed):
        if not isinstance(tool, dict):
            yield f"tools.{index}: Input should be an object"
            continue
        yield from _definition(f"tools.{index}", tool)
        name = tool.get("name")
        if name in seen:
            yield "tools: Tool names must be unique."
        seen.add(str(name))
    if listed and all(tool.get("defer_loading") for tool in listed if isinstance(tool, dict)):
        yield "At least one tool must have defer_loading=false."


def _definition(path: str, tool: dict[str, Any]) -> Problems:
    kind = tool.get("type") or "custom"
    if kind != "custom":
        if not _SERVER_TOOL.match(str(kind)):
            yield f"{path}: Input tag '{kind}' found using 'type' does not match any expected tag"
        return
    path = f"{path}.custom"
    name = tool.get("name")
    if not isinstance(name, str) or not NAME.match(name):
        yield f"{path}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    schema = tool.get("input_schema")
    if not isinstance(schema, dict):
        yield f"{path}.input_schema: Field required"
    elif schema.get("type") != "object":
        yield f"{path}.input_schema.type: Input should be 'object'"
    elif any(word in schema for word in _COMBINERS):
        yield f"{path}.input_schema: does not support oneOf, allOf, or anyOf at the top level"
    elif problem := _schema_problem(json.dumps(schema)):
        yield f"{path}.input_schema: {problem}"
    if not isinstance(tool.get("description", ""), str):
        yield f"{path}.description: Input should be a valid string"
    for extra in tool.keys() - _CUSTOM:
        yield f"{path}.{extra}: Extra inputs are not permitted"


def system(request: Judged) -> Problems:
    """A string or text blocks with text."""
    value = request.body.get("system")
    if value is None or isinstance(value, str):
        return
    if not isinstance(value, list):
        yield "system: Input should be a valid string or array"
        return
    for index, block in enumerate(value):
        if not isinstance(block, dict) or block.get("type") != "text":
            yield f"system.{index}.type: Input should be 'text'"
        elif not isinstance(block.get("text"), str):
            yield f"system.{index}.text: Field required"
        elif not block["text"]:
            yield "system: text content blocks must be non-empty"
        else:
            for extra in block.keys() - {"type", "text", "cache_control", "citations"}:
                yield f"system.{index}.{extra}: Extra inputs are not permitted"


RULES = (tools, system)
