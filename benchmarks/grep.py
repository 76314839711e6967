"""Time of a Grep call against ripgrep itself over a generated tree: `python benchmarks/grep.py`.

Exit code 1 when the median ratio of a case is above the goal.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hames.tools.context import ToolContext
from hames.tools.grep import Grep, search_options
from hames.tools.ripgrep import Search

GOAL = 1.3
CASES: tuple[dict[str, object], ...] = (
    {"pattern": "needle"},
    {"pattern": "needle", "output_mode": "content", "-C": 2},
    {"pattern": "needle", "output_mode": "count"},
    {"pattern": "no such text"},
    {"pattern": "common", "output_mode": "content"},
    {"pattern": "common", "glob": "*.py"},
)


def make_tree(root: Path, files: int) -> None:
    """`files` small sources, 100 a folder; one in 1,000 holds `needle`, one in 10 `common`."""
    body = "".join(f"def function_{n}(value):\n    return value + {n}\n\n" for n in range(20))
    for number in range(files):
        folder = root / f"d{number // 10_000}" / f"d{number // 100 % 100}"
        if number % 100 == 0:
            folder.mkdir(parents=True)
        extra = "needle\n" * (number % 1000 == 0) + "common words\n" * (number % 10 == 0)
        suffix = ("py", "ts", "md")[number % 3]
        (folder / f"f{number}.{suffix}").write_text(body + extra, encoding="utf-8")


async def ratio(case: dict[str, object], root: Path, rounds: int) -> tuple[float, float]:
    """Median seconds of ripgrep and of Grep, run by turns."""
    tool = Grep()
    args = tool.parse(case)
    spill = root.parent / "spill"
    ctx = ToolContext("bench", root, root, (root,), spill, dict(os.environ), {})
    argv = Search(root, search_options(args)).argv(os.environ)
    plain: list[float] = []
    ours: list[float] = []
    for _ in range(rounds + 1):
        begun = time.perf_counter()
        # The first of both is a warm-up for the file cache.
        subprocess.run(argv, cwd=root, stdout=subprocess.PIPE, check=False)
        middle = time.perf_counter()
        await tool.run(args, ctx)
        plain.append(middle - begun)
        ours.append(time.perf_counter() - middle)
    return statistics.median(plain[1:]), statistics.median(ours[1:])


def main() -> int:
    """Print a line per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "tree"
        make_tree(root, options.files)
        for case in CASES:
            plain, ours = asyncio.run(ratio(case, root, options.rounds))
            worst = max(worst, ours / plain)
            print(f"rg {plain:.3f} s  Grep {ours:.3f} s  ratio {ours / plain:.2f}  {case}")
    print(f"worst {worst:.2f}, goal {GOAL}")
    return 0 if worst <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
