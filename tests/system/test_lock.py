"""One holder at a time; a dead one never blocks, not even where `flock` does not work."""

import errno
import fcntl
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NoReturn

import pytest

from hames.system.lock import FileLock, LockTimeout, Owner, start_time

HOLD = """
import sys
from pathlib import Path
from hames.system.lock import FileLock
with FileLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(params=["flock", "no flock"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if request.param == "no flock":

        def refuse(fd: int, operation: int) -> NoReturn:
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(fcntl, "flock", refuse)
    return tmp_path / "lock"


def test_the_lock_is_gone_afterwards(path: Path) -> None:
    with FileLock(path):
        assert (
            Owner.parse(
                next(p for p in path.parent.glob("lock*") if p.read_bytes()).read_text(
                    encoding="utf-8"
                )
            )
            == Owner.myself()
        )
    assert list(path.parent.glob("lock*")) == []


def test_a_second_taker_waits_and_gives_up_naming_the_holder(path: Path) -> None:
    with FileLock(path), pytest.raises(LockTimeout, match=f"process {os.getpid()} on"):
        FileLock(path, timeout=0.05).__enter__()
    with FileLock(path, timeout=0.05):
        pass


def test_threads_exclude_each_other(path: Path) -> None:
    inside: list[int] = []
    seen: list[int] = []

    def work(number: int) -> None:
        for _ in range(10):
            with FileLock(path):
                inside.append(number)
                seen.append(len(inside))
                inside.remove(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert seen == [1] * 60


@pytest.mark.fault
def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(LockTimeout, match=f"process {child.pid} on"):
            FileLock(path, timeout=0).__enter__()
        child.send_signal(signal.SIGKILL)
        child.wait(30)
    with FileLock(path, timeout=0):
        pass


def dead_process() -> int:
    with subprocess.Popen(["true"]) as child:
        child.wait(30)
        return child.pid


@pytest.mark.fault
@pytest.mark.parametrize("owner", ["ended", "same id, later process"])
def test_without_flock_a_dead_owners_file_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: str
) -> None:
    def refuse(fd: int, operation: int) -> NoReturn:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    pid, started = (dead_process(), "1") if owner == "ended" else (os.getpid(), "1")
    line = Owner(pid, started, os.uname().nodename).line()
    (tmp_path / "lock.owner").write_text(line, encoding="utf-8")
    with FileLock(tmp_path / "lock", timeout=5):
        assert str(os.getpid()) in (tmp_path / "lock.owner").read_text(encoding="utf-8")
    assert list(tmp_path.glob("lock*")) == []


@pytest.mark.fault
@pytest.mark.parametrize("text", ["", "torn", "1 2 another-machine\n"])
def test_without_flock_an_unknown_owner_is_never_pushed_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    def refuse(fd: int, operation: int) -> NoReturn:
        raise OSError(errno.ENOSYS, "not implemented")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / "lock.owner").write_text(text, encoding="utf-8")
    with pytest.raises(LockTimeout):
        FileLock(tmp_path / "lock", timeout=0.02).__enter__()


def test_missing_flock_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(fd: int, operation: int) -> NoReturn:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with caplog.at_level(logging.WARNING), FileLock(tmp_path / "lock"):
        pass
    assert [r.getMessage() for r in caplog.records] == [
        f"{tmp_path}: no file locks here (No locks available)"
    ]


@pytest.mark.fault
def test_a_clock_set_back_or_forward_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FileLock(path):
        monkeypatch.setattr(time, "time", lambda: 0.0)
        os.utime(next(path.parent.glob("lock*")), (0, 0))
        with pytest.raises(LockTimeout):
            FileLock(path, timeout=0.02).__enter__()
    with FileLock(path, timeout=0):
        pass


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(b"old")
    (tmp_path / "lock").symlink_to("victim")
    with pytest.raises(OSError, match="symbolic links"):
        FileLock(tmp_path / "lock").__enter__()
    assert (tmp_path / "victim").read_bytes() == b"old"


def test_start_times_tell_processes_apart() -> None:
    assert start_time(os.getpid()).isdigit()
    assert start_time(dead_process()) == "-"
