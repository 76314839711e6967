"""`python -m benchmarks [NAME ...]`: measure an installed hames and compare it with baselines.

Exit code 1 when a goal is missed.
"""

import argparse
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "build" / "src"), str(ROOT / "tests")]

from benchmarks.install import install  # noqa: E402 - the path is set above
from benchmarks.measure import Bench, Row, as_json, table  # noqa: E402 - the path is set above

NAMES = ("start", "client_door", "turns", "hooked_turns", "commands")


def main() -> int:
    """Run the benchmarks that were named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--quick", action="store_true", help="few rounds")
    parser.add_argument("--json", action="store_true", help="print one JSON array")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(NAMES)}")
    programs = install(ROOT / ".bench")
    rows: list[Row] = []
    for name in options.names or NAMES:
        with tempfile.TemporaryDirectory(prefix="hames-bench-") as folder:
            bench = Bench(programs / "python", programs / "hames", Path(folder), options.quick)
            found = import_module(f"benchmarks.{name}").rows(bench)
        rows += found
        if not options.json:
            sys.stdout.write(f"{name}\n{table(found)}\n")
            sys.stdout.flush()
    if options.json:
        sys.stdout.write(json.dumps([as_json(row) for row in rows]) + "\n")
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
