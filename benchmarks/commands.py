"""Calls side by side, and output of which only a little is wanted."""

import json
import statistics

from benchmarks.measure import Bench, Row
from benchmarks.sessions import Place, calling, own_times, place
from benchmarks.start import peak_rss
from support.fake_api.turns import Block, tool_use, turn

SIDE_BY_SIDE = 10
PYTHON_SLEEP = "python3 -c 'import time; time.sleep(.5)'"
BIG = 100_000_000
LINES = 50_000_000


def rows(bench: Bench) -> list[Row]:
    """Ten commands at once, a command that prints 100 MB, a Read of 50 MB."""
    with place(bench, "commands") as here:
        return [*_parallel(bench, here), *_big_command(bench, here), *_big_read(bench, here)]


def _bash(command: str) -> Block:
    return tool_use("Bash", {"command": command})


def _gap(bench: Bench, here: Place, blocks: list[Block], *flags: str) -> float:
    """Seconds from the answer with the calls to the request with their results."""
    argv = (bench.hames, "-p", "go", "--permission-mode", "bypassPermissions", *flags)
    (seconds,) = own_times(here.requests(argv, *calling(blocks, 1)))
    return seconds


def _parallel(bench: Bench, here: Place) -> list[Row]:
    def median(command: str, choice: str) -> float:
        flags = ("--settings", json.dumps({"hames": {"dispatch": {"parallelCommands": choice}}}))
        blocks = [_bash(command) for _ in range(SIDE_BY_SIDE)]
        return statistics.median(_gap(bench, here, blocks, *flags) for _ in range(bench.rounds(5)))

    serial = _gap(bench, here, [_bash(PYTHON_SLEEP) for _ in range(SIDE_BY_SIDE)])
    return [
        Row("10 x sleep 0.5", median("sleep 0.5", "readOnly") * 1000, "ms", limit=600),
        Row("10 x python sleep, all", median(PYTHON_SLEEP, "all") * 1000, "ms", limit=1000),
        Row("10 x python sleep, readOnly", serial * 1000, "ms", note="one after the other"),
    ]


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
