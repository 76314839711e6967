"""Hooks that do not behave: a decision in time, bounded memory, nothing left running."""

import asyncio
import os
import re
import time
from pathlib import Path

import pytest

from hames.hooks.events import pre_tool_use
from hames.hooks.result import Outcome
from support.hook_session import bench, command, context, one, script
from support.patience import bound

HOOKS = {
    "setsid-holds-stdout": """#!/bin/sh
setsid sleep 60 &
echo '{"decision":"block","reason":"no"}'
""",
    "setsid-then-hangs": "#!/bin/sh\nsetsid sleep 60 &\nsleep 60\n",
    "ignores-term": "#!/bin/sh\ntrap '' TERM\nsleep 60\nsleep 60\n",
    "python-ignores-term": """#!/usr/bin/env python3
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    time.sleep(1)
""",
    "prints-100-MB": "#!/bin/sh\nhead -c 104857600 /dev/zero | tr '\\0' 'x'\n",
    "never-reads": '#!/bin/sh\nexec 0<&-\necho \'{"decision":"block","reason":"no"}\'\n',
    "reads-byte-by-byte": """#!/usr/bin/env python3
import os, time
while os.read(0, 1):
    time.sleep(0.001)
""",
    "closes-stdout": "#!/bin/sh\nexec 1>&-\nsleep 60\n",
    "closes-all": "#!/bin/sh\nexec 0<&- 1>&- 2>&-\nsleep 60\n",
    "writes-to-the-terminal": "#!/bin/sh\necho hello > /dev/tty\nexit 0\n",
    "forks-for-ever": "#!/bin/sh\nwhile :; do sleep 60 & sleep 0.01; done\n",
}
BLOCKS = {"setsid-holds-stdout", "never-reads"}
ENDS_BY_ITSELF = {*BLOCKS, "prints-100-MB", "writes-to-the-terminal"}
TIMEOUT = 0.5
INPUT = {"command": "x" * 200_000}


def alive(marker: str) -> list[str]:
    """Processes that were started with `marker` in their environment."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marker.encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_text(encoding="utf-8"))
            except OSError:
                continue
    return found


def peak_memory() -> int:
    """The largest resident size of this process, in KiB."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(r"VmHWM:\s+(\d+)", status)
    assert found is not None
    return int(found[1])


def forget_peak() -> None:
    """Let `peak_memory` start anew from the present size."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def gone(marker: str, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while alive(marker):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def fire(tmp_path: Path, body: str) -> Outcome:
    hook = script(tmp_path, "hook", body)
    made = bench(
        tmp_path, one("PreToolUse", command(str(hook), timeout=TIMEOUT)), MARKER=str(tmp_path)
    )
    event = pre_tool_use("Bash", INPUT, "toolu_1")
    return asyncio.run(made.engine.fire(event, context(tmp_path)))


@pytest.mark.fault
@pytest.mark.parametrize("name", list(HOOKS))
def test_the_decision_comes_in_time_and_nothing_stays(tmp_path: Path, name: str) -> None:
    forget_peak()
    before = peak_memory()
    began = time.monotonic()
    outcome = fire(tmp_path, HOOKS[name])
    took = time.monotonic() - began
    assert took < bound(TIMEOUT + 2)
    assert outcome.blocked is (name in BLOCKS)
    if name not in ENDS_BY_ITSELF:
        assert [run.outcome for run in outcome.runs] == ["cancelled"]
        assert "timed out after 0.5 s" in outcome.notices[0]
    assert gone(f"MARKER={tmp_path}", bound(3.0)), alive(f"MARKER={tmp_path}")
    assert peak_memory() - before < 64 * 1024


def test_a_broken_pipe_is_no_error(tmp_path: Path) -> None:
    outcome = fire(tmp_path, "#!/bin/sh\nexec 0<&-\nexit 0\n")
    assert (outcome.notices, outcome.runs[0].outcome) == ((), "success")


def test_a_megabyte_of_output_is_taken(tmp_path: Path) -> None:
    text = "y" * 1_000_000
    outcome = fire(
        tmp_path,
        "#!/usr/bin/env python3\nimport json\n"
        'print(json.dumps({"decision": "block", "reason": "y" * 1000000}))\n',
    )
    assert outcome.blocked
    assert outcome.reason.startswith("y" * 2000)
    [kept] = (tmp_path / "spill").iterdir()
    assert kept.read_text(encoding="utf-8") == text
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_cancelled_event_ends_its_hooks(tmp_path: Path) -> None:
    hook = script(tmp_path, "hook", "#!/bin/sh\necho up > started\nsleep 60\n")
    made = bench(tmp_path, one("PreToolUse", command(str(hook))), MARKER=str(tmp_path))

    async def interrupted() -> None:
        firing = asyncio.create_task(
            made.engine.fire(pre_tool_use("Bash", {}, "t"), context(tmp_path))
        )
        async with asyncio.timeout(5):
            while not (tmp_path / "work" / "started").exists():
                await asyncio.sleep(0.01)
        firing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await firing

    asyncio.run(interrupted())
    assert gone(f"MARKER={tmp_path}", 3.0)


def test_an_exit_leaves_detached_children_that_do_not_hold_the_output(tmp_path: Path) -> None:
    outcome = fire(tmp_path, "#!/bin/sh\nsetsid sleep 5 >/dev/null 2>&1 &\necho $! > pid\nexit 0\n")
    assert outcome.runs[0].outcome == "success"
    pid = int((tmp_path / "work" / "pid").read_text(encoding="utf-8"))
    os.kill(pid, 9)
