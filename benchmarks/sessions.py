"""Runs of `hames -p` against the fake API, and the times between its requests."""

import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Bench
from benchmarks.project import environment, make_project
from support.fake_api.record import RecordedRequest
from support.fake_api.thread import FakeApiThread, running_fake_api
from support.fake_api.turns import Block, Delivery, Reply, turn


class Place(NamedTuple):
    """A project, the fake API and the variables for a hames that runs there."""

    project: Path
    api: FakeApiThread
    env: dict[str, str]

    def run(self, argv: Sequence[str | Path]) -> float:
        """Run a program in the project; `time.monotonic()` of its start."""
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in argv], cwd=self.project, env=self.env, capture_output=True
        )
        if done.returncode != 0:
            raise SystemExit(f"{argv[0]} failed: {done.stderr.decode()}{done.stdout.decode()}")
        return began

    def requests(self, argv: Sequence[str | Path], *replies: Reply) -> list[RecordedRequest]:
        """The requests that one run sends; each is answered by the next reply."""
        before = len(self.api.calls)
        self.api.reply(*replies)
        self.run(argv)
        return self.api.calls[before:]


@contextmanager
def place(bench: Bench, name: str) -> Generator[Place]:
    """A fresh place in the folder of the benchmark."""
    folder = bench.folder / name
    folder.mkdir()
    with running_fake_api() as api:
        yield Place(make_project(folder), api, dict(environment(folder, api.url)))


def own_times(requests: Sequence[RecordedRequest]) -> list[float]:
    """Seconds from the last byte of each answer to the first byte of the next request."""
    pairs = zip(requests, requests[1:], strict=False)
    return [later.first_byte - earlier.answer_last for earlier, later in pairs]


def calling(blocks: Sequence[Block], times: int, *, seconds: float = 0.0) -> list[Reply]:
    """`times` answers with the same calls, ids apart, and a last one that ends the turn.

    Each answer takes about `seconds`, spread over its events.
    """
    delivery = Delivery(delay=seconds / (3 + 3 * len(blocks)))
    answers = [
        turn(*(_fresh(block, number) for block in blocks), delivery=delivery)
        for number in range(times)
    ]
    return [*answers, turn("Done.")]


def _fresh(block: Block, number: int) -> Block:
    return {**block, "id": f"{block['id']}_{number}"}
