"""Bounds in seconds for tests on shared machines; `HAMES_TEST_PATIENCE=1` makes them strict."""

import os

FACTOR = float(os.environ.get("HAMES_TEST_PATIENCE", "10"))


def bound(seconds: float) -> float:
    """How long something may take here that takes `seconds` on a quiet machine.

    Only for work whose wrong form would wait for very much longer; speed is for benchmarks.
    """
    return seconds * FACTOR
