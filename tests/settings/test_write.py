"""Shared files: nothing is lost between processes, nothing broken is overwritten."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hames.settings.git_excludes import PATTERN, exclude_local_file, excludes_file
from hames.settings.repository import find_repository
from hames.settings.write import (
    SHARED_FILE,
    add_rules,
    add_values,
    remove_rules,
    remove_value,
    replace_rules,
    write_value,
)
from hames.system.errors import ConfigError

WRITER = """
import sys
from pathlib import Path
from hames.settings.write import write_value
path, who, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    write_value(path, ("projects", f"/p/{who}-{number}", "hasTrustDialogAccepted"), True)
    print(number, flush=True)
"""


def writer(path: Path, who: int, count: int) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WRITER, str(path), str(who), str(count)]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def test_rules_are_added_and_removed(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.local.json"
    assert add_rules(path, "allow", ["Bash(ls)", "Read"])
    assert not add_rules(path, "allow", ["Read"])
    assert add_rules(path, "deny", ["WebFetch"])
    assert remove_rules(path, "allow", ["Bash(ls)"])
    assert not remove_rules(path, "ask", ["Bash(ls)"])
    expected = {"permissions": {"allow": ["Read"], "deny": ["WebFetch"]}}
    assert json.loads(path.read_text()) == expected
    assert replace_rules(path, "allow", ["Edit"])
    assert add_values(path, ("enabledMcpjsonServers",), ["a"])
    assert remove_value(path, ("permissions", "deny"))
    expected = {"permissions": {"allow": ["Edit"]}, "enabledMcpjsonServers": ["a"]}
    assert json.loads(path.read_text()) == expected
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def common_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("common_umask")
def test_a_shared_file_can_be_read_by_others(tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    add_rules(path, "deny", ["Read(.env)"], new_mode=SHARED_FILE)
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.parent.stat().st_mode & 0o777 == 0o755


def test_unknown_keys_comments_and_order_survive(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    text = '\ufeff{\r\n  // mine\r\n  "zebra": [1, 2],\r\n  "model": "a" // best\r\n}\r\n'
    path.write_text(text, encoding="utf-8", newline="")
    write_value(path, ("model",), "b")
    assert path.read_bytes() == text.replace('"a"', '"b"').encode()


@pytest.mark.parametrize("text", ["null", "[1]", '{"a": ', '{"permissions": []}', "\udcff"])
def test_a_broken_file_is_left_alone_and_a_copy_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    data = text.encode(errors="surrogateescape")
    path.write_bytes(data)
    for _ in range(2):
        with pytest.raises(ConfigError, match=str(path)):
            add_rules(path, "allow", ["Read"])
    assert path.read_bytes() == data
    copies = [p for p in tmp_path.iterdir() if p != path and p.name.startswith(path.name)]
    assert [copy.read_bytes() for copy in copies] == [data]


def test_a_pipe_or_directory_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(ConfigError, match="was not changed: it is"):
            write_value(tmp_path / name, ("a",), 1)


def test_a_link_is_followed(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "s.json"
    target.parent.mkdir()
    target.write_text("{}")
    path = tmp_path / "settings.json"
    path.symlink_to(Path("dotfiles") / "s.json")
    write_value(path, ("a",), 1)
    assert path.is_symlink()
    assert json.loads(target.read_text()) == {"a": 1}


def concurrent(path: Path, processes: int, changes: int) -> int:
    """Runs the writers and reads all the while; the number of good reads."""
    path.write_text('{"login": "kept"}')
    running = [writer(path, who, changes) for who in range(processes)]
    reads = 0
    done = threading.Event()

    def read() -> None:
        nonlocal reads
        while not done.is_set():
            assert json.loads(path.read_bytes())["login"] == "kept"
            reads += 1
            done.wait(0.0005)

    reader = threading.Thread(target=read)
    reader.start()
    for process in running:
        process.communicate(timeout=100)
    done.set()
    reader.join()
    assert [process.returncode for process in running] == [0] * processes
    return reads


@pytest.mark.fault
@pytest.mark.parametrize(("processes", "changes"), [(4, 10)])
def test_writers_side_by_side_lose_nothing(tmp_path: Path, processes: int, changes: int) -> None:
    path = tmp_path / ".claude.json"
    assert concurrent(path, processes, changes) > 0
    found = json.loads(path.read_text())
    names = {f"/p/{who}-{number}" for who in range(processes) for number in range(changes)}
    assert set(found["projects"]) == names
    assert list(tmp_path.glob(".*lock")) == []


@pytest.mark.fault
@pytest.mark.external
@pytest.mark.timeout(300)
def test_twenty_writers_with_fifty_changes_each_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".claude.json"
    assert concurrent(path, 20, 50) > 1000
    assert len(json.loads(path.read_text())["projects"]) == 1000


def killed(path: Path, points: int) -> None:
    """Kills a writer at points spread over its run; every confirmed change must be there."""
    path.write_text('{"login": "kept"}')
    for point in range(points):
        process = writer(path, point, 50)
        assert process.stdout is not None
        seen = -1
        deadline = time.monotonic() + 0.0003 * (point % 37)
        for line in process.stdout:
            seen = int(line)
            if seen >= point % 5 and time.monotonic() >= deadline:
                break
        process.send_signal(signal.SIGKILL)
        process.stdout.close()
        process.wait(timeout=10)
        found = json.loads(path.read_bytes())
        assert found["login"] == "kept"
        assert all(f"/p/{point}-{number}" in found["projects"] for number in range(seen + 1))
    write_value(path, ("after",), True)


@pytest.mark.fault
def test_a_killed_writer_leaves_a_whole_file_and_no_lock(tmp_path: Path) -> None:
    killed(tmp_path / ".claude.json", 8)


@pytest.mark.fault
@pytest.mark.external
@pytest.mark.timeout(300)
def test_a_writer_killed_at_a_hundred_points(tmp_path: Path) -> None:
    killed(tmp_path / ".claude.json", 100)


class TestGitExcludes:
    @pytest.fixture
    def project(self, tmp_path: Path) -> Path:
        root = tmp_path / "repo"
        root.mkdir()
        subprocess.run(["git", "init", "-q", root], check=True)
        return root

    def first_write(self, project: Path, home: Path) -> Path | None:
        path = project / ".claude" / "settings.local.json"
        return exclude_local_file(path, find_repository(project), {}, home)

    def test_the_first_write_is_kept_out_of_commits(self, project: Path, tmp_path: Path) -> None:
        home = tmp_path / "home"
        expected = home / ".config" / "git" / "ignore"
        assert self.first_write(project, home) == expected
        assert expected.read_text() == f"{PATTERN}\n"
        add_rules(project / ".claude" / "settings.local.json", "allow", ["Read"])
        status = ["git", "-C", str(project), "status", "--porcelain"]
        assert subprocess.run(status, check=True, capture_output=True).stdout == b""
        assert self.first_write(project, home) is None

    @pytest.mark.parametrize("name", [".gitignore", ".claude/.gitignore", ".git/info/exclude"])
    def test_a_repository_that_ignores_it_needs_nothing(
        self, project: Path, tmp_path: Path, name: str
    ) -> None:
        file = project / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("settings.local.json\n")
        assert self.first_write(project, tmp_path / "home") is None

    def test_lines_of_the_user_stay(self, project: Path, tmp_path: Path) -> None:
        home = tmp_path / "home"
        (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/.ignored # mine\n")
        (home / ".gitconfig").write_text("[user]\nx=1\n[core]\n\texcludesFile = ~/.ignored\n")
        (home / ".ignored").write_text("*.pyc")
        assert excludes_file({}, home) == home / ".ignored"
        assert self.first_write(project, home) == home / ".ignored"
        assert (home / ".ignored").read_text() == f"*.pyc\n{PATTERN}\n"

    def test_outside_git_nothing_is_written(self, tmp_path: Path) -> None:
        path = tmp_path / ".claude" / "settings.local.json"
        assert exclude_local_file(path, None, {}, tmp_path / "home") is None
