"""A turn as server-sent events, or as the JSON of a request that does not stream."""

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.fake_api.request import Judged
from support.fake_api.rules_thinking import transformations
from support.fake_api.signing import Prefix, sign
from support.fake_api.turns import Block, Turn, partial_json

_PIECE = 24
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def new_id(prefix: str) -> str:
    """An id that looks like the API's, e.g. `msg_01…`."""
    return f"{prefix}_01" + "".join(secrets.choice(_ALPHABET) for _ in range(22))


def signed_blocks(turn: Turn, request: Judged) -> list[Block]:
    """The blocks as the model hands them out: thinking signed for its place."""
    done: list[Block] = []
    for block in turn.blocks:
        prefix = Prefix(
            request.raw.tools, request.raw.system, request.raw.messages, tuple(_final(done))
        )
        if block["type"] == "thinking" and block["signature"] is None:
            shown = "" if request.thinking.get("display") == "omitted" else block["thinking"]
            signature = sign(request.facts.id, request.account, prefix, shown)
            done.append({**block, "thinking": shown, "signature": signature})
        elif block["type"] == "redacted_thinking" and block["data"] is None:
            data = sign(request.facts.id, request.account, prefix, "")
            done.append({**block, "data": data})
        else:
            done.append(block)
    return done


def _final(blocks: list[Block]) -> Iterator[Block]:
    for block in blocks:
        yield {name: value for name, value in block.items() if name != "partial_json"}


@dataclass(frozen=True, slots=True)
class Rendering:
    """One answer about to be sent. `usage` is that of message_start, `output` the final count."""

    request: Judged
    turn: Turn
    usage: Mapping[str, Any]
    output: int

    def message(self, blocks: list[Block]) -> dict[str, Any]:
        """The message object; empty content and no stop reason for a stream's start."""
        message: dict[str, Any] = {
            "id": new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": self.request.body["model"],
            "content": blocks,
            "stop_reason": None,
            "stop_sequence": None,
            "stop_details": None,
            "usage": {**self.usage, "output_tokens": 1},
        }
        if self.request.beta("thinking-binding-controls"):
            message["input_transformations"] = transformations(self.request)
        return message

    def whole(self) -> dict[str, Any]:
        """The answer to a request that does not stream."""
        blocks = list(_final(signed_blocks(self.turn, self.request)))
        return {**self.message(blocks), **self._delta(), "usage": self._final_usage()}

    def events(self) -> list[dict[str, Any]]:
        """Every event, in order."""
        found: list[dict[str, Any]] = [
            {"type": "message_start", "message": self.message([])},
            {"type": "ping"},
        ]
        for index, block in enumerate(signed_blocks(self.turn, self.request)):
            found.append(
                {"type": "content_block_start", "index": index, "content_block": _opening(block)}
            )
            found.extend(
                {"type": "content_block_delta", "index": index, "delta": delta}
                for delta in _deltas(block)
            )
            found.append({"type": "content_block_stop", "index": index})
        found.append(
            {"type": "message_delta", "delta": self._delta(), "usage": self._final_usage()}
        )
        found.append({"type": "message_stop"})
        return found

    def _delta(self) -> dict[str, Any]:
        return {
            "stop_reason": self.turn.reason,
            "stop_sequence": self.turn.stop_sequence,
            "stop_details": self.turn.stop_details,
        }

    def _final_usage(self) -> dict[str, Any]:
        return {**self.usage, "output_tokens": self.output, **self.turn.usage}


def _opening(block: Block) -> Block:
    match block["type"]:
        case "text":
            return {**block, "text": ""}
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case "tool_use" | "server_tool_use":
            kept = {name: value for name, value in block.items() if name != "partial_json"}
            return {**kept, "input": {}}
        case _:
            return block


def _deltas(block: Block) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "text":
            for piece in _pieces(block["text"]):
                yield {"type": "text_delta", "text": piece}
        case "thinking":
            for piece in _pieces(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use" | "server_tool_use":
            yield {"type": "input_json_delta", "partial_json": ""}
            for piece in _pieces(block.get("partial_json") or partial_json(block["input"])):
                yield {"type": "input_json_delta", "partial_json": piece}
        case _:
            return


def _pieces(value: str) -> Iterator[str]:
    size = max(_PIECE, len(value) // 200)
    for start in range(0, len(value), size):
        yield value[start : start + size]


def encode(event: Mapping[str, Any]) -> bytes:
    """One event on the wire."""
    data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return f"event: {event['type']}\ndata: {data}\n\n".encode("utf-8", "surrogatepass")
