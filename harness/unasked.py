"""Calls that are not the model's: injections of skills and mentioned files; nobody is asked."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from hames.harness.state import SessionState
from hames.harness.turn import Turn
from hames.system.types import JsonObject
from hames.tools.effects import Effect
from hames.tools.result import ToolResult


class Attached(NamedTuple):
    """Hidden messages with what was mentioned, and what the model knows from them."""

    contents: tuple[str | list[JsonObject], ...] = ()
    effects: tuple[Effect, ...] = ()


class Unasked(Protocol):
    """Runs tools outside of the conversation, under its rules."""

    @property
    def state(self) -> SessionState:
        """The state that calls are judged in."""
        ...

    def may_read(self, path: Path, *, consented: bool) -> bool:
        """Whether the file may be read unasked; with `consented` only a deny forbids it."""
        ...

    async def run_unasked(
        self,
        name: str,
        given: JsonObject,
        turn: Turn,
        *,
        rules: Sequence[str] = (),
        consented: bool = False,
    ) -> ToolResult:
        """Run one call; its result is not stored and its effects are the caller's to use.

        `rules` are allowed for it. Whatever is not allowed does not run; `consented` says that
        the user named the file, so that only a deny stops it. Raises ToolError.
        """
        ...
