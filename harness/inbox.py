"""User messages that wait for their turn, in the order they came."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from hames.system.types import JsonObject


class Prompt(NamedTuple):
    """One accepted user message; `query` false joins the conversation without a turn.

    A `hidden` one comes from the program: the model sees it, people and hooks do not.
    """

    uuid: str
    content: str | list[JsonObject]
    origin: JsonObject | None = None
    query: bool = True
    literal: bool = False
    hidden: bool = False

    @property
    def text(self) -> str:
        """The text of the message, blocks joined by newlines."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(str(b.get("text", "")) for b in self.content if b.get("type") == "text")

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to send: only whitespace and no other block."""
        if isinstance(self.content, list) and any(b.get("type") != "text" for b in self.content):
            return False
        return not self.text.strip()

    @property
    def may_mention(self) -> bool:
        """Whether `@path` in the message may stand for files."""
        return not self.literal and not self.hidden and "@" in self.text

    @property
    def is_command(self) -> bool:
        """Whether the message starts like a slash command."""
        return not self.literal and isinstance(self.content, str) and self.content.startswith("/")


class Inbox:
    """The queue: the turn runner takes one, a running turn takes what may join it."""

    def __init__(self) -> None:
        self._waiting: deque[Prompt] = deque()
        self._arrived = asyncio.Event()
        self._seen: set[str] = set()
        self._closed = False

    def put(self, prompt: Prompt) -> bool:
        """Queue a message; False when its uuid was queued before."""
        if prompt.uuid in self._seen:
            return False
        self._seen.add(prompt.uuid)
        self._waiting.append(prompt)
        self._arrived.set()
        return True

    async def take(self) -> Prompt | None:
        """The next message, waiting for one; None when the queue is closed and empty."""
        while not self._waiting:
            if self._closed:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        return self._waiting.popleft()

    @property
    def closed(self) -> bool:
        """Whether clients may not queue any more."""
        return self._closed

    def close(self) -> None:
        """No message comes any more; what waits can still be taken."""
        self._closed = True
        self._arrived.set()

    def take_joining(self) -> list[Prompt]:
        """The messages that may join a running turn: all up to the first command."""
        taken: list[Prompt] = []
        while self._waiting and not self._waiting[0].is_command:
            taken.append(self._waiting.popleft())
        return taken

    def put_back(self, prompts: Sequence[Prompt]) -> None:
        """Let messages that were taken wait again, before all others."""
        self._waiting.extendleft(reversed(prompts))

    def take_all(self) -> list[Prompt]:
        """Every waiting message, oldest first; the queue is empty afterwards."""
        taken = list(self._waiting)
        self._waiting.clear()
        return taken

    @property
    def queued(self) -> list[str]:
        """The uuids of the waiting messages, oldest first."""
        return [prompt.uuid for prompt in self._waiting]
