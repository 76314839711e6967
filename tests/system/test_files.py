"""Private files stay private, land whole, and never follow what somebody else planted."""

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from hames.system.files import (
    FileTooLarge,
    NotRegularFile,
    UnsafePath,
    append_private,
    ensure_private,
    open_append,
    open_regular,
    read_bounded,
    write_private,
)

NOBODY = 65534


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    old = os.umask(request.param)
    yield
    os.umask(old)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.mark.usefixtures("umask")
def test_everything_is_private_under_any_umask(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    ensure_private(folder)
    write_private(folder / "state", b"x")
    append_private(folder / "log", b"line\n")
    assert [mode(p) for p in (tmp_path / "a", folder)] == [0o700, 0o700]
    assert [mode(folder / name) for name in ("state", "log")] == [0o600, 0o600]


def test_an_open_folder_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    ensure_private(folder)
    assert mode(folder) == 0o700


def test_a_planted_link_in_a_shared_folder_is_refused(tmp_path: Path, shared: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir(mode=0o755)
    (shared / "hames").symlink_to(victim)
    with pytest.raises(UnsafePath, match="is a link"):
        ensure_private(shared / "hames")
    with pytest.raises(UnsafePath, match="is a link"):
        ensure_private(shared / "hames" / "deeper")
    assert mode(victim) == 0o755
    assert list(victim.iterdir()) == []


def test_a_planted_folder_of_somebody_else_is_refused(shared: Path) -> None:
    planted = Path("/usr")
    if os.geteuid() == 0:
        planted = shared / "hames"
        planted.mkdir()
        os.chown(planted, NOBODY, NOBODY)
    with pytest.raises(UnsafePath, match="another user"):
        ensure_private(planted)


def test_a_planted_link_is_not_written_through(tmp_path: Path, shared: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"old")
    (shared / "state").symlink_to(victim)
    with pytest.raises(UnsafePath):
        write_private(shared / "state", b"new")
    with pytest.raises(OSError, match="symbolic links"):
        append_private(shared / "state", b"new\n")
    assert victim.read_bytes() == b"old"


def test_the_users_own_link_to_the_config_folder_is_followed(tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles"
    dotfiles.mkdir()
    (tmp_path / ".claude").symlink_to("dotfiles")
    ensure_private(tmp_path / ".claude" / "projects")
    (dotfiles / "real.json").write_bytes(b"old")
    (dotfiles / "linked.json").symlink_to("real.json")
    write_private(tmp_path / ".claude" / "linked.json", b"new")
    assert (dotfiles / "real.json").read_bytes() == b"new"
    assert (dotfiles / "linked.json").is_symlink()


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError):
        ensure_private(tmp_path / "file")


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_private(tmp_path / "state", b"new")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".hames")] == []


def test_a_torn_last_line_is_closed_before_the_next(tmp_path: Path) -> None:
    log = tmp_path / "log"
    append_private(log, b'{"a":1}\n')
    with log.open("ab") as file:
        file.write(b'{"torn":')
    fd = open_append(log)
    append_private(fd, b'{"b":2}\n{"c":3}\n')
    append_private(fd, b'{"d":4}\n')
    os.close(fd)
    assert log.read_bytes() == b'{"a":1}\n{"torn":\n{"b":2}\n{"c":3}\n{"d":4}\n'


def test_a_fifo_is_never_appended_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotRegularFile, match="FIFO"):
        append_private(tmp_path / "fifo", b"line\n")


@pytest.mark.parametrize(("limit", "whole"), [(10, True), (5, True), (4, False)])
def test_reading_stops_at_the_limit(tmp_path: Path, limit: int, whole: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    if whole:
        assert read_bounded(path, limit) == b"12345"
    else:
        with pytest.raises(FileTooLarge, match="larger than 4 bytes"):
            read_bounded(path, limit)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        kinds = {
            tmp_path: "directory",
            tmp_path / "fifo": "FIFO",
            tmp_path / "socket": "socket",
            Path("/dev/zero"): "character device",
        }
        for path, kind in kinds.items():
            with pytest.raises(NotRegularFile) as caught:
                read_bounded(path, 10)
            assert caught.value.kind == kind


def test_links_are_read_and_a_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"x"
    with pytest.raises(FileNotFoundError, match="missing"):
        open_regular(tmp_path / "missing")
