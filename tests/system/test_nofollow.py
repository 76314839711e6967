"""A link swapped in after the check is not followed."""

import contextlib
import errno
import os
from pathlib import Path

import pytest

from hames.system.nofollow import final_target, open_file


def test_links_are_followed_to_the_end(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "one").symlink_to(tmp_path / "folder" / "two")
    (tmp_path / "real" / "two").symlink_to("../folder/missing")
    assert final_target(tmp_path / "one") == tmp_path / "real" / "missing"


def test_a_relative_path_becomes_absolute(tmp_path: Path) -> None:
    assert final_target(Path("new.txt")) == tmp_path / "work" / "new.txt"


def test_a_loop_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links"):
        final_target(tmp_path / "a")


def test_chains_are_followed_for_forty_hops(tmp_path: Path) -> None:
    for number in range(1, 60):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    assert final_target(tmp_path / "39") == tmp_path / "0"
    with pytest.raises(OSError, match="symbolic links"):
        final_target(tmp_path / "50")


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_swapped_component_is_not_followed(tmp_path: Path, swapped: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "file").write_bytes(b"secret")
    (tmp_path / "folder").mkdir()
    if swapped == "file":
        (tmp_path / "folder" / "file").symlink_to(tmp_path / "secret" / "file")
    else:
        (tmp_path / "folder").rmdir()
        (tmp_path / "folder").symlink_to("secret")
    with pytest.raises(OSError, match="folder") as caught:
        open_file(tmp_path / "folder" / "file", os.O_RDONLY)
    assert caught.value.errno in (errno.ELOOP, errno.ENOTDIR)


def test_no_descriptor_leaks(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted, not walked
    for name in ("file", "missing"):
        with contextlib.suppress(FileNotFoundError):
            os.close(open_file(tmp_path / name, os.O_RDONLY))
    assert len(os.listdir("/proc/self/fd")) == before  # noqa: PTH208 - counted, not walked
