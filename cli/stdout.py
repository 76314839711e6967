"""Writes stdout from a thread of its own, so that a slow reader never stops the engine."""

import os
import select
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue

DRAIN_SECONDS = 30.0
"""How long a slow reader is waited for at the end."""


class Writer:
    """Text in, bytes out, in order. When the reader is gone the rest is dropped.

    `lost` is why something could not be written, None as long as nothing was lost.
    """

    def __init__(self, fd: int = 1) -> None:
        self._fd = fd
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self.broken = False
        self.lost: OSError | None = None

    def write(self, text: str) -> None:
        """Queue text; never waits."""
        if text and not self.broken:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="stdout", daemon=True)
                self._thread.start()
            self._queue.put(text.encode("utf-8", "replace"))

    def watch(self, gone: Callable[[], object]) -> None:
        """Call `gone`, from a thread, when nobody reads any more, even if nothing is written."""
        threading.Thread(target=self._wait, args=(gone,), name="stdout-end", daemon=True).start()

    def _wait(self, gone: Callable[[], object]) -> None:
        poll = select.poll()
        poll.register(self._fd, 0)
        poll.poll()
        self.broken = True
        with suppress(RuntimeError):  # the run ended meanwhile
            gone()

    def close(self) -> None:
        """Wait until everything is written, at most `DRAIN_SECONDS`."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(DRAIN_SECONDS)

    def _work(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                while data:
                    data = data[self._put(data) :]
            except OSError as error:
                self.broken, self.lost = True, error
                return

    def _put(self, data: bytes) -> int:
        """How many bytes were written; waits for room when the file does not block by itself."""
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            select.select([], [self._fd], [])
            return 0
