"""Writes stdout from a thread of its own, so that a slow reader never stops the engine."""

import os
import threading
from queue import SimpleQueue

DRAIN_SECONDS = 30.0
"""How long a slow reader is waited for at the end."""


class Writer:
    """Text in, bytes out, in order. When the reader is gone the rest is dropped."""

    def __init__(self, fd: int = 1) -> None:
        self._fd = fd
        self._queue: SimpleQueue[bytes | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self.broken = False

    def write(self, text: str) -> None:
        """Queue text; never waits."""
        if text and not self.broken:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="stdout", daemon=True)
                self._thread.start()
            self._queue.put(text.encode("utf-8", "replace"))

    def close(self) -> None:
        """Wait until everything is written, at most `DRAIN_SECONDS`."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(DRAIN_SECONDS)

    def _work(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                while data:
                    data = data[os.write(self._fd, data) :]
            except OSError:
                self.broken = True
                return
