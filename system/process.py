"""Starting, awaiting and ending processes; no other module of hames starts any."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from hames.system.output import FileOutput, OutputFile
from hames.system.pipes import Drain, Feed, HeadTail
from hames.system.reap import (
    Family,
    FileId,
    catches,
    marked,
    process_entry,
    signal_each,
    until_gone,
)

_FIRST_LOOK = 0.02
_LOOK_AGAIN = 0.25
_SURVIVORS_AGAIN = 2.0
_REAP_TIME = 1.0
_NEWCOMERS = 0.02


class Command(NamedTuple):
    """What to run. `stdin` None means /dev/null; the child gets a session of its own."""

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    stdin: bytes | None = None


class Exit(NamedTuple):
    """How a process ended: its code, or minus the number of the signal that killed it.

    `overflowed`: it was killed because it wrote more than its output's cap.
    """

    code: int
    overflowed: bool = False


class Finished(NamedTuple):
    """What `run` gave. `exit` is None when not even SIGKILL ended the process."""

    exit: Exit | None
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool


async def start(command: Command, output: FileOutput) -> "Child":
    """Start with stdout and stderr merged into a new private file. Raises OSError."""
    target = OutputFile(output)
    fd = target.open_for_child()
    try:
        running = _Running(command, fd, fd, target.identity())
    finally:
        os.close(fd)
    return Child(running, target)


async def run(
    command: Command,
    *,
    timeout: float,
    limit: int = 1 << 20,
    grace: float = 2.0,
    end_writers: bool = False,
) -> Finished:
    """Run to the end and keep head and tail, `limit` bytes per stream. Raises OSError.

    `end_writers`: what it started and left behind is killed if it still holds its output.
    """
    out = HeadTail(limit)
    finished = await stream(
        command, out.add, timeout=timeout, limit=limit, grace=grace, end_writers=end_writers
    )
    return Finished(
        finished.exit,
        out.value(),
        finished.stderr,
        finished.timed_out,
        finished.truncated or out.truncated,
    )


async def stream(
    command: Command,
    sink: Callable[[bytes], object],
    *,
    timeout: float,
    limit: int = 1 << 20,
    grace: float = 2.0,
    enough: asyncio.Event | None = None,
    end_writers: bool = False,
) -> Finished:
    """Like `run`, but stdout goes to `sink` as it comes; set `enough` to end the command early.

    `Finished.stdout` is empty. Returns when the process exits, whoever still holds its pipes.
    """
    out_read, out_write = os.pipe()
    err_read, err_write = os.pipe()
    err = HeadTail(limit)
    files = (_file_id(out_write), _file_id(err_write))
    try:
        running = _Running(command, out_write, err_write, *files)
    except BaseException:
        os.close(out_read)
        os.close(err_read)
        raise
    finally:
        os.close(out_write)
        os.close(err_write)
    drains = (Drain(out_read, sink), Drain(err_read, err.add))
    try:
        timed_out = not await _ended(running, timeout, enough)
        if not running.exited.done():
            await running.stop(grace)
    except asyncio.CancelledError:
        await asyncio.shield(running.stop(grace))
        raise
    finally:
        held = [drain.finish() for drain in drains]
        if end_writers and any(held):
            running.kill_writers()
        running.close_input()
    code = running.code()
    return Finished(
        None if code is None else Exit(code), b"", err.value(), timed_out, err.truncated
    )


class Child:
    """A process that writes to `output`. It goes on when a wait ends early."""

    def __init__(self, running: "_Running", output: OutputFile) -> None:
        self.pid = running.pid
        self.output = output
        self._running = running
        self._exit = asyncio.create_task(self._supervise())
        self._survivors: asyncio.Task[None] | None = None

    async def wait(self, timeout: float | None) -> Exit | None:
        """The exit, or None after `timeout` seconds. A cancelled wait ends the process."""
        try:
            await asyncio.wait({self._exit}, timeout=timeout)
        except asyncio.CancelledError:
            await asyncio.shield(self.stop())
            raise
        return self._exit.result() if self._exit.done() else None

    async def stop(self, grace: float = 2.0) -> Exit:
        """SIGTERM to the group, SIGKILL after `grace` seconds, also for what left the group."""
        await self._running.stop(grace)
        await asyncio.wait({self._exit}, timeout=_REAP_TIME)
        return self._exit.result() if self._exit.done() else Exit(-signal.SIGKILL)

    async def _supervise(self) -> Exit:
        """Watch the size of the output until the process exits."""
        overflowed = False
        pause = _FIRST_LOOK
        size = 0
        while not (await asyncio.wait({self._running.exited}, timeout=pause))[0]:
            before, size = size, self.output.size()
            if size > self.output.cap:
                overflowed = True
                self._running.kill()
                break
            pause = _next_look(size - before, self.output.cap - size, pause)
        code = await self._running.exited
        self._running.close_input()
        await asyncio.to_thread(self.output.trim)
        self._survivors = asyncio.create_task(self._watch_survivors())
        return Exit(code, overflowed)

    async def _watch_survivors(self) -> None:
        """Background children may go on after the exit, but not fill the disk."""
        rounds = int(_SURVIVORS_AGAIN / _LOOK_AGAIN)
        while True:
            for _ in range(rounds):
                await asyncio.sleep(_LOOK_AGAIN)
                if self.output.size() > self.output.cap:
                    self._running.kill()
                    await asyncio.to_thread(self.output.trim)
                    return
            if not self._running.survivors():
                return


def _next_look(grown: int, room: int, pause: float) -> float:
    """Seconds until half of the remaining room could be used up at the pace of the last look."""
    if grown <= 0:
        return _LOOK_AGAIN
    return min(max(room * pause / (2 * grown), 0.005), _LOOK_AGAIN)


class _Running:
    """A started process with its family and the task that awaits its exit."""

    def __init__(self, command: Command, stdout: int, stderr: int, *files: FileId) -> None:
        token = os.urandom(8).hex()
        self._popen = subprocess.Popen(
            command.argv,
            cwd=command.cwd,
            env=_clean(marked(command.env, token)),
            stdin=subprocess.DEVNULL if command.stdin is None else subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            bufsize=0,
        )
        self.pid = self._popen.pid
        entry = process_entry(self.pid)
        self._family = Family(self.pid, token, entry.started if entry else 0, frozenset(files))
        self.exited = asyncio.create_task(self._await_exit())
        self._feed: Feed | None = None
        if command.stdin is not None and self._popen.stdin is not None:
            self._feed = Feed(os.dup(self._popen.stdin.fileno()), command.stdin)
            self._popen.stdin.close()

    async def _await_exit(self) -> int:
        try:
            return await _exit_code(self._popen)
        except asyncio.CancelledError:
            # Only a closing event loop cancels this task: nobody else is left to end the process.
            self.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(_REAP_TIME)
            raise

    def code(self) -> int | None:
        """The exit code so far."""
        return self._popen.poll()

    def close_input(self) -> None:
        """Stop feeding stdin."""
        if self._feed is not None:
            self._feed.close()

    def survivors(self) -> set[int]:
        """Live members of the family."""
        return self._family.members()

    def kill(self) -> None:
        """SIGKILL for the whole family."""
        self._family.kill(reaped=self._popen.returncode is not None)

    def kill_writers(self) -> None:
        """SIGKILL for those who still hold the output, and for what they started."""
        signal_each(self._family.writers(), signal.SIGKILL)

    async def stop(self, grace: float) -> None:
        """SIGTERM, up to `grace` seconds, SIGKILL; SIGKILL at once when this wait is cancelled."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + grace
        gone = False
        try:
            reaped = self._popen.returncode is not None
            told = self._family.signal(signal.SIGTERM, reaped=reaped)
            await asyncio.wait({self.exited}, timeout=min(_NEWCOMERS, grace))
            gone = await until_gone(lambda: self._all_gone(told), max(deadline - loop.time(), 0))
        finally:
            if not gone:
                self.kill()
        await asyncio.wait({self.exited}, timeout=_REAP_TIME)

    def _all_gone(self, told: set[int]) -> bool:
        """Whether nobody is left; who has not heard the SIGTERM is told again.

        A shell that forks just then hands the signal to a copy of itself, which forgets it when
        it becomes the program.
        """
        members = self._family.members()
        deaf = {pid for pid in members if pid not in told or not catches(pid, signal.SIGTERM)}
        signal_each(deaf, signal.SIGTERM)
        told |= deaf
        return not members and self._family.gone()


async def _ended(running: _Running, timeout: float, enough: asyncio.Event | None) -> bool:
    """Wait for the exit or for `enough`; False when the time ran out."""
    if enough is None:
        return bool((await asyncio.wait({running.exited}, timeout=timeout))[0])
    asked = asyncio.create_task(enough.wait())
    try:
        done, _ = await asyncio.wait(
            {running.exited, asked}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        asked.cancel()
    return bool(done)


async def _exit_code(popen: subprocess.Popen[bytes]) -> int:
    """Await the exit through a pidfd, or by looking again and again where there is none."""
    try:
        fd = os.pidfd_open(popen.pid)
    except (AttributeError, OSError):
        return await _polled_exit_code(popen)
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(fd, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(fd)
        os.close(fd)
        popen.poll()
    return popen.wait()


async def _polled_exit_code(popen: subprocess.Popen[bytes]) -> int:
    pause = 0.001
    while (code := popen.poll()) is None:
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.05)
    return code


def _file_id(fd: int) -> FileId:
    found = os.fstat(fd)
    return (found.st_dev, found.st_ino)


def _clean(env: Mapping[str, str]) -> dict[str, str]:
    """Only what the system takes as an environment: other entries would refuse every start."""
    return {
        name: value
        for name, value in env.items()
        if name and "=" not in name and "\0" not in name and "\0" not in value
    }
