"""What hooks cost a run: none, one `true` before each call, one `true` before the prompt."""

import json
import statistics

from benchmarks.measure import Bench, Row, by_turns
from benchmarks.sessions import Place, calling, own_times, place
from hames.system.types import JsonObject
from support.fake_api.turns import tool_use, turn

TURNS = 10
TRUE: JsonObject = {"hooks": [{"type": "command", "command": "true"}]}


def rows(bench: Bench) -> list[Row]:
    """Own time of a turn with and without a hook, and the time to the first request."""
    with place(bench, "hooks") as here:
        found = by_turns(
            {
                "none": lambda: _turn(bench, here, {}),
                "other": lambda: _turn(bench, here, {"PreToolUse": [{**TRUE, "matcher": "Edit"}]}),
                "one": lambda: _turn(bench, here, {"PreToolUse": [TRUE]}),
                "start": lambda: _start(bench, here, {}),
                "late": lambda: _start(bench, here, {"PreToolUse": [TRUE], "Stop": [TRUE]}),
                "prompt": lambda: _start(bench, here, {"UserPromptSubmit": [TRUE]}),
            },
            bench.rounds(5),
        )
    return [
        _more("turn with a hook for another tool", found["other"], found["none"], 3),
        _more("turn with one `true` hook", found["one"], found["none"], 12),
        _more("start with hooks of later events", found["late"], found["start"], 5),
        _more("start with one `true` prompt hook", found["prompt"], found["start"], None),
    ]


def _more(name: str, value: float, baseline: float, allowed: float | None) -> Row:
    """A row whose goal is at most `allowed` milliseconds above the baseline."""
    limit = None if allowed is None else (baseline + allowed) / baseline
    return Row(name, value, "ms", baseline, limit, "without hooks")


def _hooks_are(here: Place, hooks: JsonObject) -> None:
    path = here.project / ".claude" / "settings.local.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def _turn(bench: Bench, here: Place, hooks: JsonObject) -> float:
    """Median own time of the turns after the first, in milliseconds."""
    _hooks_are(here, hooks)
    call = tool_use("Read", {"file_path": str(here.project / "service.py")})
    requests = here.requests((bench.hames, "-p", "read"), *calling([call], TURNS))
    return statistics.median(own_times(requests)[1:]) * 1000


def _start(bench: Bench, here: Place, hooks: JsonObject) -> float:
    """From the start of the process to the first byte of its request, in milliseconds."""
    _hooks_are(here, hooks)
    here.api.reply(turn("Done."))
    began = here.run((bench.hames, "-p", "hello"))
    return (here.api.calls[-1].first_byte - began) * 1000
