"""Calls side by side, and output of which only a little is wanted."""

import json
import statistics
import subprocess
import time

from benchmarks.measure import Bench, Row
from benchmarks.sessions import Place, calling, own_times, place
from benchmarks.start import peak_rss
from support.fake_api.turns import Block, tool_use, turn

SIDE_BY_SIDE = 10
PYTHON_SLEEP = "python3 -c 'import time; time.sleep(.5)'"
BIG = 100_000_000
LINES = 50_000_000
ANSWER_SECONDS = 0.4
"""A short answer of a real model; what the first call needs is loaded meanwhile."""


def rows(bench: Bench) -> list[Row]:
    """The first call, ten commands at once, a command that prints 100 MB, a Read of 50 MB."""
    with place(bench, "commands") as here:
        return [
            *_first_call(bench, here),
            *_parallel(bench, here),
            *_big_command(bench, here),
            *_big_read(bench, here),
        ]


def _bash(command: str) -> Block:
    return tool_use("Bash", {"command": command})


def _gap(bench: Bench, here: Place, blocks: list[Block], *flags: str) -> float:
    """Seconds from the answer with the calls to the request with their results."""
    argv = (bench.hames, "-p", "go", "--permission-mode", "bypassPermissions", *flags)
    replies = calling(blocks, 1, seconds=ANSWER_SECONDS)
    (seconds,) = own_times(here.requests(argv, *replies))
    return seconds


def _first_call(bench: Bench, here: Place) -> list[Row]:
    """What the first call of a session costs when the model answers at once, and in time."""
    call = tool_use("Read", {"file_path": str(here.project / "service.py")})
    argv = (bench.hames, "-p", "go")

    def median(seconds: float) -> float:
        taken = (
            own_times(here.requests(argv, *calling([call], 1, seconds=seconds)))[0]
            for _ in range(bench.rounds(10))
        )
        return statistics.median(taken) * 1000

    return [
        Row("first call, answer at once", median(0.0), "ms", note="loads its modules"),
        Row(f"first call, answer in {ANSWER_SECONDS} s", median(ANSWER_SECONDS), "ms"),
    ]


def _parallel(bench: Bench, here: Place) -> list[Row]:
    def median(command: str, choice: str) -> float:
        flags = ("--settings", json.dumps({"hames": {"dispatch": {"parallelCommands": choice}}}))
        blocks = [_bash(command) for _ in range(SIDE_BY_SIDE)]
        return statistics.median(_gap(bench, here, blocks, *flags) for _ in range(bench.rounds(5)))

    serial = _gap(bench, here, [_bash(PYTHON_SLEEP) for _ in range(SIDE_BY_SIDE)])
    return [
        Row("10 x sleep 0.5", median("sleep 0.5", "readOnly") * 1000, "ms", limit=600),
        Row(
            "10 x python sleep, all",
            *(median(PYTHON_SLEEP, "all") * 1000, "ms", _plainly(here, PYTHON_SLEEP) * 1000, 1.3),
            "the same without hames",
        ),
        Row("10 x python sleep, readOnly", serial * 1000, "ms", note="one after the other"),
    ]


def _plainly(here: Place, command: str) -> float:
    """Seconds that shells with the same commands take side by side."""
    began = time.monotonic()
    shells = [
        subprocess.Popen(("bash", "-c", command), cwd=here.project, env=here.env)
        for _ in range(SIDE_BY_SIDE)
    ]
    for shell in shells:
        shell.wait()
    return time.monotonic() - began


def _big_command(bench: Bench, here: Place) -> list[Row]:
    began, ended = here.project / "began", here.project / "ended"
    command = f"date +%s.%N >{began}; yes 0123456789 | head -c {BIG}; date +%s.%N >{ended}"

    def own() -> float:
        gap = _gap(bench, here, [_bash(command)])
        inside = float(ended.read_text()) - float(began.read_text())
        return gap - inside

    seconds = statistics.median(own() for _ in range(bench.rounds(5)))
    return [
        Row("command that prints 100 MB", seconds * 1000, "ms", limit=300, note="own time"),
        Row("peak RSS with it", _peak(bench, here, _bash(command)), "MB", limit=120),
    ]


def _big_read(bench: Bench, here: Place) -> list[Row]:
    file = here.project / "big.log"
    line = "0123456789" * 10 + "\n"
    file.write_text(line * (LINES // len(line)), encoding="utf-8")
    call = tool_use("Read", {"file_path": str(file)})
    seconds = statistics.median(_gap(bench, here, [call]) for _ in range(bench.rounds(5)))
    return [
        Row("Read of a 50 MB file", seconds * 1000, "ms", limit=100, note="own time"),
        Row("peak RSS with it", _peak(bench, here, call), "MB", limit=120),
    ]


def _peak(bench: Bench, here: Place, call: Block) -> float:
    """Megabytes of the whole tree; the command's own few are in it."""
    here.api.reply(turn(call), turn("Done."))
    argv = [str(bench.hames), "-p", "go", "--permission-mode", "bypassPermissions"]
    return peak_rss(argv, here) / 1e6
