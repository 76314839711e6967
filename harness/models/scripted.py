"""A model that plays prepared turns through the event stream of the API."""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

from hames.harness.errors import ModelError
from hames.harness.models.port import ApiError, ModelRequest
from hames.harness.models.script_file import ScriptError, ScriptTurn
from hames.system.types import JsonObject, as_list, as_object

MODEL = "scripted"
PIECE = 24
"""Characters per delta."""


class ScriptedClient:
    """Plays one turn per request, in order, whoever asks."""

    def __init__(self, name: str, turns: Sequence[ScriptTurn]) -> None:
        self._name = name
        self._turns = turns
        self._played = 0
        self._run = secrets.token_hex(4)

    async def open(self, request: ModelRequest) -> "ScriptedStream":
        """Play the next turn. Raises ModelError when the script does not fit, or its ApiError."""
        number, self._played = self._played, self._played + 1
        if number >= len(self._turns):
            raise ModelError(
                f"{self._name}: the script has no turn left after {len(self._turns)}; "
                "the conversation asked for one more"
            )
        turn = self._turns[number]
        self._check(turn, number, request.body)
        if turn.delay:
            await asyncio.sleep(turn.delay)
        if turn.error is not None and turn.error.status is not None:
            raise _api_error(turn.error)
        return ScriptedStream(turn, f"{self._run}_{number:04d}")

    async def refresh_credentials(self) -> bool:
        """There are none."""
        return False

    async def count_tokens(self, body: bytes) -> int | None:
        """Not offered."""
        return None

    async def aclose(self) -> None:
        """Nothing is open."""

    def _check(self, turn: ScriptTurn, number: int, body: bytes) -> None:
        if not turn.contains and not turn.tools:
            return
        request = as_object(json.loads(body)) or {}
        offered = {tool.get("name") for tool in as_list(request.get("tools"))}
        newest = json.dumps(as_list(request.get("messages"))[-1:], ensure_ascii=False)
        for text in turn.contains:
            if json.dumps(text, ensure_ascii=False)[1:-1] not in newest:
                raise ModelError(
                    f"{self._name}: turns[{number}] expects {text!r} in the newest message"
                )
        for tool in turn.tools:
            if tool not in offered:
                raise ModelError(f"{self._name}: turns[{number}] expects the tool {tool}")


class ScriptedStream:
    """The events of one turn."""

    request_id: str | None = None

    def __init__(self, turn: ScriptTurn, identity: str) -> None:
        self.headers: Mapping[str, str] = {}
        self._turn = turn
        self._identity = identity

    async def __aiter__(self) -> AsyncIterator[JsonObject]:
        for event in _events(self._turn, self._identity):
            yield event
            await asyncio.sleep(0)
        if self._turn.error is not None:
            raise _api_error(self._turn.error)

    async def aclose(self) -> None:
        """Nothing is open."""


def _api_error(error: ScriptError) -> ApiError:
    return ApiError(
        status=error.status,
        kind=error.kind,
        message=error.message,
        retry_after=error.retry_after,
        in_stream=error.status is None,
    )


def _events(turn: ScriptTurn, identity: str) -> Iterator[JsonObject]:
    usage = {"input_tokens": 0, "output_tokens": 0, **turn.usage}
    message: JsonObject = {
        "id": f"msg_scripted_{identity}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield {"type": "message_start", "message": message}
    for index, block in enumerate(turn.blocks):
        yield from _block_events(block, index, f"toolu_scripted_{identity}_{index:02d}")
    if turn.error is None:
        delta = {"stop_reason": turn.stop_reason, "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": usage}
        yield {"type": "message_stop"}


def _block_events(block: JsonObject, index: int, call_id: str) -> Iterator[JsonObject]:
    start, deltas = _split(block, call_id)
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _split(block: JsonObject, call_id: str) -> tuple[JsonObject, list[JsonObject]]:
    """What `content_block_start` holds, and the deltas that complete it."""
    match block["type"]:
        case "text":
            pieces = _pieces(str(block.get("text", "")))
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
            return {**block, "text": ""}, deltas
        case "thinking":
            pieces = _pieces(str(block.get("thinking", "")))
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
            deltas.append({"type": "signature_delta", "signature": block.get("signature", "")})
            return {**block, "thinking": "", "signature": ""}, deltas
        case "tool_use":
            written = json.dumps(block.get("input", {}), ensure_ascii=False)
            deltas = [
                {"type": "input_json_delta", "partial_json": piece} for piece in _pieces(written)
            ]
            return {"id": call_id, **block, "input": {}}, deltas
        case _:
            return block, []


def _pieces(text: str) -> list[str]:
    return [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
