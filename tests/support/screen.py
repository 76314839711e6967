"""hames in a pseudo-terminal, and the screen that a person would see."""

import os
import re
import sys
import termios
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pexpect
import pyte

ESCAPE = "\x1b"
UP = "\x1b[A"
DOWN = "\x1b[B"
SHIFT_TAB = "\x1b[Z"
CTRL_C = "\x03"
CTRL_D = "\x04"
CTRL_J = "\n"
ENTER = "\r"

_CHOICE = re.compile(r"[❯ ] \S  \S")


class Start(Protocol):
    """Starts hames with arguments; `options` are those of `Terminal`, `variables` extra."""

    def __call__(self, *arguments: str, **options: Any) -> AbstractContextManager["Terminal"]:
        """The terminal, for a `with`."""
        ...


class Terminal:
    """A program in a terminal of its own. Every wait is bounded by `timeout` seconds."""

    def __init__(
        self,
        command: list[str],
        env: Mapping[str, str],
        *,
        columns: int = 90,
        rows: int = 30,
        timeout: float = 30.0,
    ) -> None:
        self.raw = b""
        self._ended = False
        self._timeout = timeout
        self._screen = pyte.HistoryScreen(columns, rows, history=5000, ratio=0.5)
        self._stream = pyte.ByteStream(self._screen)
        self.process: Any = pexpect.spawn(
            command[0],
            command[1:],
            env=dict(env),
            dimensions=(rows, columns),
            timeout=timeout,
        )
        self.process.delaybeforesend = None
        self.found = self.settings()

    @property
    def rows(self) -> list[str]:
        """The rows on the screen, without blanks at their ends."""
        return [row.rstrip() for row in self._screen.display]

    @property
    def text(self) -> str:
        """Everything: what scrolled away, then the screen."""
        history = self._screen.history.top
        columns = self._screen.columns
        above = ["".join(line[x].data for x in range(columns)).rstrip() for line in history]
        return "\n".join([*above, *self.rows])

    def settings(self) -> list[Any]:
        """The terminal settings as `stty -a` would tell them."""
        return termios.tcgetattr(self.process.child_fd)

    def send(self, *keys: str) -> None:
        """Press keys, each in one go."""
        for key in keys:
            self.process.send(key)

    def type(self, text: str) -> None:
        """Type a line and press Enter."""
        self.send(text, ENTER)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the window."""
        self._screen.resize(rows, columns)
        self.process.setwinsize(rows, columns)

    def wait_for(self, wanted: str | Callable[[], bool]) -> None:
        """Read until a text stands on the screen or above it, or until a condition holds."""
        deadline = time.monotonic() + self._timeout
        while not (wanted() if callable(wanted) else wanted in self.text):
            if not self._read(deadline):
                raise AssertionError(f"no {wanted!r} in:\n{self.text}")

    def wait_gone(self, text: str) -> None:
        """Read until a text stands on the screen no more."""
        self.wait_for(lambda: text not in "\n".join(self.rows))

    def wait_question(self, text: str) -> None:
        """Read until a question with this text has the keyboard: its choices stand last."""
        self.wait_for(lambda: text in self.text and _CHOICE.match(self.last_row) is not None)

    @property
    def last_row(self) -> str:
        """The last row that is not empty."""
        return next((row for row in reversed(self.rows) if row), "")

    def wait_end(self) -> int:
        """Read until the program ends; its exit code, or minus the signal."""
        deadline = time.monotonic() + self._timeout
        while self._read(deadline):
            pass
        self.after = self.settings()
        assert self._ended, f"still runs:\n{self.text}"
        self.process.wait()
        status = self.process.exitstatus
        return status if status is not None else -(self.process.signalstatus or 0)

    def _read(self, deadline: float) -> bool:
        """Read what is there; false at the end of the program or of the time."""
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        try:
            data: bytes = self.process.read_nonblocking(1 << 16, timeout=min(left, 0.05))
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            self._ended = True
            return False
        self.raw += data
        self._stream.feed(data)
        return True


def repl_env(url: str = "", **changes: str) -> dict[str, str]:
    """The environment of a program under test, without anything of the workplace."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "PYTHONPATH": ":".join(sys.path),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": url,
    }
    return env | changes


@contextmanager
def hames_terminal(
    *arguments: str, env: Mapping[str, str], cwd: Path | None = None, **options: Any
) -> Generator[Terminal]:
    """`hames` with arguments in a terminal; killed at the end when it still runs."""
    command = [sys.executable, "-m", "hames", *arguments]
    if cwd is not None:
        command = ["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(cwd), *command]
    terminal = Terminal(command, env, **options)
    try:
        yield terminal
    finally:
        terminal.process.close(force=True)
