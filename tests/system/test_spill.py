"""Large results are kept in private files; a full disk does not lose the call."""

import stat
from pathlib import Path

import pytest

from hames.system.spill import Spilled, spill


def test_the_result_is_kept_whole_and_private(tmp_path: Path) -> None:
    folder = tmp_path / "tool-results"
    done = spill(folder, "toolu_01", "ä" * 10_000, edge=3)
    assert done == Spilled(folder / "toolu_01.txt", 20_000, 20_000, "äää", "äää")
    assert done.path is not None
    assert done.path.read_text(encoding="utf-8") == "ä" * 10_000
    assert stat.S_IMODE(done.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("call_id", ["../../etc/passwd", "", "a/b", "x" * 300, "\ud800"])
def test_the_name_cannot_leave_the_folder(tmp_path: Path, call_id: str) -> None:
    done = spill(tmp_path, call_id, b"data")
    assert done.path is not None
    assert done.path.parent == tmp_path
    assert done.path.read_bytes() == b"data"


def test_an_existing_file_or_link_is_never_written_to(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"old")
    (tmp_path / "call.txt").symlink_to(victim)
    first, second = spill(tmp_path, "call", b"one"), spill(tmp_path, "call", b"two")
    assert first.path is not None
    assert second.path is not None
    assert (first.path.read_bytes(), second.path.read_bytes()) == (b"one", b"two")
    assert victim.read_bytes() == b"old"


def test_invalid_text_is_written_as_utf8(tmp_path: Path) -> None:
    done = spill(tmp_path, "call", "a\ud83db")
    assert done.path is not None
    assert done.path.read_bytes() == "a\ufffdb".encode()


def test_edges_of_bytes_are_cut_at_characters(tmp_path: Path) -> None:
    done = spill(tmp_path, "call", "€".encode() * 100 + b"\xff", edge=5)
    assert (done.head, done.tail) == ("€" * 5, "€" * 5)


def test_the_middle_of_a_huge_result_is_left_out(tmp_path: Path) -> None:
    data = b"a" * 600 + b"z" * 600
    done = spill(tmp_path, "call", data, limit=100)
    assert done.path is not None
    kept = b"a" * 50 + b"\n[... 1100 bytes left out ...]\n" + b"z" * 50
    assert (done.size, done.kept, done.path.read_bytes()) == (1200, len(kept), kept)


def test_a_folder_that_cannot_be_made_is_reported_not_raised(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    done = spill(tmp_path / "file", "call", "text", edge=2)
    assert done == Spilled(None, 4, 0, "te", "xt", "Not a directory")
