"""`hames prompt`: the exact first request of a session that starts here, with its cache marks."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import click

from hames.cli.first_turn import described, first_turn_command
from hames.system.text import visible
from hames.system.types import JsonObject

HELP = """Print the first request of a session that starts here, as it would be sent. Takes the
flags of a run and a prompt; nothing is sent."""
WIDTH = 72


def show(as_json: bool, **given: Any) -> int:
    """Print the body: as it is, or for people."""
    body = asyncio.run(described(given, "request"))["body"]
    click.echo(body if as_json else "\n".join(_lines(json.loads(body), len(body.encode("utf-8")))))
    return 0


def _lines(body: JsonObject, size: int) -> Iterator[str]:
    """Every part under a line that names it, tells its size and whether a cache mark ends it."""
    large = ("system", "tools", "messages")
    yield f"{size:,} bytes; " + json.dumps({k: v for k, v in body.items() if k not in large})
    tools: list[JsonObject] = body.get("tools", [])
    yield _rule("tools", len(json.dumps(tools)), marked=False)
    yield from (f"{tool['name']}: {_first_line(tool)}" for tool in tools)
    for number, block in enumerate(body.get("system", []), 1):
        yield from _block(f"system {number}", block)
    for number, message in enumerate(body["messages"], 1):
        for part, block in enumerate(message["content"], 1):
            yield from _block(f"message {number}.{part}, {message['role']}", block)


def _block(name: str, block: JsonObject) -> Iterator[str]:
    text = block.get("text")
    shown = text if isinstance(text, str) else json.dumps(block)
    yield _rule(name, len(shown), marked="cache_control" in block)
    yield visible(shown)


def _rule(name: str, size: int, *, marked: bool) -> str:
    head = f"----- {name}, {size:,} characters"
    return f"{head}{', cache mark at its end' if marked else ''} ".ljust(WIDTH, "-")


def _first_line(tool: JsonObject) -> str:
    return str(tool.get("description", "")).partition("\n")[0]


command = first_turn_command("prompt", HELP, show)
