"""Outputs are private, bounded, and survive a full disk."""

import os
from pathlib import Path

import pytest

from hames.system.output import FileOutput, OutputFile
from hames.system.pipes import HeadTail


def fill(output: OutputFile, data: bytes) -> None:
    fd = output.open_for_child()
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def test_an_existing_file_or_link_is_never_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").write_text("kept")
    for name in ("link", "file"):
        with pytest.raises(FileExistsError):
            OutputFile(FileOutput(tmp_path / name))
    assert (tmp_path / "file").read_text() == "kept"
    assert not (tmp_path / "elsewhere").exists()


def test_trimming_keeps_head_and_tail_and_the_true_size(tmp_path: Path) -> None:
    output = OutputFile(FileOutput(tmp_path / "out", keep=20))
    fill(output, b"0123456789" + b"x" * 1000 + b"abcdefghij")
    output.trim()
    expected = b"0123456789\n[1000 bytes left out]\nabcdefghij"
    assert (tmp_path / "out").read_bytes() == expected
    assert (output.written, output.size()) == (1020, len(expected))
    assert (output.head(4), output.tail(3)) == (b"0123", b"hij")


def test_a_small_output_is_not_trimmed(tmp_path: Path) -> None:
    output = OutputFile(FileOutput(tmp_path / "out", keep=20))
    fill(output, b"x" * 20)
    output.trim()
    assert (output.head(99), output.written) == (b"x" * 20, 20)


def test_memory_serves_when_the_folder_takes_no_file() -> None:
    output = OutputFile(FileOutput(Path("/proc/self/out"), cap=99, keep=8))
    fill(output, b"one")
    fill(output, b"two")
    assert (output.path, output.cap, output.head(99)) == (None, 8, b"onetwo")


@pytest.mark.parametrize(
    ("chunks", "value", "truncated"),
    [
        ([], b"", False),
        ([b"abcdef"], b"abcdef", False),
        ([b"abc", b"defgh"], b"abcdefgh", False),
        ([b"abcdefghi"], b"abcd\n[1 bytes left out]\nfghi", True),
        ([b"ab", b"cdef", b"gh", b"ij", b"kl"], b"abcd\n[4 bytes left out]\nijkl", True),
        ([b"a"] * 100, b"aaaa\n[92 bytes left out]\naaaa", True),
    ],
)
def test_head_and_tail_of_a_stream(chunks: list[bytes], value: bytes, truncated: bool) -> None:
    kept = HeadTail(8)
    for chunk in chunks:
        kept.add(chunk)
    assert (kept.value(), kept.truncated) == (value, truncated)
