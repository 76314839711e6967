"""Pipes to and from a child, served by the event loop with bounded memory."""

import asyncio
import contextlib
import fcntl
import os
from collections import deque
from collections.abc import Callable

_CHUNK = 1 << 18
_PIPE_SIZE = 1 << 20


class HeadTail:
    """Keeps the first and the last half of `limit` bytes of a stream."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._in_tail = 0
        self._left_out = 0

    @property
    def truncated(self) -> bool:
        """Whether bytes are missing between head and tail."""
        return self._left_out > 0 or self._in_tail > self._half

    def add(self, data: bytes) -> None:
        """The next bytes of the stream."""
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._in_tail += len(data)
        while self._in_tail - len(self._tail[0]) >= self._half:
            dropped = len(self._tail.popleft())
            self._in_tail -= dropped
            self._left_out += dropped

    def value(self) -> bytes:
        """Head, a note when bytes are missing, and tail."""
        tail = b"".join(self._tail)
        if not self.truncated:
            return bytes(self._head) + tail
        missing = self._left_out + len(tail) - self._half
        return bytes(self._head) + f"\n[{missing} bytes left out]\n".encode() + tail[-self._half :]


class Drain:
    """Hands everything that arrives on a pipe to `sink` until its end or `finish`."""

    def __init__(self, fd: int, sink: Callable[[bytes], object]) -> None:
        """Takes over `fd`."""
        self._fd = fd
        self._sink = sink
        self._open = True
        os.set_blocking(fd, False)
        _enlarge(fd)
        asyncio.get_running_loop().add_reader(fd, self._ready)

    def _ready(self) -> int:
        try:
            data = os.read(self._fd, _CHUNK)
        except BlockingIOError:
            return 0
        except OSError:
            data = b""
        if data:
            self._sink(data)
        else:
            self.close()
        return len(data)

    def finish(self) -> bool:
        """Take what lies in the pipe now and close it; whether somebody still held its end."""
        taken = 0
        while self._open and taken <= _PIPE_SIZE and (count := self._ready()):
            taken += count
        held = self._open
        self.close()
        return held

    def close(self) -> None:
        """Stop reading."""
        if self._open:
            self._open = False
            asyncio.get_running_loop().remove_reader(self._fd)
            os.close(self._fd)


class Feed:
    """Writes `data` to a pipe as fast as the child reads it; a child that does not is fine."""

    def __init__(self, fd: int, data: bytes) -> None:
        """Takes over `fd`."""
        self._fd = fd
        self._left = memoryview(data)
        self._open = True
        os.set_blocking(fd, False)
        asyncio.get_running_loop().add_writer(fd, self._ready)
        self._ready()

    def _ready(self) -> None:
        try:
            while self._left:
                self._left = self._left[os.write(self._fd, self._left) :]
        except BlockingIOError:
            return
        except OSError:
            pass
        self.close()

    def close(self) -> None:
        """Stop writing; the child sees the end of its input."""
        if self._open:
            self._open = False
            asyncio.get_running_loop().remove_writer(self._fd)
            os.close(self._fd)


def _enlarge(fd: int) -> None:
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
