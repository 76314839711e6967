"""What fills the context window of a session, in the shape of the control protocol."""

from collections.abc import Iterable

from hames.harness.context_report import (
    ContextReport,
    Item,
    Layer,
    chars_per_token,
    context_report,
)
from hames.harness.models import catalog
from hames.harness.request import encode
from hames.harness.runner import Runner
from hames.system.types import JsonObject, is_object

COLUMNS = 20
SQUARES = 200
_COLORS = {"System prompt": "blue", "Tools": "cyan", "Messages": "purple", "Free": "gray"}
_INPUT_KEYS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def context_usage(runner: Runner) -> JsonObject:
    """Categories, totals and a grid; estimates, scaled by the usage of the last response."""
    report, usage = _report(runner)
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
        "memoryFiles": [],
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


def _report(runner: Runner) -> tuple[ContextReport, JsonObject | None]:
    conversation = runner.agent.conversation
    prefix, tools = conversation.prefix, conversation.options.tools
    system = prefix.system if prefix is not None else ()
    tools = prefix.tools if prefix is not None else tools
    messages = conversation.record.messages
    layers = (
        Layer("System prompt", (Item("system", _size(system)),) if system else ()),
        Layer("Tools", tuple(Item(str(tool["name"]), len(encode(tool))) for tool in tools)),
        Layer("Messages", (Item("messages", _size(messages)),) if messages else ()),
    )
    usage = _last_usage(conversation.record.entries)
    sent = sum(int(usage.get(key) or 0) for key in _INPUT_KEYS) if usage is not None else 0
    choice = catalog.resolve(conversation.models[0], runner.services.env)
    model = catalog.find(choice.id)
    window = catalog.context_window(model, runner.services.env, long_context=choice.long_context)
    ratio = chars_per_token(sum(layer.chars for layer in layers), sent)
    return context_report(choice.id, window, layers, ratio=ratio), usage


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
