"""Finding and ending every process that a command started, also those that left its group."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

LINEAGE = "HAMES_LINEAGE"
"""Environment variable: tokens of the session and the commands above a process, `/` between."""

_PROC = Path("/proc")
_ROUNDS = 50
"""A family that forks faster than it is killed gets this many rounds of SIGKILL."""

FileId = tuple[int, int]
"""Device and inode."""


def marked(env: Mapping[str, str], token: str) -> dict[str, str]:
    """`env` with `token` added to the lineage; `token` holds no `/`."""
    above = env.get(LINEAGE)
    return {**env, LINEAGE: f"{above}/{token}" if above else token}


class ProcessEntry(NamedTuple):
    """One line of the process table; `started` is in clock ticks since boot."""

    pid: int
    parent: int
    group: int
    session: int
    started: int


def process_entry(pid: int) -> ProcessEntry | None:
    """The process as /proc tells; None for zombies, dead processes and systems without /proc."""
    try:
        with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:  # noqa: PTH123 - hot loop
            text = file.read()
    except OSError:
        return None
    fields = text[text.rfind(b")") + 2 :].split()
    if fields[0] in (b"Z", b"X"):
        return None
    return ProcessEntry(pid, int(fields[1]), int(fields[2]), int(fields[3]), int(fields[19]))


def process_table(since: int = 0) -> Iterator[ProcessEntry]:
    """Live processes started at clock tick `since` or later, without this one."""
    try:
        with os.scandir(_PROC) as folders:
            pids = [int(folder.name) for folder in folders if folder.name.isdigit()]
    except OSError:
        return
    own = os.getpid()
    for pid in pids:
        entry = process_entry(pid) if pid != own else None
        if entry is not None and entry.started >= since:
            yield entry


def carries(pid: int, token: str) -> bool:
    """Whether the process was started with `token` in its lineage."""
    try:
        environ = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    prefix = LINEAGE.encode() + b"="
    for entry in environ.split(b"\0"):
        if entry.startswith(prefix):
            return token.encode() in entry[len(prefix) :].split(b"/")
    return False


def catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process handles or ignores a signal; False also when nobody can tell."""
    try:
        status = (_PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    masks = [line.split()[1] for line in status.splitlines() if line[:7] in ("SigCgt:", "SigIgn:")]
    return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)


def _writes_to(pid: int, files: frozenset[FileId]) -> bool:
    for number in ("1", "2"):
        with contextlib.suppress(OSError):
            found = (_PROC / str(pid) / "fd" / number).stat()
            if (found.st_dev, found.st_ino) in files:
                return True
    return False


def _with_descendants(table: Mapping[int, ProcessEntry], seeds: set[int]) -> set[int]:
    found = set(seeds)
    grown = True
    while grown:
        more = {e.pid for e in table.values() if e.parent in found} - found
        found |= more
        grown = bool(more)
    return found


class Family(NamedTuple):
    """All that descends from one command: its leader, group, session, marks and writers.

    `files` are outputs that nobody else writes to: whoever has one of them as stdout or stderr
    belongs to the family, even with an emptied environment.
    """

    leader: int
    token: str
    started: int
    files: frozenset[FileId]

    def members(self) -> set[int]:
        """Live processes of the family; empty on systems without /proc."""
        return set(self._members())

    def gone(self) -> bool:
        """Whether nobody is left; without /proc only the group is known."""
        return not self.members() and (_PROC.is_dir() or not self._group_alive())

    def writers(self) -> set[int]:
        """Live processes that have the output as stdout or stderr, with their descendants."""
        table = {entry.pid: entry for entry in process_table(self.started)}
        return _with_descendants(table, {pid for pid in table if _writes_to(pid, self.files)})

    def _members(self) -> dict[int, ProcessEntry]:
        table = {entry.pid: entry for entry in process_table(self.started)}
        leader = table.get(self.leader)
        # The number of a reaped leader may belong to a stranger by now, and so may its group.
        stranger = leader is not None and leader.started != self.started
        seeds = {e.pid for e in table.values() if self._owns(e, by_group=not stranger)}
        return {pid: table[pid] for pid in _with_descendants(table, seeds)}

    def _owns(self, entry: ProcessEntry, *, by_group: bool) -> bool:
        if by_group and self.leader in (entry.group, entry.session):
            return True
        return carries(entry.pid, self.token) or _writes_to(entry.pid, self.files)

    def _group_alive(self) -> bool:
        try:
            os.killpg(self.leader, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def signal(self, number: signal.Signals, *, reaped: bool) -> set[int]:
        """Signal every member once and name them; a group that may be someone else's is left."""
        members = self._members()
        whole_group = any(entry.group == self.leader for entry in members.values())
        if whole_group or not reaped or not _PROC.is_dir():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.leader, number)
        signal_each((p for p, e in members.items() if e.group != self.leader), number)
        return set(members)

    def kill(self, *, reaped: bool) -> None:
        """SIGKILL until nobody is left."""
        self.signal(signal.SIGKILL, reaped=reaped)
        for _ in range(_ROUNDS):
            if not self.members():
                return
            self.signal(signal.SIGKILL, reaped=reaped)


def signal_each(pids: Iterable[int], number: signal.Signals) -> None:
    """Signal processes one by one."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


async def until_gone(gone: Callable[[], bool], seconds: float) -> bool:
    """Wait until `gone()`, at most `seconds`; whether it is."""
    deadline = asyncio.get_running_loop().time() + seconds
    pause = 0.01
    while not gone():
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0:
            return False
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, 0.1)
    return True


async def sweep(marker: str, grace: float = 2.0) -> int:
    """End every process that carries `marker` in its lineage; how many there were."""

    def members() -> set[int]:
        table = {entry.pid: entry for entry in process_table()}
        return {pid for pid in table if carries(pid, marker)}

    found = members()
    try:
        signal_each(found, signal.SIGTERM)
        await until_gone(lambda: not members(), grace)
    finally:
        for _ in range(_ROUNDS):
            if not (left := members()):
                break
            signal_each(left, signal.SIGKILL)
    return len(found)
