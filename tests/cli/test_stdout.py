"""The writer of stdout: order, slow readers, readers that left, files that do not block."""

import os
import threading
from collections.abc import Iterator

import pytest

from hames.cli.stdout import Writer


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    for fd in (reading, writing):
        try:
            os.close(fd)
        except OSError:
            continue


def read_all(fd: int, into: list[bytes]) -> None:
    while data := os.read(fd, 1 << 16):
        into.append(data)


def test_nothing_is_started_for_nothing(pipe: tuple[int, int]) -> None:
    writer = Writer(pipe[1])
    writer.write("")
    writer.close()
    assert not writer.broken


@pytest.mark.parametrize("blocking", [True, False])
def test_more_than_a_pipe_holds_arrives_in_order(pipe: tuple[int, int], blocking: bool) -> None:
    os.set_blocking(pipe[1], blocking)
    writer = Writer(pipe[1])
    lines = [f"{number} {'x' * 5000}\n" for number in range(200)]
    for line in lines:
        writer.write(line)
    found: list[bytes] = []
    reader = threading.Thread(target=read_all, args=(pipe[0], found))
    reader.start()
    writer.close()
    os.close(pipe[1])
    reader.join(10)
    assert b"".join(found).decode() == "".join(lines)


def test_a_reader_that_left_breaks_the_writer(pipe: tuple[int, int]) -> None:
    writer = Writer(pipe[1])
    os.close(pipe[0])
    writer.write("a")
    writer.close()
    assert writer.broken


def test_the_end_of_the_reader_is_noticed_without_writing(pipe: tuple[int, int]) -> None:
    writer, gone = Writer(pipe[1]), threading.Event()
    writer.watch(gone.set)
    assert not gone.is_set()
    os.close(pipe[0])
    assert gone.wait(10)
    assert writer.broken
