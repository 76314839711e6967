"""Own time of a turn: between the end of an answer and the next request."""

import statistics

from benchmarks.measure import Bench, Row
from benchmarks.sessions import Place, calling, own_times, place
from support.fake_api.turns import tool_use

TURNS = 20
MANY = 300
AROUND = 10
RESULT = 4096


def rows(bench: Bench) -> list[Row]:
    """20 turns of one Read, and what 300 turns with results of 4 KB do to it."""
    with place(bench, "turns") as here:
        return [_per_turn(bench, here), _growth(bench, here)]


def _reading(bench: Bench, here: Place, name: str, times: int) -> list[float]:
    call = tool_use("Read", {"file_path": str(here.project / name)})
    argv = (bench.hames, "-p", "read", "--max-turns", str(times + 1))
    times_between = own_times(here.requests(argv, *calling([call], times)))
    assert len(times_between) == times, "a request is missing"
    return [seconds * 1000 for seconds in times_between]


def _per_turn(bench: Bench, here: Place) -> Row:
    taken = [
        statistics.median(_reading(bench, here, "service.py", TURNS))
        for _ in range(bench.rounds(5))
    ]
    return Row("own time of a turn (one Read)", statistics.median(taken), "ms", limit=8)


def _growth(bench: Bench, here: Place) -> Row:
    lines = "".join(f"{number:060d}\n" for number in range(RESULT // 61))
    (here.project / "page.txt").write_text(lines, encoding="utf-8")
    taken = _reading(bench, here, "page.txt", MANY)
    early = statistics.median(taken[5 : 5 + AROUND])
    late = statistics.median(taken[-AROUND:])
    # 3 ms more are as good as 1.3 times as much.
    limit = max(1.3, (early + 3) / early)
    return Row(f"own time at turn {MANY}", late, "ms", early, limit, "turn 10")
