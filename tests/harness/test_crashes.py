"""kill -9 at any moment: the session goes on, nothing is lost, nothing runs twice."""

import json
import os
import random
import subprocess
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import FakeApiThread, RecordedRequest, Turn, running_fake_api, tool_use, turn
from support.run import Running, run_hames, session_files

KILLS = int(os.environ.get("HAMES_KILLS", "30"))
CALLS = 40
FLAGS = (
    *("--allowedTools", "Bash", "Edit"),
    *("--settings", '{"hames": {"dispatch": {"parallelCommands": "all"}}}'),
)


@dataclass
class Model:
    """Asks for four calls that nobody asked for before, until there were enough.

    A command outlives its killed hames, so every session marks its own.
    """

    session: int = 0

    def __call__(self, request: RecordedRequest) -> Turn:
        made = len(request.blocks("tool_use"))
        if made >= CALLS:
            return turn("All done.")
        calls = [
            tool_use(
                "Bash",
                {"command": f"echo {self.session}-{n} >> log; echo out-{n}"},
                id=f"toolu_{n:04d}",
            )
            for n in range(made, made + 4)
        ]
        return turn("Four more.", *calls)


def stored_results(path: Path) -> dict[str, Any]:
    """The results in a transcript, by call; a line torn by the kill is none."""
    found: dict[str, Any] = {}
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "toolUseResult" in entry:
            block = entry["message"]["content"][0]
            found[block["tool_use_id"]] = block["content"]
    return found


def requests_of(api: FakeApiThread, prompt: str, count: int) -> list[RecordedRequest]:
    """The requests of one run, once there are so many; a killed run may still have one coming."""
    while True:
        seen = len(api.requests)
        found = [r for r in api.calls if prompt in json.dumps(r.messages)]
        if len(found) >= count:
            return found
        api.wait_for_requests(seen + 1, 30)


def kill_and_check(
    api: FakeApiThread, before: dict[str, Any], rounds: int, moment: float
) -> dict[str, Any]:
    """Go on with the newest session, kill it, and compare with what was stored before."""
    prompt = f"go on {uuid.uuid4().hex}"
    goes_on = ("-c",) if session_files() else ()
    with Running("-p", prompt, *goes_on, *FLAGS, url=api.url) as run:
        first = requests_of(api, prompt, 1 + rounds)[0]
        try:
            run.process.wait(moment)
        except subprocess.TimeoutExpired:
            run.process.kill()
        run.process.wait()
    results = first.results
    assert {call: results[call]["content"] for call in before} == before
    assert set(results) == {b["id"] for b in first.blocks("tool_use")}
    return stored_results(session_files()[-1])


@pytest.mark.fault
@pytest.mark.timeout(900)
def test_a_killed_session_goes_on_with_everything_it_had() -> None:
    chance, model = random.Random(7), Model()
    with running_fake_api(script=model) as api:
        stored: dict[str, Any] = {}
        for _ in range(KILLS):
            stored = kill_and_check(api, stored, chance.randint(0, 2), chance.uniform(0.0, 0.1))
            if len(api.calls[-1].blocks("tool_use")) >= CALLS - 12:
                for path in session_files():
                    path.unlink()
                stored = {}
                model.session += 1
        done = run_hames("-p", "to the end", "-c", *FLAGS, url=api.url)
        assert (done.code, done.out) == (0, "All done.\n")
        assert api.refusals == []
    assert model.session >= KILLS // 10
    ran = Counter(Path("log").read_text(encoding="utf-8").split())
    assert set(ran.values()) == {1}
