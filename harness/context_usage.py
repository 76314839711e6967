"""What fills the context window of a session, in the shape of the control protocol."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hames.harness.context_report import (
    ContextReport,
    Item,
    Layer,
    chars_per_token,
    context_report,
    report_chart,
    report_json,
)
from hames.harness.errors import HamesError
from hames.harness.library import Library
from hames.harness.models import catalog
from hames.harness.models.port import ModelClient
from hames.harness.prompt_files import prompt_section
from hames.harness.reminders import one_line
from hames.harness.request import encode
from hames.harness.runner import Runner
from hames.system.types import JsonObject, is_object

if TYPE_CHECKING:
    from hames.settings.memory_files import MemoryFile

NAME = 40
"""Characters of the name of a system block."""

COLUMNS = 20
SQUARES = 200
_COLORS = {
    "System prompt": "blue",
    "Tools": "cyan",
    "Memory": "orange",
    "Skills": "yellow",
    "Messages": "purple",
    "Free": "gray",
}
_UNCOUNTED = ("max_tokens", "stream")
_INPUT_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


async def context_usage(runner: Runner, library: Library, client: ModelClient) -> JsonObject:
    """Categories, totals and a grid, scaled by the usage of the last response or by a count."""
    report, usage = await report_of(runner, library, client)
    return {
        "categories": [
            {"name": row.name, "tokens": row.tokens, "color": _COLORS.get(row.name, "gray")}
            for row in report.rows
        ],
        "totalTokens": report.used,
        "maxTokens": report.window,
        "rawMaxTokens": report.window,
        "percentage": round(100 * report.used / report.window, 1),
        "gridRows": _grid(report),
        "model": report.model,
        "memoryFiles": _memory_rows(report, library),
        "mcpTools": [],
        "agents": [],
        "systemTools": [
            {"name": name, "tokens": tokens}
            for row in report.rows
            if row.name == "Tools"
            for name, tokens in row.items
        ],
        "isAutoCompactEnabled": False,
        "apiUsage": usage,
    }


async def context_layers(runner: Runner, library: Library, client: ModelClient) -> JsonObject:
    """The layers with their items as `report`, and as a `chart` for people."""
    report, _ = await report_of(runner, library, client)
    return {"report": report_json(report), "chart": report_chart(report, details=True)}


async def report_of(
    runner: Runner, library: Library, client: ModelClient
) -> tuple[ContextReport, JsonObject | None]:
    """The layers of the next request, and the usage of the last response.

    Before the first response the service is asked to count, where it does.
    """
    conversation = runner.agent.conversation
    prefix, tools = conversation.prefix, conversation.options.tools
    system = prefix.system if prefix is not None else ()
    tools = prefix.tools if prefix is not None else tools
    messages = conversation.record.messages
    memory = tuple(Item(str(file.path), len(file.text)) for file in _shown(library, messages))
    skills = tuple(Item(name, len(line)) for name, line in _listed(messages))
    others = _size(messages) - sum(item.chars for item in (*memory, *skills))
    layers = (
        Layer("System prompt", _system_items(system)),
        Layer("Tools", tuple(Item(str(tool["name"]), len(encode(tool))) for tool in tools)),
        Layer("Memory", memory),
        Layer("Skills", skills),
        Layer("Messages", (Item("messages", max(0, others)),) if messages else ()),
    )
    usage = _last_usage(conversation.record.entries)
    if usage is not None:
        sent = sum(int(usage.get(key) or 0) for key in _INPUT_KEYS)
    else:
        sent = await _counted(runner, client)
    choice = catalog.resolve(conversation.models[0], runner.services.env)
    model = catalog.find(choice.id)
    window = catalog.context_window(model, runner.services.env, long_context=choice.long_context)
    ratio = chars_per_token(sum(layer.chars for layer in layers), sent)
    return context_report(choice.id, window, layers, ratio=ratio), usage


async def _counted(runner: Runner, client: ModelClient) -> int:
    """The tokens of the next request as the service counts them; 0 when it does not."""
    conversation = runner.agent.conversation
    if conversation.prefix is None:
        return 0
    body = json.loads(conversation.build(conversation.models[0]).body)
    counted = {key: value for key, value in body.items() if key not in _UNCOUNTED}
    try:
        return await client.count_tokens(encode(counted)) or 0
    except HamesError:  # there is no credential
        return 0


def _system_items(system: Sequence[JsonObject]) -> tuple[Item, ...]:
    """The blocks by the heading that each begins with."""
    names = [str(block.get("text", "")).partition("\n")[0].lstrip("# ") for block in system]
    return tuple(
        Item(name if len(name) <= NAME else f"{name[:NAME]}…", len(encode(block)))
        for name, block in zip(names, system, strict=True)
    )


def _shown(library: Library, messages: Sequence[JsonObject]) -> "list[MemoryFile]":
    """The instruction files that the first message holds."""
    if not messages:
        return []
    first = "\n".join(str(block.get("text", "")) for block in messages[0]["content"])
    memory = library.memory
    index, _ = library.read_index()
    files = [*(memory.files if memory is not None else ()), *([index] if index else [])]
    return [file for file in files if f"Contents of {one_line(file.path)} " in first]


def _listed(messages: Sequence[JsonObject]) -> list[tuple[str, str]]:
    """The lines of the skill listing of the first message, by name."""
    head = prompt_section("reminders", "skills")
    blocks: list[JsonObject] = messages[0]["content"] if messages else []
    for block in blocks:
        text = str(block.get("text", ""))
        if head in text:
            lines = [line for line in text.split("\n") if line.startswith("- ")]
            return [(line[2:].partition(": ")[0], line) for line in lines]
    return []


def _memory_rows(report: ContextReport, library: Library) -> list[JsonObject]:
    memory = library.memory
    kinds = {str(file.path): file.kind for file in memory.files} if memory is not None else {}
    return [
        {"path": path, "type": kinds.get(path, "auto").capitalize(), "tokens": tokens}
        for row in report.rows
        if row.name == "Memory"
        for path, tokens in row.items
    ]


def _size(parts: Iterable[JsonObject]) -> int:
    return sum(len(encode(part)) for part in parts)


def _last_usage(entries: Iterable[JsonObject]) -> JsonObject | None:
    found: JsonObject | None = None
    for entry in entries:
        message = entry.get("message") if entry.get("type") == "assistant" else None
        if is_object(message) and message.get("model") != "<synthetic>":
            usage = message.get("usage")
            found = usage if is_object(usage) else found
    return found


def _grid(report: ContextReport) -> list[list[JsonObject]]:
    """The window as squares of equal size in the order of the request; small parts get one."""
    squares: list[JsonObject] = []
    for row in report.rows:
        square: JsonObject = {
            "color": _COLORS.get(row.name, "gray"),
            "isFilled": row.name != "Free",
            "categoryName": row.name,
            "tokens": row.tokens,
            "percentage": round(100 * row.share),
            "squareFullness": 1.0,
        }
        squares += [square] * max(round(row.share * SQUARES), 1 if row.tokens else 0)
    return [squares[at : at + COLUMNS] for at in range(0, SQUARES, COLUMNS)]
