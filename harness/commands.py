"""Slash commands in prompts: built-in ones answer at once, others become prompts."""

import difflib
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from hames.harness.inbox import Prompt
from hames.harness.turn import Turn
from hames.system.types import JsonObject
from hames.tools.effects import Effect

_COMMAND = re.compile(r"/([A-Za-z0-9][\w:.-]*)(?:\s+(.*))?", re.DOTALL)


class Said(NamedTuple):
    """The command is done; `text` is its output for people, or why it `failed`."""

    text: str
    failed: bool = False


class Expanded(NamedTuple):
    """The command is a message for the model: `contents` go to it before the typed text.

    They are hidden from people. `effects` are what the message changes.
    """

    contents: tuple[str | list[JsonObject], ...]
    effects: tuple[Effect, ...] = ()


BuiltIn = Callable[[str], Awaitable[str | Expanded]]
"""A built-in command: the text after its name in, its output or the message it stands for out."""


def split_command(text: str) -> tuple[str, str] | None:
    """Name and arguments of `/name args`; None for any other text, such as a path."""
    found = _COMMAND.fullmatch(text.strip())
    return (found[1], (found[2] or "").strip()) if found else None


class Expander(Protocol):
    """Commands and skills of the user."""

    def names(self) -> list[str]:
        """What may be typed after `/`."""
        ...

    async def expand(self, name: str, arguments: str, turn: Turn) -> Expanded | Said | None:
        """What the command stands for; None when there is none of this name."""
        ...


class Commands:
    """The commands of a session by name, aliases included."""

    def __init__(self, own: Expander | None = None) -> None:
        self._builtins: dict[str, BuiltIn] = {}
        self._own = own

    def add(self, builtins: Mapping[str, BuiltIn]) -> None:
        """Add built-in commands; they win over commands of the user."""
        self._builtins.update(builtins)

    async def run(self, prompt: Prompt, turn: Turn) -> Said | Expanded | None:
        """What a message that is a command means; None when it is an ordinary message."""
        command = split_command(prompt.text) if prompt.is_command else None
        if command is None:
            return None
        name, arguments = command
        builtin = self._builtins.get(name)
        if builtin is not None:
            output = await builtin(arguments)
            return Said(output) if isinstance(output, str) else output
        expanded = await self._own.expand(name, arguments, turn) if self._own else None
        return expanded or Said(self._unknown(name))

    def use(self, own: Expander) -> None:
        """Let the user's own commands be found."""
        self._own = own

    def names(self) -> list[str]:
        """All names, without `/`, sorted."""
        return sorted({*self._builtins, *(self._own.names() if self._own else ())})

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.names(), n=1)
        hint = f". Did you mean /{near[0]}?" if near else ""
        return f"Unknown command: /{name}{hint}"
