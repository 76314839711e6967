"""How fast a program that starts hames gets the answer to `initialize`."""

import json
import subprocess
import time
from pathlib import Path

from benchmarks.measure import Bench, Row, by_turns
from benchmarks.sessions import Place, place
from support.fake_api.turns import turn

FLOOR = Path(__file__).with_name("floor.py")
ARGUMENTS = ("--output-format", "stream-json", "--verbose", "--input-format", "stream-json")
INITIALIZE = {
    "type": "control_request",
    "request_id": "req_1",
    "request": {"subtype": "initialize", "hooks": None},
}


def rows(bench: Bench) -> list[Row]:
    """From the start of the process to the answer."""
    with place(bench, "client_door") as here:
        return [_initialize(bench, here)]


def _initialize(bench: Bench, here: Place) -> Row:
    def floor() -> float:
        here.api.reply(turn("Hello."))
        before = len(here.api.calls)
        began = here.run((bench.python, FLOOR, here.api.url))
        return here.api.calls[before].first_byte - began

    found = by_turns(
        {"floor": floor, "hames": lambda: _seconds(bench.hames, here)}, bench.rounds(30)
    )
    value, limit = found["hames"] * 1000, found["floor"] * 1000
    return Row("initialize answered", value, "ms", limit, 1.3, "click + httpx2, one request")


def _seconds(hames: Path, here: Place) -> float:
    began = time.monotonic()
    with subprocess.Popen(
        [hames, *ARGUMENTS],
        cwd=here.project,
        env=here.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        while b'"control_response"' not in process.stdout.readline():
            pass
        taken = time.monotonic() - began
        process.stdin.close()
        process.wait(30)
    return taken
