"""The one door to the state of a conversation: transcript, projection and state in step."""

from collections.abc import Sequence

from hames.harness.projection import Projection
from hames.harness.state import SessionState, advance
from hames.harness.transcript import Transcript
from hames.system.types import JsonObject


class Record:
    """Appends entries; the message list and the state follow from them, here and after a restart.

    `entries` are all known entries of the conversation's file.
    """

    def __init__(
        self, transcript: Transcript, state: SessionState, entries: Sequence[JsonObject] = ()
    ) -> None:
        self.transcript = transcript
        self.state = state
        self._projection = Projection()
        self._projection.load(entries)
        transcript.leaf = self._projection.leaf
        self.is_empty = transcript.leaf is None

    @property
    def session_id(self) -> str:
        """The session that the entries belong to."""
        return self.transcript.header.session_id

    def append(self, drafts: Sequence[JsonObject]) -> list[JsonObject]:
        """Append in one write and advance projection and state; the entries as written."""
        return self._follow(self.transcript.append(drafts))

    def append_opening(
        self, reminders: Sequence[JsonObject], prompt: JsonObject
    ) -> list[JsonObject]:
        """Append the first prompt of a conversation with the reminders that go before it."""
        return self._follow(self.transcript.append_prompt_first(reminders, prompt))

    def _follow(self, entries: list[JsonObject]) -> list[JsonObject]:
        self._projection.extend(entries)
        for entry in entries:
            self.state = advance(self.state, entry)
        self.is_empty = self.is_empty and self.transcript.leaf is None
        return entries

    @property
    def entries(self) -> Sequence[JsonObject]:
        """All known entries, oldest first."""
        return self._projection.entries

    @property
    def messages(self) -> list[JsonObject]:
        """The API messages of the conversation."""
        return self._projection.messages()
