"""What stands on the screen besides events: notes of hames, and questions one after another."""

import asyncio
from collections.abc import Callable

from hames.cli.paint import Paint
from hames.cli.repl.console import Console
from hames.cli.repl.dialogs import Dialog
from hames.cli.repl.render import Renderer


class Desk:
    """Notes and questions. One question is shown at a time, in the order they came."""

    def __init__(self, console: Console, renderer: Renderer, paint: Paint) -> None:
        self.paint = paint
        self._console = console
        self._renderer = renderer
        self._open: list[Dialog] = []

    @property
    def asking(self) -> bool:
        """Whether a question is open."""
        return bool(self._open)

    def say(self, text: str, style: str = "dim") -> None:
        """Lines of hames itself."""
        self._console.write(self._renderer.note(text, style))

    def show(self, rows: list[str]) -> None:
        """Rows that are styled and safe."""
        self._console.write(self._renderer.styled(rows))

    def ask(self, dialog: Dialog) -> None:
        """Show a question, after those that are open."""
        told = dialog.answered

        def answered(key: str, text: str) -> None:
            self._remove(dialog)
            told(key, text)

        dialog.answered = answered
        self._open.append(dialog)
        if len(self._open) == 1:
            self._console.ask(dialog)

    async def choose(self, make: Callable[[Callable[[str, str], None]], Dialog]) -> str:
        """Ask and wait; the key of the answer. Cancelling withdraws the question."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        dialog = make(lambda key, _: future.set_result(key))
        self.ask(dialog)
        try:
            return await future
        finally:
            self._remove(dialog)

    def drop(self, request_id: str) -> None:
        """A question of the engine needs no answer any more."""
        for dialog in [d for d in self._open if d.request_id == request_id]:
            self._remove(dialog)

    def _remove(self, dialog: Dialog) -> None:
        if dialog not in self._open:
            return
        shown = self._open[0] is dialog
        self._open.remove(dialog)
        if shown:
            self._console.withdraw()
            if self._open:
                self._console.ask(self._open[0])
