"""Files of the user keep what they are; a failed write leaves the old content."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hames.system.files import NotRegularFile
from hames.system.save import MISSING, FileChanged, FileStat, replace_file, save_file

NOBODY = 65534


def rests(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.startswith(".hames")]


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    old = os.umask(request.param)
    yield request.param
    os.umask(old)


def test_new_files_and_folders_follow_the_umask(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "new" / "deeper" / "file"
    info = save_file(path, b"data", expect=MISSING)
    assert path.read_bytes() == b"data"
    assert stat.S_IMODE(info.st_mode) == 0o666 & ~umask
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o777 & ~umask
    assert FileStat.of(path.stat()) == FileStat.of(info)
    assert rests(path.parent) == []


@pytest.mark.parametrize("mode", [0o755, 0o444, 0o600, 0o2755, 0o4755, 0o666])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(mode)
    save_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_owner_and_extended_attributes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    os.setxattr(path, "user.note", b"kept")
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    before = path.stat()
    save_file(path, b"new")
    after = path.stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert os.getxattr(path, "user.note") == b"kept"


@pytest.mark.parametrize("target", ["relative", "absolute", "chain", "linked folder"])
def test_links_stay_links_and_their_target_is_written(tmp_path: Path, target: str) -> None:
    real = tmp_path / "real" / "file"
    real.parent.mkdir()
    real.write_bytes(b"old")
    link = tmp_path / "link"
    if target == "relative":
        link.symlink_to("real/file")
    elif target == "absolute":
        link.symlink_to(real)
    elif target == "chain":
        (tmp_path / "middle").symlink_to("real/file")
        link.symlink_to(tmp_path / "middle")
    else:
        link.symlink_to("real")
        link = link / "file"
    save_file(link, b"new")
    assert real.read_bytes() == b"new"
    assert (tmp_path / "link").is_symlink()


def test_a_dangling_link_makes_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("folder/missing")
    save_file(tmp_path / "link", b"new")
    assert (tmp_path / "folder" / "missing").read_bytes() == b"new"


def test_a_loop_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        save_file(tmp_path / "a", b"new")


def test_a_link_swapped_in_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"old")
    (tmp_path / "file").symlink_to("secret")
    with pytest.raises(OSError, match="is a link now"):
        replace_file(tmp_path / "file", b"new")
    assert (tmp_path / "secret").read_bytes() == b"old"


def test_all_names_of_a_file_see_the_change(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"a longer old content")
    os.link(one, two)
    save_file(one, b"new")
    assert two.read_bytes() == b"new"
    assert one.stat().st_ino == two.stat().st_ino


@pytest.mark.parametrize("expect", ["same", "changed", "gone", "missing"])
def test_a_change_since_the_read_is_noticed(tmp_path: Path, expect: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    state = MISSING if expect == "missing" else FileStat.of(path.stat())
    if expect == "changed":
        path.write_bytes(b"other")
    if expect == "gone":
        path.unlink()
    if expect == "same":
        save_file(path, b"new", expect=state)
        assert path.read_bytes() == b"new"
        return
    with pytest.raises(FileChanged, match="changed since it was read"):
        save_file(path, b"new", expect=state)
    assert rests(tmp_path) == []


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_only_regular_files_are_replaced(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(NotRegularFile):
        save_file(path, b"new")
    assert rests(tmp_path) == []


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from hames.system.save import save_file
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    save_file(Path(sys.argv[1]), b"n" * 5000)
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.fault
@pytest.mark.parametrize("names", [1, 2])
def test_the_old_content_survives_a_write_that_finds_no_room(tmp_path: Path, names: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"o" * 800)
    if names == 2:
        os.link(path, tmp_path / "other")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == "File too large\n"
    assert path.read_bytes() == b"o" * 800
    assert rests(tmp_path) == []


AS_NOBODY = """
import os, sys
from pathlib import Path
from hames.system.save import save_file
os.umask(0)
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
save_file(Path(sys.argv[1]), b"new")
"""


@pytest.mark.parametrize("folder_mode", [0o777, 0o755])
def test_a_writable_file_of_somebody_else_keeps_its_owner(
    tmp_path_factory: pytest.TempPathFactory, folder_mode: int
) -> None:
    folder = Path(os.path.realpath("/tmp")) / f"hames-test-{os.getpid()}-{folder_mode}"
    folder.mkdir()
    try:
        path = folder / "file"
        path.write_bytes(b"a longer old content")
        path.chmod(0o666)
        folder.chmod(folder_mode)
        before = path.stat()
        subprocess.run(
            [sys.executable, "-c", AS_NOBODY, str(path)],
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            timeout=60,
        )
        assert path.read_bytes() == b"new"
        assert path.stat().st_uid == before.st_uid
    finally:
        path.unlink()
        folder.rmdir()
