"""How fast hames starts, and how much memory one short run takes."""

import statistics
import subprocess
import threading
import time
from pathlib import Path

from benchmarks.measure import Bench, Row, by_turns
from benchmarks.sessions import Place, place
from support.fake_api.turns import turn

FLOOR = Path(__file__).with_name("floor.py")
SAMPLE_SECONDS = 0.004


def rows(bench: Bench) -> list[Row]:
    """`--version`, `--help`, the first request, and the memory of `-p hi`."""
    with place(bench, "start") as here:
        return [*_without_request(bench, here), _first_request(bench, here), _memory(bench, here)]


def _without_request(bench: Bench, here: Place) -> list[Row]:
    def seconds(*argv: str | Path) -> float:
        began = here.run(argv)
        return time.monotonic() - began

    found = by_turns(
        {
            "floor": lambda: seconds(bench.python, "-c", "pass"),
            "version": lambda: seconds(bench.hames, "--version"),
            "help": lambda: seconds(bench.hames, "--help"),
        },
        bench.rounds(40),
    )
    floor = found["floor"] * 1000
    note = "python -c pass"
    return [
        Row("hames --version", found["version"] * 1000, "ms", floor, 3.0, note),
        Row("hames --help", found["help"] * 1000, "ms", floor, 6.0, note),
    ]


def _first_request(bench: Bench, here: Place) -> Row:
    def seconds(*argv: str | Path) -> float:
        here.api.reply(turn("Hello."))
        before = len(here.api.calls)
        began = here.run(argv)
        return here.api.calls[before].first_byte - began

    found = by_turns(
        {
            "floor": lambda: seconds(bench.python, FLOOR, here.api.url),
            "hames": lambda: seconds(bench.hames, "-p", "hi"),
        },
        bench.rounds(30),
    )
    value, floor = found["hames"] * 1000, found["floor"] * 1000
    return Row("first request", value, "ms", floor, 1.3, "click + httpx2, one request")


def _memory(bench: Bench, here: Place) -> Row:
    peaks: list[float] = []
    for _ in range(bench.rounds(5)):
        here.api.reply(turn("Hello."))
        peaks.append(peak_rss([str(bench.hames), "-p", "hi"], here))
    return Row("peak RSS of -p hi", statistics.median(peaks) / 1e6, "MB", limit=60)


def peak_rss(argv: list[str], here: Place) -> float:
    """The largest sum of resident bytes that the process and its descendants have at once."""
    child = subprocess.Popen(
        argv, cwd=here.project, env=here.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0
    ended = threading.Event()

    def sample() -> None:
        nonlocal peak
        while not ended.wait(SAMPLE_SECONDS):
            peak = max(peak, sum(_rss(pid) for pid in _tree(child.pid)))

    watcher = threading.Thread(target=sample)
    watcher.start()
    code = child.wait()
    ended.set()
    watcher.join()
    if code != 0:
        raise SystemExit(f"{argv} failed with exit code {code}")
    return peak


def _tree(pid: int) -> list[int]:
    """The process and its descendants; a fork that still shares our memory counts once."""
    found, command = [pid], _read(f"/proc/{pid}/cmdline")
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _read(str(tasks)).split():
            if _read(f"/proc/{child}/cmdline") != command:
                found += _tree(int(child))
    return found


def _read(path: str) -> str:
    """What the kernel tells of a process; "" when it is gone."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _rss(pid: int) -> int:
    fields = _read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * 4096 if fields else 0
