"""One agent: a conversation and the loop that carries it on."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hames.harness.caps import Caps
from hames.harness.conversation import Conversation, ConversationOptions, Opening
from hames.harness.events import Notice, Scope
from hames.harness.inbox import Inbox
from hames.harness.loop import Attach, CallRunner, Loop
from hames.harness.models.port import ModelClient
from hames.harness.models.retry import RetryPolicy
from hames.harness.record import Record
from hames.harness.request import prefix_of
from hames.harness.sampling import Sampler
from hames.harness.services import Services

NEW_PREFIX = (
    "The system prompt or the tools differ from those of the stored session: the conversation is "
    "sent anew, without the thinking before this point."
)


@dataclass(frozen=True, slots=True)
class Agent:
    """A conversation with its loop; `source` is startup, resume, clear or fork."""

    conversation: Conversation
    loop: Loop
    source: str

    @property
    def record(self) -> Record:
        """The record of the conversation."""
        return self.conversation.record


CallRunnerMaker = Callable[[Record, frozenset[str], Path], Callable[[], CallRunner]]
"""Record, names of the offered tools, folder for long results -> the runner, made when asked."""


@dataclass(frozen=True, slots=True)
class AgentFactory:
    """Makes agents from records. `opening` and `options` are those of the main agent."""

    services: Services
    calls: CallRunnerMaker
    client: ModelClient
    opening: Opening
    options: ConversationOptions
    retries: RetryPolicy
    inbox: Inbox
    caps: Caps
    attach: Attach | None = None

    def make(self, record: Record, spill: Path, source: str) -> Agent:
        """The agent that goes on with `record`; its stored prefix is kept where flags allow."""
        prefix = prefix_of(record.entries)
        if prefix is not None and self._flags_changed(record):
            prefix = None
            self.services.emit(Notice(Scope(record.session_id), "notice", NEW_PREFIX))
        conversation = Conversation(record, self.opening, self.options, prefix)
        services = self.services
        sampler = Sampler(self.client, record, services.emit, services.ledger, self.retries)
        loop = Loop(
            conversation=conversation,
            services=services,
            sampler=sampler,
            calls=self.calls(record, conversation.tool_names, spill),
            attach=self.attach,
            inbox=self.inbox,
            caps=self.caps,
        )
        return Agent(conversation, loop, source)

    def _flags_changed(self, record: Record) -> bool:
        """Whether this run's system flags differ from those of the stored prefix."""
        stored = next(
            (e.get("flags") for e in reversed(record.entries) if e.get("type") == "hames-prefix"),
            "",
        )
        return bool(self.options.flags) and self.options.flags != stored
