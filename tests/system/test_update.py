"""A shared file is valid at every read, loses no change, and is never replaced when bad."""

import json
import os
import random
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hames.system.update import BadFile, update_json_file


class Change:
    """Sets one key of a JSON object, as a caller of `update_json_file` would."""

    def __init__(self, key: str, value: object) -> None:
        self.key = key
        self.value = value

    def __call__(self, text: str) -> str:
        data = json.loads(text) if text else {}
        if not isinstance(data, dict):
            raise ValueError("not an object")
        if data.get(self.key) == self.value:
            return text
        return json.dumps({**data, self.key: self.value})


def rests(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("."))


def test_a_new_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    assert update_json_file(path, Change("a", 1))
    assert json.loads(path.read_bytes()) == {"a": 1}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert rests(tmp_path) == []


def test_a_new_file_may_follow_the_umask(tmp_path: Path) -> None:
    old = os.umask(0o022)
    update_json_file(tmp_path / "settings.json", Change("a", 1), new_mode=0o666)
    os.umask(old)
    assert stat.S_IMODE((tmp_path / "settings.json").stat().st_mode) == 0o644


def test_nothing_is_written_when_nothing_changed(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text('{"a": 1}', encoding="utf-8")
    before = path.stat()
    assert not update_json_file(path, Change("a", 1))
    assert not update_json_file(tmp_path / "missing", lambda text: text)
    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_blank_file_counts_as_missing(tmp_path: Path, blank: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(blank, encoding="utf-8")
    assert update_json_file(path, Change("a", 1))
    assert json.loads(path.read_bytes()) == {"a": 1}


@pytest.mark.fault
@pytest.mark.parametrize("bad", [b'{"a": 1,}', b"null", b"[]", b"\xff", b'{"a":'])
def test_a_bad_file_stays_and_is_copied_once(tmp_path: Path, bad: bytes) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(bad)
    for _ in range(2):
        with pytest.raises(BadFile, match=r"state\.json: .* Repair it or delete it") as caught:
            update_json_file(path, Change("a", 1))
        assert caught.value.backup.read_bytes() == bad
        assert stat.S_IMODE(caught.value.backup.stat().st_mode) == 0o600
    assert path.read_bytes() == bad
    assert len(list(tmp_path.glob("state.json.bad-*"))) == 1
    assert rests(tmp_path) == []


def test_a_byte_order_mark_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(b'\xef\xbb\xbf{"b": 2}')
    update_json_file(path, Change("a", 1))
    assert path.read_bytes() == b'\xef\xbb\xbf{"b": 2, "a": 1}'


@pytest.mark.fault
def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="read-only"):
        update_json_file(path, Change("a", 1))
    assert path.read_text(encoding="utf-8") == "{}"


@pytest.mark.fault
def test_a_link_under_a_linked_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "dotfiles" / "real.json").write_text("{}", encoding="utf-8")
    (tmp_path / "dotfiles" / "state.json").symlink_to("real.json")
    (tmp_path / "config").symlink_to("dotfiles")
    update_json_file(tmp_path / "config" / "state.json", Change("a", 1))
    assert (tmp_path / "dotfiles" / "state.json").is_symlink()
    assert json.loads((tmp_path / "dotfiles" / "real.json").read_bytes()) == {"a": 1}


def test_a_write_by_a_program_without_the_lock_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("{}", encoding="utf-8")
    strangers = iter(["x", "y"])

    def change(text: str) -> str:
        if name := next(strangers, None):
            path.write_text(Change(name, 1)(text), encoding="utf-8")
        return Change("a", 1)(text)

    update_json_file(path, change)
    assert json.loads(path.read_bytes()) == {"x": 1, "y": 1, "a": 1}


WRITER = """
import json, sys
from pathlib import Path
from hames.system.update import update_json_file
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    def change(text):
        data = json.loads(text) if text else {}
        return json.dumps({**data, f"{name}-{number}": "x" * 40})
    update_json_file(path, change, timeout=60)
    print(number, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-S", "-c", WRITER, str(path), name, str(count)],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
    )


@pytest.mark.fault
def test_twenty_writers_lose_nothing_and_every_read_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text("{}", encoding="utf-8")
    writers = [writer(path, str(n), 50) for n in range(20)]
    reads = 0
    while any(w.poll() is None for w in writers):
        json.loads(path.read_bytes())
        reads += 1
    for w in writers:
        w.communicate(timeout=60)
    assert [w.returncode for w in writers] == [0] * 20
    assert len(json.loads(path.read_bytes())) == 1000
    assert reads > 100
    assert rests(tmp_path) == []


@pytest.mark.fault
def test_kills_at_random_points_lose_no_finished_change(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    chance = random.Random(7)
    finished: set[str] = set()
    for kill in range(25):
        child = writer(path, str(kill), 10_000)
        assert child.stdout is not None
        for _ in range(chance.randrange(1, 6)):
            finished.add(f"{kill}-{int(child.stdout.readline())}")
        # Somewhere within the next change.
        for _ in range(chance.randrange(2000)):
            pass
        child.send_signal(signal.SIGKILL)
        child.stdout.close()
        child.wait(30)
        assert finished <= json.loads(path.read_bytes()).keys()
