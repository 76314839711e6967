"""`/name args` for the skills and commands of the user; cheap where there are none."""

from collections.abc import Awaitable, Callable

from hames.harness.commands import Expanded, Said
from hames.harness.library import Library
from hames.harness.turn import Turn

Expand = Callable[[str, str, Turn], Awaitable[Expanded | Said | None]]


class UserCommands:
    """The user's own commands. `expand` gives the way to run one, imported on first use."""

    def __init__(self, library: Library, expand: Callable[[], Expand]) -> None:
        self._library = library
        self._expand = expand

    def names(self) -> list[str]:
        """What may be typed after `/`."""
        return [skill.name for skill in self._library.skills if skill.user_invocable]

    async def expand(self, name: str, arguments: str, turn: Turn) -> Expanded | Said | None:
        """What the command stands for; None when there is none of this name."""
        self._library.refresh()
        if not self._library.skills:
            return None
        return await self._expand()(name, arguments, turn)
