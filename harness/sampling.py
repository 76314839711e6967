"""One request and its response: streamed out as events, stored as entries."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from hames.harness.calls import Use
from hames.harness.events import BlockCompleted, Event, Notice, Retrying, StreamDelta
from hames.harness.models import attempts
from hames.harness.models.accumulate import Accumulator, Block
from hames.harness.models.port import ModelClient, ModelRequest
from hames.harness.models.retry import RetryPolicy
from hames.harness.ops import new_id
from hames.harness.record import Record
from hames.harness.rounds import content_blocks
from hames.harness.steps import Response
from hames.harness.transcript import assistant_entries
from hames.harness.turn import Turn
from hames.harness.usage import UsageLedger
from hames.system.types import JsonObject, is_object

CUT_INPUT = "it was cut off at the output limit"


class Requests(Protocol):
    """Builds the request of the moment for a model."""

    def build(self, model: str) -> ModelRequest:
        """The request over the present messages of the conversation."""
        ...


@dataclass(slots=True)
class _Answer:
    """What has been seen of the attempt that is under way."""

    received: Accumulator = field(default_factory=Accumulator)
    model: str = ""
    blocks: list[tuple[str, Block]] = field(default_factory=list[tuple[str, Block]])
    cut: bool = False


class Sampler:
    """Asks the model for one agent. Retries and fallbacks become events on the way."""

    def __init__(
        self,
        client: ModelClient,
        record: Record,
        emit: Callable[[Event], None],
        ledger: UsageLedger,
        policy: RetryPolicy,
    ) -> None:
        self._client = client
        self._record = record
        self._emit = emit
        self._ledger = ledger
        self._policy = policy
        self._calls = {str(block.get("id")) for block in _stored_calls(record.entries)}

    async def ask(self, requests: Requests, models: Sequence[str], turn: Turn) -> Response:
        """The response of `models[0]` or of a fallback; what an interrupt left of it.

        Its entries are appended before it is returned, and nothing of it runs before that.
        Raises ModelFailure when no answer came.
        """
        answer = _Answer()
        started = time.monotonic()
        try:
            whole = await turn.result_of(self._stream(requests, models, turn, answer), False)
        finally:
            turn.api_ms += (time.monotonic() - started) * 1000
        return self._store(answer, turn, aborted=not whole)

    async def _stream(
        self, requests: Requests, models: Sequence[str], turn: Turn, answer: _Answer
    ) -> bool:
        """Fill `answer`; true at the end of the response."""
        started = time.monotonic()
        items = attempts.stream_with_retries(
            self._client, requests.build, self._policy, turn.retries, models
        )
        async with aclosing(items):
            async for item in items:
                match item:
                    case attempts.Event():
                        self._pass_on(item, answer, turn, started)
                    case attempts.Attempt():
                        answer.received, answer.model, answer.blocks = item.received, item.model, []
                    case attempts.Retrying():
                        self._emit(_retrying(item, turn))
                    case attempts.Fallback():
                        turn.fallback = item.model
                        text = f"{item.message}. Continuing with {item.model} for this turn."
                        self._emit(Notice(turn.scope, "warning", text))
                    case attempts.Cut():
                        answer.cut = True
                        self._emit(Notice(turn.scope, "warning", item.note))
                    case attempts.Completed():
                        answer.model = item.model
        return True

    def _pass_on(self, item: attempts.Event, answer: _Answer, turn: Turn, started: float) -> None:
        """Send a raw event out, and the block that it completed."""
        first = turn.ttft_ms is None
        if first:
            turn.ttft_ms = round((time.monotonic() - started) * 1000)
        self._emit(StreamDelta(turn.scope, item.data, turn.ttft_ms if first else None))
        if item.block is not None:
            self._announce(item.block, answer, turn)

    def _announce(self, block: Block, answer: _Answer, turn: Turn) -> None:
        uuid = new_id()
        block = self._with_own_id(block, answer)
        answer.blocks.append((uuid, block))
        message = {**answer.received.message, "content": [block.data]}
        self._emit(BlockCompleted(turn.scope, uuid, message))

    def _with_own_id(self, block: Block, answer: _Answer) -> Block:
        """Some servers number the calls of each answer anew; in a history every id is unique."""
        given = block.data.get("id")
        if block.data.get("type") != "tool_use":
            return block
        earlier = {b.data.get("id") for _, b in answer.blocks}
        if given and given not in self._calls and given not in earlier:
            return block
        return replace(block, data={**block.data, "id": f"toolu_{new_id().replace('-', '')}"})

    def _store(self, answer: _Answer, turn: Turn, *, aborted: bool) -> Response:
        received = answer.received
        if received.usage:
            self._ledger.add(str(received.message.get("id")), answer.model, received.usage)
            turn.usages.append(received.usage)
        refused = received.stop_reason == "refusal"
        blocks = [] if refused else answer.blocks
        if blocks:
            self._record.append(self._entries(answer, blocks, aborted=aborted))
            self._calls |= {str(block.data.get("id")) for _, block in blocks}
        if not aborted:
            turn.num_turns += 1
        details = received.outcome.get("stop_details")
        return Response(
            blocks=tuple(block.data for _, block in blocks),
            uses=_uses(blocks, received.stop_reason),
            stop_reason=None if aborted else received.stop_reason,
            stop_details=details if is_object(details) else None,
            cut=answer.cut,
            aborted=aborted,
        )

    @staticmethod
    def _entries(
        answer: _Answer, blocks: Sequence[tuple[str, Block]], *, aborted: bool
    ) -> list[JsonObject]:
        received = answer.received
        message = {
            **received.message,
            "stop_reason": received.stop_reason,
            "stop_sequence": received.outcome.get("stop_sequence"),
            "usage": received.usage,
        }
        keys: JsonObject = {"aborted": True} if aborted or answer.cut else {}
        drafts = assistant_entries(message, [block.data for _, block in blocks], **keys)
        return [{**draft, "uuid": uuid} for draft, (uuid, _) in zip(drafts, blocks, strict=True)]


def _stored_calls(entries: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Every tool call of a conversation's file."""
    for entry in entries:
        if entry["type"] == "assistant":
            yield from (b for b in content_blocks(entry) if b["type"] == "tool_use")


def _retrying(item: attempts.Retrying, turn: Turn) -> Retrying:
    return Retrying(
        scope=turn.scope,
        attempt=item.attempt,
        max_retries=item.max_retries,
        delay_ms=item.delay_ms,
        status=item.error_status,
        error=item.error,
        message=item.message,
    )


def _uses(blocks: Sequence[tuple[str, Block]], stop_reason: str | None) -> tuple[Use, ...]:
    """The tool calls; one that the output limit cut before its input began must not run."""
    uses = [_use(uuid, b) for uuid, b in blocks if b.data.get("type") == "tool_use"]
    if uses and stop_reason == "max_tokens" and uses[-1].entry == blocks[-1][0]:
        last = uses[-1]
        uses[-1] = last if last.input else last._replace(problem=last.problem or CUT_INPUT)
    return tuple(uses)


def _use(uuid: str, block: Block) -> Use:
    data = block.data
    return Use(
        id=str(data.get("id")),
        name=str(data.get("name")),
        input=data["input"] if isinstance(data.get("input"), dict) else {},
        entry=uuid,
        problem=block.input_error,
    )
