"""Tools open the path that the permission check judged, and no other."""

import os
import threading
from pathlib import Path

import pytest

from hames.settings.permissions.subject import path_subject
from hames.tools.base import ToolError
from hames.tools.paths import absolute_path, lock_key, real_path
from support.tool_context import tool_context

SPELLINGS = [
    "file",
    "./file",
    ".//file",
    "linked/file",
    "linked/../file",
    "linked/deeper/../../file",
    "linked/..",
    "to-file",
    "linked/../to-file",
    "missing/../file",
    "~",
    "~/file",
    "~root/file",
    "~/../file",
    "/",
    "//etc/passwd",
    "/../etc/passwd",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`work` holds a link to a folder elsewhere, and links that `..` could be fooled with."""
    work = tmp_path / "work"
    (tmp_path / "elsewhere" / "inner" / "deeper").mkdir(parents=True)
    for place in (work, tmp_path, tmp_path / "elsewhere", tmp_path / "elsewhere" / "inner"):
        (place / "file").write_bytes(b"x")
        (place / "to-file").symlink_to("/etc/hostname")
    (work / "linked").symlink_to(tmp_path / "elsewhere" / "inner")
    return work


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("absolute", [False, True])
def test_the_judged_path_is_the_opened_one(folder: Path, spelling: str, absolute: bool) -> None:
    if absolute and not spelling.startswith(("/", "~")):
        spelling = f"{folder}/{spelling}"
    judged = path_subject(spelling, "read", str(folder), os.environ["HOME"])
    real = real_path(absolute_path(spelling, folder), tool_context(folder))
    assert str(real) == judged.real


def test_equal_files_share_a_lock(folder: Path) -> None:
    names = (f"{folder}/linked/file", f"{folder}/linked/../inner/file")
    assert len({lock_key(name) for name in names}) == 1
    assert lock_key("~/x") == f"file:{os.environ['HOME']}/x"
    assert (lock_key(""), lock_key("a\0b")) == (None, None)


@pytest.mark.fault
def test_a_link_swapped_after_the_check_never_leads_to_a_denied_file(folder: Path) -> None:
    secret, plain, link = folder / "secret", folder / "plain", folder / "swapped"
    for place, text in ((secret, b"secret"), (plain, b"plain")):
        place.mkdir()
        (place / "text").write_bytes(text)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for target in (plain, secret):
                new = folder / "new"
                new.symlink_to(target)
                new.replace(link)

    context = tool_context(folder, denied=lambda path: secret in (path, *path.parents))
    link.symlink_to(plain)
    swapper = threading.Thread(target=swap)
    swapper.start()
    read: set[bytes] = set()
    try:
        for _ in range(1000):
            try:
                real = real_path(absolute_path("swapped/text", folder), context)
            except ToolError:
                continue
            read.add(real.read_bytes())
    finally:
        stop.set()
        swapper.join(10)
    assert read <= {b"plain"}
