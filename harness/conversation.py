"""One conversation with the model: its record, its frozen prefix, its next request."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hames.harness.effects import encode_effect
from hames.harness.events import BlockCompleted, Event
from hames.harness.inbox import Prompt
from hames.harness.models.categories import category
from hames.harness.models.port import ModelFailure, ModelRequest
from hames.harness.ops import new_id
from hames.harness.record import Record
from hames.harness.request import CachePolicy, Prefix, RequestBuilder
from hames.harness.state import SessionState
from hames.harness.steps import End
from hames.harness.transcript import reminder_entry, user_entry
from hames.harness.turn import Turn
from hames.system.types import JsonObject
from hames.tools.effects import Effect


class Rendered(NamedTuple):
    """The start of a conversation: system blocks, and reminders before the first prompt.

    `effects` is what having said it changes, encoded.
    """

    system: tuple[JsonObject, ...]
    reminders: tuple[str, ...] = ()
    effects: tuple[JsonObject, ...] = ()


class Opening(Protocol):
    """Renders what a conversation starts with; asked once per conversation."""

    async def render(self, state: SessionState) -> Rendered:
        """The system blocks and reminders of the moment."""
        ...


class RequestFields(NamedTuple):
    """The model-dependent part of a request; `window` in tokens."""

    model: str
    body: JsonObject
    betas: tuple[str, ...]


class ConversationOptions(NamedTuple):
    """What a run asked for. `flags` is the hash of the flags that shape the prefix, "" for none.

    `fields` gives the request fields for a model name, `choose` the model names to try in order.
    `on_sent` is called whenever a request is on its way. `due` gives the reminders that the model
    should have before the next request, and what it knows then.
    """

    fields: Callable[[str, SessionState], RequestFields]
    choose: Callable[[SessionState], Sequence[str]]
    tools: tuple[JsonObject, ...]
    cache: CachePolicy = CachePolicy()
    flags: str = ""
    timeout: float = 600.0
    idle: float = 300.0
    on_sent: Callable[[], None] | None = None
    concurrency: int = 10
    stop_block_cap: int = 8
    due: Callable[[SessionState], tuple[list[str], list[Effect]]] | None = None


@dataclass(slots=True)
class Conversation:
    """The requests of one record. Nothing before a new entry ever changes."""

    record: Record
    opening: Opening
    options: ConversationOptions
    prefix: Prefix | None = None
    output_limit: int | None = None
    _builder: RequestBuilder | None = field(default=None, init=False)

    @property
    def models(self) -> list[str]:
        """The model of the next request and the fallbacks after it."""
        return list(self.options.choose(self.record.state))

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools that the model is offered: those of the stored prefix, once there is one."""
        tools = self.prefix.tools if self.prefix is not None else self.options.tools
        return frozenset(str(tool["name"]) for tool in tools)

    async def add_prompt(
        self,
        prompt: Prompt,
        contexts: Sequence[str | list[JsonObject]] = (),
        effects: Sequence[Effect] = (),
    ) -> None:
        """Append a user message after hidden `contexts`; the first one opens the conversation.

        `effects` are what the message changes.
        """
        keys: JsonObject = {"uuid": prompt.uuid, "promptId": new_id()}
        if effects:
            keys["hames"] = {"effects": [encode_effect(effect) for effect in effects]}
        if prompt.origin is not None:
            keys["origin"] = prompt.origin
        if prompt.hidden:
            keys["isMeta"] = True
        entry = user_entry(prompt.content, **keys)
        reminders = [reminder_entry(text) for text in contexts]
        if self.prefix is not None:
            self.record.append([*reminders, entry])
            return
        rendered = await self.opening.render(self.record.state)
        opening = [reminder_entry(text) for text in rendered.reminders]
        if opening and rendered.effects:
            opening[0]["hames"] = {"effects": list(rendered.effects)}
        reminders = [*opening, *reminders]
        if self.record.is_empty:
            self.record.append_opening(reminders, entry)
        else:
            self.record.append([*reminders, entry])
        self.prefix = Prefix(rendered.system, self.options.tools)
        self.record.append([{**self.prefix.to_entry(), "flags": self.options.flags}])

    def add_due(self) -> None:
        """Append the reminders that are due before the next request."""
        due = self.options.due
        texts, effects = due(self.record.state) if due is not None else ([], [])
        if texts:
            entries = [reminder_entry(text) for text in texts]
            entries[0]["hames"] = {"effects": [encode_effect(effect) for effect in effects]}
            self.record.append(entries)

    def build(self, model: str) -> ModelRequest:
        """The request over the present messages. The prefix must exist: a prompt came first."""
        if self._builder is None or self._builder.prefix is not self.prefix:
            if self.prefix is None:
                raise ValueError("a conversation starts with a prompt")
            self._builder = RequestBuilder(self.prefix, self.options.cache)
        fields = self.options.fields(model, self.record.state)
        body = {"model": fields.model, **fields.body}
        if self.output_limit is not None:
            body["max_tokens"] = min(body["max_tokens"], self.output_limit)
        return ModelRequest(
            body=self._builder.build(self.record.messages, body),
            model=fields.model,
            betas=fields.betas,
            timeout=self.options.timeout,
            idle=self.options.idle,
            on_sent=self.options.on_sent,
        )

    def note_failure(
        self, failure: ModelFailure, end: End, turn: Turn, emit: Callable[[Event], None]
    ) -> None:
        """Store and tell that a request failed; the model never sees it."""
        message = synthetic_message(end.error or str(failure))
        kind = category(failure)
        entry: JsonObject = {
            "type": "assistant",
            "message": message,
            "isApiErrorMessage": True,
            "error": kind,
        }
        if end.api_status is not None:
            entry["apiErrorStatus"] = end.api_status
        (stored,) = self.record.append([entry])
        emit(BlockCompleted(turn.scope, str(stored["uuid"]), message, error=kind))


def synthetic_message(text: str) -> JsonObject:
    """An assistant message that no model wrote."""
    usage: Mapping[str, int] = {"input_tokens": 0, "output_tokens": 0}
    return {
        "id": f"msg_{new_id().replace('-', '')}",
        "type": "message",
        "role": "assistant",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "stop_sequence",
        "stop_sequence": None,
        "usage": dict(usage),
    }
