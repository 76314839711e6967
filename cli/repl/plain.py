"""The console for a terminal without escape sequences: lines in, lines out."""

import asyncio
import os
import signal
import sys

from hames.cli.paint import Paint
from hames.cli.repl.dialogs import Dialog
from hames.cli.repl.input import Actions
from hames.cli.repl.picture import Picture

AGAIN = "Press Ctrl-C again to leave.\n"


class PlainConsole:
    """Reads whole lines; the terminal itself edits them."""

    def __init__(self, picture: Picture, actions: Actions, paint: Paint) -> None:
        self._picture = picture
        self._actions = actions
        self._sign = f"{paint.sign('prompt')} "
        self._dialog: Dialog | None = None
        self._told = ""
        self._prompted = False
        self._over = asyncio.Event()
        self._failure: Exception | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows; 80x24 when the terminal tells none."""
        try:
            columns, rows = os.get_terminal_size(1)
        except OSError:
            return 80, 24
        return columns or 80, rows or 24

    def write(self, text: str) -> None:
        """Write at once."""
        if text:
            lead = "\n" if self._prompted else ""
            self._prompted = False
            encoding = sys.stdout.encoding or "utf-8"
            sys.stdout.buffer.write((lead + text).encode(encoding, "replace"))
            sys.stdout.buffer.flush()

    def signal(self, sequence: str) -> None:
        """A dumb terminal has no titles and no notifications."""

    def refresh(self) -> None:
        """Show the sign of the input when nothing runs."""
        idle = not self._picture.moving() and self._dialog is None
        if idle and not self._prompted and not self._over.is_set():
            self.write(self._sign)
            self._prompted = True

    def ask(self, dialog: Dialog) -> None:
        """Write the question with its choices; the next line answers it."""
        self._dialog, self._told = dialog, ""
        rows = [*dialog.body, *(f"  {c.key}  {c.label}" for c in dialog.choices)]
        self.write("\n" + "".join(f"{row}\n" for row in rows))

    def withdraw(self) -> None:
        """The next line is a message again."""
        self._dialog = None
        self.refresh()

    def put_back(self, text: str) -> None:
        """Show it; it cannot be edited here."""
        self.write(f"{text}\n")

    async def run(self) -> None:
        """Read lines until `close`; raises EOFError at the end of the input."""
        loop = asyncio.get_running_loop()
        loop.add_reader(0, self._read)
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        try:
            self.refresh()
            await self._over.wait()
        finally:
            loop.remove_reader(0)
            loop.remove_signal_handler(signal.SIGINT)
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop reading."""
        self._over.set()

    def finish(self) -> None:
        """Nothing waits to be written."""

    def _interrupt(self) -> None:
        """Ctrl-C: an open question is declined, else as in every console."""
        if self._dialog is not None:
            self._answer(self._dialog, self._dialog.cancel, "")
        elif self._actions.cancel() and not self._over.is_set():
            self.write(AGAIN)

    def _read(self) -> None:
        try:
            data = os.read(0, 1 << 16)
        except OSError as error:
            self._failure = error
            self._over.set()
            return
        if not data:
            self._failure = EOFError()
            self._over.set()
            return
        self._prompted = False
        for line in data.decode(sys.stdin.encoding or "utf-8", "replace").splitlines():
            self._line(line)
        self.refresh()

    def _line(self, line: str) -> None:
        dialog = self._dialog
        if dialog is None:
            if line.strip():
                self._actions.submit(line)
            return
        if self._told:
            self._answer(dialog, self._told, line)
            return
        choice = dialog.find(line.strip().lower())
        if choice is None:
            self.write("Please answer with one of the letters above.\n")
        elif choice.asks_text:
            self._told = choice.key
            self.write("What should hames do instead?\n")
        else:
            self._answer(dialog, choice.key, "")

    def _answer(self, dialog: Dialog, key: str, text: str) -> None:
        self.withdraw()
        dialog.answered(key, text)
