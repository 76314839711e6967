"""Stream events -> completed content blocks. Raw JSON is kept; unknown things pass untouched."""

import json
from dataclasses import dataclass, field
from typing import Any, NoReturn

from hames.system.types import JsonObject, as_list, as_object, is_list, is_object

THINKING = frozenset({"thinking", "redacted_thinking"})
"""Block types that may stand before an answer without being one."""

_TEXT_FIELDS = {"text_delta": "text", "thinking_delta": "thinking"}


@dataclass(frozen=True, slots=True)
class Block:
    """One completed content block as it goes into the transcript and back to the API.

    `input_error` is set when the input of a tool call was not a JSON object; `data["input"]` is
    then `{}`, `raw_input` is what the model wrote, and the call must be answered with an error.
    """

    index: int
    data: JsonObject
    input_error: str | None = None
    raw_input: str | None = None


@dataclass(slots=True)
class _Open:
    data: JsonObject
    parts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


class Accumulator:
    """Folds the events of one response. Repeated and misplaced events change nothing."""

    def __init__(self) -> None:
        self.message: JsonObject = {}
        """The message of `message_start`, without its content; `usage` as it was then."""
        self.outcome: JsonObject = {}
        """What `message_delta` events said: stop_reason, stop_details, context_management ..."""
        self.usage: JsonObject = {}
        self.blocks: list[Block] = []
        self.stopped = False
        self._open: dict[int, _Open] = {}
        self._done: set[int] = set()

    @property
    def open_block(self) -> bool:
        """Whether a block has begun and is not complete."""
        return bool(self._open)

    @property
    def stop_reason(self) -> str | None:
        """The stop reason; None while the response is unfinished or when it was cut."""
        reason = self.outcome.get("stop_reason")
        return reason if isinstance(reason, str) else None

    @property
    def finished(self) -> bool:
        """Whether nothing of the response is missing, `message_stop` aside."""
        complete = self.stop_reason is not None and not self._open
        return bool(self.message) and (self.stopped or complete)

    @property
    def answering(self) -> bool:
        """Whether something other than thinking is complete, or follows completed thinking."""
        kinds = [block.data.get("type") for block in self.blocks]
        if any(kind not in THINKING for kind in kinds):
            return True
        opened = (block.data.get("type") for block in self._open.values())
        return bool(kinds) and any(kind not in THINKING for kind in opened)

    def feed(self, event: JsonObject) -> Block | None:
        """Take one event; the block that it completes."""
        match event.get("type"):
            case "message_start":
                self._start(event.get("message"))
            case "content_block_start":
                self._open_block(event.get("index"), event.get("content_block"))
            case "content_block_delta":
                self._delta(event.get("index"), event.get("delta"))
            case "content_block_stop":
                return self._close(event.get("index"))
            case "message_delta":
                self._finish(event)
            case "message_stop":
                self.stopped = True
            case _:
                pass
        return None

    def _start(self, message: object) -> None:
        given = as_object(message)
        if given is not None and not self.message:
            self.message = {**given, "content": []}
            self._count(given.get("usage"))

    def _open_block(self, index: object, block: object) -> None:
        data = as_object(block)
        if not isinstance(index, int) or data is None:
            return
        if index not in self._done and index not in self._open:
            self._open[index] = _Open(dict(data))

    def _delta(self, index: object, delta: object) -> None:
        block = self._open.get(index) if isinstance(index, int) else None
        given = as_object(delta)
        if block is None or given is None:
            return
        kind = given.get("type")
        if kind in _TEXT_FIELDS:
            name = _TEXT_FIELDS[kind]
            block.parts.setdefault(name, []).append(str(given.get(name, "")))
        elif kind == "input_json_delta":
            block.parts.setdefault("input", []).append(str(given.get("partial_json", "")))
        elif kind == "signature_delta":
            block.data["signature"] = given.get("signature", "")
        elif kind == "citations_delta":
            earlier = as_list(block.data.get("citations"))
            block.data["citations"] = [*earlier, given.get("citation")]
        elif kind == "compaction_delta":
            block.data.update({key: value for key, value in given.items() if key != "type"})

    def _close(self, index: object) -> Block | None:
        if not isinstance(index, int) or index not in self._open:
            return None
        opened = self._open.pop(index)
        self._done.add(index)
        data, written = opened.data, "".join(opened.parts.pop("input", []))
        for name, parts in opened.parts.items():
            data[name] = str(data.get(name) or "") + "".join(parts)
        error = None
        if written:
            data["input"], error = _parse_input(written)
        elif "input" in data and not isinstance(data["input"], dict):
            data["input"], error = _parse_input(str(data["input"] or ""))
        block = Block(index, clean(data), error, clean(written) if error else None)
        self.blocks.append(block)
        return block

    def _finish(self, event: JsonObject) -> None:
        self._count(event.get("usage"))
        given = as_object(event.get("delta")) or {}
        rest = {k: v for k, v in event.items() if k not in ("type", "delta", "usage")}
        self.outcome.update({k: v for k, v in {**given, **rest}.items() if v is not None})

    def _count(self, usage: object) -> None:
        given = as_object(usage) or {}
        self.usage.update({k: v for k, v in given.items() if v is not None})


def _parse_input(text: str) -> tuple[JsonObject, str | None]:
    if not text.strip():
        return {}, None
    try:
        value = as_object(json.loads(text, parse_constant=_refuse))
    except RecursionError:
        return {}, "it is nested too deeply"
    except ValueError as error:
        return {}, f"it is not valid JSON: {error}"
    if value is None:
        return {}, "it is not a JSON object"
    return value, None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def clean(value: Any) -> Any:
    """JSON with split surrogate pairs joined and lone surrogates replaced."""
    if isinstance(value, str):
        return _clean_text(value)
    if is_list(value):
        return [clean(item) for item in value]
    if is_object(value):
        return {_clean_text(key): clean(item) for key, item in value.items()}
    return value


def _clean_text(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
