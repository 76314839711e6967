"""What hooks cost: importing them, an event that concerns none, one that runs `true`.

Run with `python -m benchmarks.hooks`; prints one JSON object, times in the unit of the name.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from hames.hooks.config import parse_hooks
from hames.hooks.context import HookContext, HookSession
from hames.hooks.engine import HookEngine
from hames.hooks.events import pre_tool_use
from hames.hooks.policy import HookPolicy
from hames.hooks.spec import HookSource
from hames.system.types import JsonObject

ROUNDS = 50
MANY = 10_000
EVENT = pre_tool_use("Bash", {"command": "ls"}, "toolu_1")


def engine(folder: Path, hooks: JsonObject) -> HookEngine:
    """An engine whose hooks run in `folder`."""
    session = HookSession("s", folder / "t.jsonl", folder, dict(os.environ), folder / "spill")
    made = HookEngine(session, HookPolicy())
    made.register("settings", parse_hooks(hooks, HookSource("user", "User Settings")).specs)
    return made


def hook(matcher: str, *commands: str) -> JsonObject:
    """PreToolUse hooks with one matcher."""
    handlers = [{"type": "command", "command": command} for command in commands]
    return {"PreToolUse": [{"matcher": matcher, "hooks": handlers}]}


async def seconds(work: Callable[[], Awaitable[object]], rounds: int) -> float:
    """The median of `rounds` runs."""
    taken: list[float] = []
    for _ in range(rounds):
        began = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


async def measure(folder: Path) -> dict[str, float]:
    """All times of firing."""
    context = HookContext(folder)

    async def fired(hooks: JsonObject, rounds: int) -> float:
        made = engine(folder, hooks)
        return await seconds(lambda: made.fire(EVENT, context), rounds)

    sleepers = [f"sleep 0.3 # {number}" for number in range(8)]
    return {
        "no_hook_us": await fired({}, MANY) * 1e6,
        "no_matching_hook_us": await fired(hook("Edit|Write", "true"), MANY) * 1e6,
        "one_true_hook_ms": await fired(hook("Bash", "true"), ROUNDS) * 1e3,
        "eight_sleeping_0.3_s": await fired(hook("Bash", *sleepers), 3),
    }


def import_ms() -> float:
    """Importing the engine after what every session imports anyway."""
    program = (
        "import asyncio, logging, time, ssl, h11, subprocess, urllib.parse, json, pathlib\n"
        "import hames.system.process\nbegan = time.perf_counter()\n"
        "import hames.hooks.engine\nprint((time.perf_counter() - began) * 1e3)"
    )
    taken = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True).stdout)
        for _ in range(9)
    ]
    return statistics.median(taken)


def main() -> None:
    """Print the measures."""
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder)))
    found["import_engine_ms"] = import_ms()
    sys.stdout.write(json.dumps({name: round(value, 3) for name, value in found.items()}) + "\n")


if __name__ == "__main__":
    main()
