"""What the REPL needs of a terminal; a full one and a dumb one offer it."""

from typing import Protocol

from hames.cli.repl.dialogs import Dialog


class Console(Protocol):
    """Lines go up and stay; one question at a time may stand below them."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        ...

    def write(self, text: str) -> None:
        """Add styled, safe lines."""
        ...

    def signal(self, sequence: str) -> None:
        """Send a checked control sequence (title, notification, bell) where there is a use."""
        ...

    def refresh(self) -> None:
        """What is shown of the present has changed."""
        ...

    def ask(self, dialog: Dialog) -> None:
        """Show a question."""
        ...

    def withdraw(self) -> None:
        """The question is over."""
        ...

    def put_back(self, text: str) -> None:
        """Give text back to the input."""
        ...

    async def run(self) -> None:
        """Show and read until `close`; EOFError or OSError when the terminal goes."""
        ...

    def close(self) -> None:
        """Stop reading and drawing."""
        ...

    def finish(self) -> None:
        """Write what is still unwritten, after the terminal was put back."""
        ...
