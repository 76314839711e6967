"""The terminal as it was found, and putting it back on every way out."""

import atexit
import contextlib
import os
import termios
from collections.abc import Mapping
from typing import Any

from hames.cli.paint import is_dumb

_OFF = (
    "\x1b[?2026l"  # synchronised output
    "\x1b[?2004l"  # bracketed paste
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l"  # mouse, focus
    "\x1b[?1l"  # cursor keys
    "\x1b[?7h\x1b[?25h\x1b[0m"  # wrapping on, cursor visible, no colour
)


class Terminal:
    """Remembers the settings of stdin. `restore` may be called any number of times, anywhere."""

    def __init__(self, env: Mapping[str, str], *, fd: int = 0, out: int = 1) -> None:
        self._fd = fd
        self._out = out
        self._dumb = is_dumb(env)
        self._saved: list[Any] | None = None
        with contextlib.suppress(termios.error, OSError):
            self._saved = termios.tcgetattr(fd)
        atexit.register(self.restore)

    def restore(self) -> None:
        """Put the settings back and switch every mode off; a terminal that is gone is fine."""
        if self._saved is not None:
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._fd, termios.TCSADRAIN, self._saved)
        if not self._dumb:
            with contextlib.suppress(OSError):
                os.write(self._out, _OFF.encode())

    def release(self) -> None:
        """Nothing is left to put back at the exit of the program."""
        atexit.unregister(self.restore)
