"""Children start fast, end when they should, and leave nothing behind."""

import asyncio
import itertools
import os
import signal
import sys
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hames.system.output import FileOutput
from hames.system.process import Child, Command, Exit, Finished, run, start, stream
from hames.system.reap import LINEAGE, marked, sweep
from support.patience import bound
from support.processes import alive, left_after

T = TypeVar("T")
_numbers = itertools.count(1000)


@pytest.fixture
def mark() -> str:
    """A duration for `sleep` that no other process has."""
    return f"1{uuid.uuid4().int % 10**9:09}"


def command(script: str, stdin: bytes | None = None, **env: str) -> Command:
    return Command(("bash", "-c", script), Path.cwd(), {**os.environ, **env}, stdin)


def output(tmp_path: Path, **limits: int) -> FileOutput:
    return FileOutput(tmp_path / f"output-{next(_numbers)}", **limits)


def asyncly(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    return asyncio.run(asyncio.wait_for(work(), 30))


@asynccontextmanager
async def started(script: str, tmp_path: Path, **limits: int) -> AsyncGenerator[Child]:
    child = await start(command(script), output(tmp_path, **limits))
    try:
        yield child
    finally:
        await child.stop(0)


def test_stdout_and_stderr_land_in_order_in_a_private_file(tmp_path: Path) -> None:
    async def work() -> None:
        target = output(tmp_path)
        child = await start(command("echo a; echo b >&2; echo c; exit 3"), target)
        assert await child.wait(5) == Exit(3)
        assert target.path.read_bytes() == b"a\nb\nc\n"
        assert target.path.stat().st_mode & 0o777 == 0o600

    asyncly(work)


def test_a_wait_that_runs_out_leaves_the_child_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with started("read x < fifo; exit 7", tmp_path) as child:
            assert await child.wait(0.05) is None
            Path("fifo").write_text("go\n")
            assert await child.wait(5) == Exit(7)
            assert await child.wait(None) == Exit(7)

    os.mkfifo("fifo")
    asyncly(work)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("cat", 0),
        ("read x", 1),
        (f"{sys.executable} -c 'input()' 2>/dev/null", 1),
        ("cat < /dev/tty 2>/dev/null", 1),
        ("kill -9 $$", -signal.SIGKILL),
    ],
)
def test_a_command_that_wants_input_ends_at_once(script: str, code: int, tmp_path: Path) -> None:
    async def work() -> None:
        async with started(script, tmp_path) as child:
            assert await child.wait(10) == Exit(code)
        assert (await run(command(script), timeout=10)).exit == Exit(code)

    asyncly(work)


@pytest.mark.parametrize(
    "script",
    [
        "sleep {mark} & echo ok",
        "nohup sleep {mark} 2>/dev/null & echo ok",
        "(setsid sleep {mark} &); echo ok",
        "((sleep {mark} &) &); echo ok",
        "(setsid bash -c '(sleep {mark} &) & sleep {mark}' &); echo ok",
    ],
)
def test_a_background_child_delays_nothing_and_is_swept_at_the_end(
    script: str, mark: str, tmp_path: Path
) -> None:
    async def work() -> None:
        env = marked(dict(os.environ), f"session-{mark}")
        text = script.format(mark=mark)
        begun = time.monotonic()
        child = await start(Command(("bash", "-c", text), Path.cwd(), env), output(tmp_path))
        assert await child.wait(5) == Exit(0)
        finished = await run(Command(("bash", "-c", text), Path.cwd(), env), timeout=5)
        assert (finished.exit, finished.stdout) == (Exit(0), b"ok\n")
        assert time.monotonic() - begun < bound(2)
        assert child.output.head(10) == b"ok\n"
        assert alive(mark)
        await child.stop(0.5)
        await sweep(f"session-{mark}", 0.5)

    asyncly(work)
    assert left_after(mark) == []


SHAPES = [
    "sleep {mark}",
    "sleep {mark} & wait",
    "nohup sleep {mark}",
    "setsid sleep {mark} & sleep {mark}",
    "setsid env -i sleep {mark} & sleep {mark}",
    "(setsid sleep {mark} &); sleep {mark}",
    "trap '' TERM; sleep {mark}; sleep {mark}",
    "((sleep {mark} &) &); sleep {mark}",
    "sleep {mark} > /dev/null & exec sleep {mark}",
    "yes | sleep {mark}",
    "cat < fifo; : {mark}",
    f"{sys.executable} -c 'import os,time; os.fork() or os.setsid(); time.sleep({{mark}})'",
    "for i in {{1..100}}; do sleep {mark} & done; wait",
]


@pytest.mark.fault
@pytest.mark.parametrize("ending", ["stop", "cancelled wait", "run timeout", "run cancelled"])
@pytest.mark.parametrize("script", SHAPES)
def test_nothing_of_a_command_outlives_its_end(
    script: str, ending: str, mark: str, tmp_path: Path
) -> None:
    os.mkfifo("fifo")
    text = command(script.format(mark=mark))

    async def appears() -> None:
        while not alive(mark):
            await asyncio.sleep(0.01)

    async def work() -> None:
        if ending == "run timeout":
            finished = await run(text, timeout=0.3, grace=0.3)
            assert finished.timed_out
            assert finished.exit is not None
            return
        if ending == "run cancelled":
            task: asyncio.Task[Any] = asyncio.create_task(run(text, timeout=60, grace=0.3))
        else:
            child = await start(text, output(tmp_path))
            task = asyncio.create_task(child.wait(None))
            if ending == "stop":
                await appears()
                assert (await child.stop(0.3)).code < 0
                assert await task is not None
                return
        await asyncio.sleep(0)
        await appears()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncly(work)
    assert left_after(mark) == []


def test_a_child_may_clean_up_within_the_grace(tmp_path: Path) -> None:
    async def work() -> None:
        script = "trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done"
        async with started(script, tmp_path) as child:
            while child.output.size() == 0:
                await asyncio.sleep(0.01)
            assert await child.stop(5) == Exit(5)
            assert child.output.tail(4) == b"bye\n"

    asyncly(work)


@pytest.mark.fault
def test_results_come_in_time_when_commands_run_out_of_time(mark: str) -> None:
    async def one(seconds: float) -> float:
        begun = time.monotonic()
        await run(command(f"sleep {mark}"), timeout=seconds)
        return time.monotonic() - begun - seconds

    async def work() -> list[float]:
        return await asyncio.gather(*(one(0.1 + n / 25) for n in range(20)))

    late = asyncly(work)
    assert min(late) >= 0
    assert max(late) < bound(1)
    assert left_after(mark) == []


def test_ten_commands_run_at_the_same_time(tmp_path: Path) -> None:
    all_here = "until [ $(ls here* | wc -l) = 10 ]; do sleep 0.02; done"

    async def work() -> list[Exit | None]:
        async with asyncio.TaskGroup() as group:
            waiting = []
            for number in range(10):
                script = f"cd {tmp_path}; touch here{number}; {all_here}"
                child = await start(command(script), FileOutput(tmp_path / f"output-{number}"))
                waiting.append(group.create_task(child.wait(30)))
        return [task.result() for task in waiting]

    assert asyncly(work) == [Exit(0)] * 10


def test_input_is_fed_to_the_end() -> None:
    data = os.urandom(1 << 20).hex().encode()
    finished = asyncly(lambda: run(command("cat", data), timeout=20, limit=1 << 23))
    assert finished == Finished(Exit(0), data, b"", timed_out=False, truncated=False)


@pytest.mark.parametrize("script", ["true", "exec 0<&-; sleep 0.05", "head -c 10 >/dev/null"])
def test_a_child_that_does_not_read_its_input_ends_as_usual(script: str, tmp_path: Path) -> None:
    async def work() -> None:
        text = command(script, b"x" * (1 << 22))
        assert (await run(text, timeout=10)).exit == Exit(0)
        child = await start(text, output(tmp_path))
        assert await child.wait(10) == Exit(0)

    asyncly(work)


def test_run_keeps_streams_apart_and_their_heads_and_tails() -> None:
    script = "echo first; head -c 5000000 /dev/zero; echo last; echo oops >&2; exit 4"
    finished = asyncly(lambda: run(command(script), timeout=20, limit=1000))
    assert (finished.exit, finished.stderr, finished.truncated) == (Exit(4), b"oops\n", True)
    assert finished.stdout.startswith(b"first\n")
    assert finished.stdout.endswith(b"\0last\n")
    assert len(finished.stdout) < 1100


def test_a_stream_ends_early_when_its_reader_has_enough(mark: str) -> None:
    async def work() -> tuple[Finished, bytes]:
        enough = asyncio.Event()
        seen = bytearray()

        def sink(data: bytes) -> None:
            seen.extend(data)
            enough.set()

        script = f"echo one; sleep {mark}"
        return await stream(command(script), sink, timeout=20, enough=enough), bytes(seen)

    finished, seen = asyncly(work)
    assert (finished.timed_out, seen) == (False, b"one\n")
    assert left_after(mark) == []


def test_a_missing_program_or_folder_is_an_os_error(tmp_path: Path) -> None:
    async def work() -> None:
        for argv, cwd in ((("/nowhere/program",), tmp_path), (("true",), tmp_path / "none")):
            text = Command(argv, cwd, os.environ)
            with pytest.raises(FileNotFoundError):
                await run(text, timeout=1)
            with pytest.raises(FileNotFoundError):
                await start(text, output(tmp_path))

    before = len(list(Path("/proc/self/fd").iterdir()))
    asyncly(work)
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_odd_environments_do_not_refuse_the_start() -> None:
    env = {**os.environ, "": "x", "A=B": "x", "NUL\0": "x", "VALUE": "a\0b", "GOOD": "é\n"}
    text = Command(("bash", "-c", 'printf %s "$GOOD"'), Path.cwd(), env)
    assert asyncly(lambda: run(text, timeout=5)).stdout == "é\n".encode()


def test_a_nested_command_carries_all_marks_above_it() -> None:
    env = marked(marked(dict(os.environ), "outer"), "inner")
    text = Command(("bash", "-c", f'printf %s "${LINEAGE}"'), Path.cwd(), env)
    lineage = asyncly(lambda: run(text, timeout=5)).stdout.decode().split("/")
    assert lineage[:2] == ["outer", "inner"]
    assert len(lineage) == 3


def test_a_closing_loop_ends_what_still_runs(mark: str, tmp_path: Path) -> None:
    async def work() -> None:
        await start(command(f"trap '' TERM; sleep {mark}; sleep {mark}"), output(tmp_path))

    asyncio.run(work())
    assert alive(mark) == []


@pytest.mark.fault
@pytest.mark.parametrize(
    "script", ["yes", "trap '' TERM; cat /dev/zero", "(setsid yes &); sleep 60"]
)
def test_a_flood_is_stopped_at_the_cap(script: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with started(script, tmp_path, cap=32 << 20, keep=1 << 20) as child:
            ended = await child.wait(20)
            assert ended is not None
            assert ended.overflowed
            assert child.output.written > 32 << 20
            assert child.output.size() <= (1 << 20) + 100

    asyncly(work)


@pytest.mark.fault
def test_a_survivor_cannot_fill_the_disk(mark: str, tmp_path: Path) -> None:
    async def work() -> None:
        script = f"(sleep 0.3; yes {mark}) & echo ok"
        async with started(script, tmp_path, cap=16 << 20, keep=1 << 20) as child:
            assert await child.wait(5) == Exit(0)
            while not alive(mark) or child.output.size() <= 16 << 20:
                await asyncio.sleep(0.02)
            while alive(mark) or child.output.size() > 2 << 20:
                await asyncio.sleep(0.02)

    asyncly(work)


@pytest.mark.fault
@pytest.mark.parametrize(
    "script",
    ["head -c 200000000 /dev/zero | tr '\\0' x", "yes '0123456789' | head -c 100000000"],
)
def test_large_outputs_cost_no_memory(script: str, tmp_path: Path) -> None:
    program = f"""
import asyncio, os, re
from pathlib import Path
from hames.system.output import FileOutput
from hames.system.process import Command, run, start

async def main():
    text = Command(("bash", "-c", {script!r}), Path.cwd(), os.environ)
    child = await start(text, FileOutput(Path({str(tmp_path / "big")!r})))
    print((await child.wait(60)).code, child.output.written >= 100000000)
    print((await run(text, timeout=60)).exit.code)
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    print(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) < 80_000)

asyncio.run(main())
"""
    source = str(Path(__file__).resolve().parents[2] / "build" / "src")
    text = Command(
        (sys.executable, "-c", program), Path.cwd(), {**os.environ, "PYTHONPATH": source}
    )
    finished = asyncly(lambda: run(text, timeout=60))
    assert (finished.stdout, finished.stderr) == (b"0 True\n0\nTrue\n", b"")


@pytest.mark.parametrize(
    ("redirected", "stays"), [("", False), (">/dev/null 2>&1", True)], ids=["holds", "detached"]
)
def test_what_still_holds_the_output_is_ended_on_request(
    redirected: str, stays: bool, mark: str, tmp_path: Path
) -> None:
    child = f"setsid bash -c 'exec -a {mark} sleep 30' {redirected} & echo $!"
    text = Command(("sh", "-c", child), tmp_path, dict(os.environ))
    finished = asyncly(lambda: run(text, timeout=10, end_writers=True))
    if stays:
        assert alive(mark)
        os.kill(int(finished.stdout), signal.SIGKILL)
    assert left_after(mark) == []


def test_a_command_that_has_just_begun_is_stopped_as_fast_as_any_other(tmp_path: Path) -> None:
    async def stopped(delay: float, number: int) -> float:
        script = "trap 'echo end' EXIT; eval 'sleep 30'"
        child = await start(command(script), FileOutput(tmp_path / f"output-{number}"))
        await asyncio.sleep(delay)
        began = time.monotonic()
        await child.stop()
        return time.monotonic() - began

    async def slowest() -> float:
        times: list[float] = []
        for number in range(0, 60, 3):
            delays = [number * 0.0001 + more for more in (0, 0.0005, 0.001)]
            times += await asyncio.gather(*(stopped(d, number + n) for n, d in enumerate(delays)))
        return max(times)

    assert asyncly(slowest) < bound(1)
