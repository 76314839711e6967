"""Times by turns, medians, and the table that a run prints."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """One measure of hames, beside the `baseline` of the same run when there is one.

    `limit` is the goal: of the ratio when `baseline` is set, else of `value`. `unit` is that of
    both numbers.
    """

    name: str
    value: float
    unit: str
    baseline: float | None = None
    limit: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """`value` as a multiple of the baseline."""
        return None if not self.baseline else self.value / self.baseline

    @property
    def holds(self) -> bool:
        """Whether the goal is met; True without one."""
        judged = self.value if self.baseline is None else self.ratio
        return self.limit is None or judged is None or judged <= self.limit


class Bench(NamedTuple):
    """What a benchmark works with: an installed hames and a folder of its own.

    `python` and `hames` are programs of the fresh environment; `quick` asks for few rounds.
    """

    python: Path
    hames: Path
    folder: Path
    quick: bool

    def rounds(self, many: int) -> int:
        """How often to repeat what is repeated `many` times in a full run."""
        return max(3, many // 5) if self.quick else many


def by_turns(subjects: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of each subject; they run one after the other in every round.

    A first round warms caches and is not counted.
    """
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for number in range(rounds + 1):
        for name, subject in subjects.items():
            value = subject()
            if number:
                taken[name].append(value)
    return {name: statistics.median(values) for name, values in taken.items()}


def table(rows: Sequence[Row]) -> str:
    """The rows as plain text."""
    lines = [("", "hames", "baseline", "ratio", "goal", "")]
    lines += [_cells(row) for row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "".join(
        line[0].ljust(widths[0])
        + "".join(
            f"  {cell.rjust(width)}" for cell, width in zip(line[1:5], widths[1:5], strict=True)
        )
        + f"  {line[5]}".rstrip()
        + "\n"
        for line in lines
    )


def as_json(row: Row) -> dict[str, object]:
    """A row for programs."""
    return {**row._asdict(), "ratio": row.ratio, "holds": row.holds}


def _cells(row: Row) -> tuple[str, str, str, str, str, str]:
    baseline = "" if row.baseline is None else f"{row.baseline:.1f} {row.unit}"
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
    unit = row.unit if row.baseline is None else "x"
    goal = "" if row.limit is None else f"{row.limit:g} {unit}"
    verdict = "" if row.holds else "ABOVE THE GOAL"
    return row.name, f"{row.value:.1f} {row.unit}", baseline, ratio, goal, f"{verdict} {row.note}"
