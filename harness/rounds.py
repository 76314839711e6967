"""Entries of a conversation to API messages, repaired: the one place of the pairing rules.

A round is one assistant message and the user message that follows it. Repair never looks
further than one round, except that a stray result may answer a call of another round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hames.harness.chain import response_id
from hames.system.types import JsonObject, is_list, is_object

INTERRUPTED_CALL = "The call was interrupted and has no result. It may or may not have had effect."
MISSING_START = "(The beginning of this conversation is not available.)"

_USER_BLOCKS = frozenset(
    {"text", "image", "document", "tool_result", "search_result", "container_upload"}
)
_ONLY_OF_USERS = frozenset({"tool_result", "image", "document", "search_result"})
_RESULT_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_reference"})
_THINKING = ("thinking", "redacted_thinking")


@dataclass(slots=True)
class Round:
    """Raw parts of one round, in the order of the transcript."""

    response: str | None = None
    blocks: list[JsonObject] = field(default_factory=list[JsonObject])
    aborted: bool = False
    results: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    reminders: list[JsonObject] = field(default_factory=list[JsonObject])
    prompts: list[JsonObject] = field(default_factory=list[JsonObject])
    ahead: list[JsonObject] = field(default_factory=list[JsonObject])
    """Thinking of the next response, until more of that response opens its round."""
    ahead_of: str | None = None

    def calls(self) -> list[str]:
        """Ids of the tool calls of this round, in call order."""
        return [str(b.get("id")) for b in self.blocks if b.get("type") == "tool_use"]

    def has_user_part(self) -> bool:
        """Whether anything of the user follows the assistant message."""
        return bool(self.results or self.reminders or self.prompts)


def content_blocks(entry: JsonObject) -> list[JsonObject]:
    """The content of an entry's message as blocks; plain text becomes one text block."""
    message = entry.get("message")
    content: Any = message.get("content") if is_object(message) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not is_list(content):
        return []
    return [b for b in content if is_object(b) and isinstance(b.get("type"), str)]


def is_api_message(entry: JsonObject) -> bool:
    """Whether the entry is sent to the model: no UI lines, no synthetic error messages."""
    if entry.get("type") not in ("user", "assistant") or entry.get("isVisibleInTranscriptOnly"):
        return False
    message = entry.get("message")
    return is_object(message) and message.get("model") != "<synthetic>"


def add_entry(
    rounds: list[Round], homes: dict[str, Round], entry: JsonObject, *, thinking: bool
) -> None:
    """Add the entry to its round or open a new one. `thinking` false leaves thinking out.

    `homes` are the rounds by the response that opened them.
    """
    if entry["type"] == "assistant":
        left_out = _ONLY_OF_USERS if thinking else _ONLY_OF_USERS.union(_THINKING)
        kept = (b for b in content_blocks(entry) if b["type"] not in left_out)
        blocks = [_assistant_block(b) for b in kept if _is_sendable(b)]
        response = response_id(entry) or ""
        _add_blocks(rounds, homes, response, blocks, aborted=bool(entry.get("aborted")))
        return
    if not rounds:
        rounds.append(Round())
    current = rounds[-1]
    current.ahead, current.ahead_of = [], None
    for block in content_blocks(entry):
        if block["type"] == "tool_result":
            current.results.setdefault(str(block.get("tool_use_id")), _result_block(block))
        elif block["type"] in _USER_BLOCKS and _is_sendable(block):
            part = current.reminders if entry.get("isMeta") else current.prompts
            part.append(_user_block(block))


def _add_blocks(
    rounds: list[Round],
    homes: dict[str, Round],
    response: str,
    blocks: list[JsonObject],
    *,
    aborted: bool,
) -> None:
    """Add to the round of the response, which its first block that is no thinking opens."""
    home = homes.get(response)
    if home is not None:
        home.blocks.extend(blocks)
        home.aborted = home.aborted or aborted
        return
    if not rounds:
        rounds.append(Round())
    last = rounds[-1]
    if last.ahead_of != response:
        last.ahead, last.ahead_of = [], response
    last.ahead.extend(blocks)
    if any(b["type"] not in _THINKING for b in blocks):
        homes[response] = Round(response=response, blocks=last.ahead, aborted=aborted)
        rounds.append(homes[response])
        last.ahead, last.ahead_of = [], None


def _is_sendable(block: JsonObject) -> bool:
    if block["type"] == "text":
        return isinstance(block.get("text"), str) and bool(block["text"].strip())
    if block["type"] == "thinking":
        return isinstance(block.get("thinking"), str) and bool(block.get("signature"))
    if block["type"] == "tool_use":
        return bool(block.get("id")) and bool(block.get("name"))
    return True


def _assistant_block(block: JsonObject) -> JsonObject:
    kept = {k: v for k, v in block.items() if k != "cache_control"}
    if kept["type"] == "tool_use" and not isinstance(kept.get("input"), dict):
        kept["input"] = {}
    return kept


def _user_block(block: JsonObject) -> JsonObject:
    dropped = ("cache_control", "citations") if block["type"] == "text" else ("cache_control",)
    return {k: v for k, v in block.items() if k not in dropped}


def _result_block(block: JsonObject) -> JsonObject:
    kept = {k: v for k, v in block.items() if k in ("type", "tool_use_id", "content", "is_error")}
    content = kept.get("content")
    if is_list(content):
        parts: list[Any] = content
        kept["content"] = [
            _user_block(b)
            for b in parts
            if is_object(b) and b.get("type") in _RESULT_BLOCKS and _is_sendable(b)
        ]
        if not kept["content"]:
            kept["content"] = ""
    elif not isinstance(content, str):
        kept["content"] = ""
    if kept.get("is_error") is not True:
        kept.pop("is_error", None)
    return kept


def stray_results(rounds: Sequence[Round], entries: Iterable[JsonObject]) -> dict[str, JsonObject]:
    """Results anywhere in the file for calls whose own round has none, by call id."""
    open_calls = {call for r in rounds for call in r.calls() if call not in r.results}
    found: dict[str, JsonObject] = {}
    if not open_calls:
        return found
    for entry in entries:
        if entry.get("type") != "user" or entry.get("isSidechain"):
            continue
        for block in content_blocks(entry):
            call = str(block.get("tool_use_id"))
            if block["type"] == "tool_result" and call in open_calls:
                found.setdefault(call, _result_block(block))
    return found


def finish_round(
    current: Round,
    strays: dict[str, JsonObject],
    used: set[str],
    *,
    first: bool,
    later: Round | None = None,
) -> list[JsonObject]:
    """The messages of one round: each call answered once, results first, nothing empty.

    `used` collects call ids over the whole conversation; a repeated call is dropped. A
    conversation that starts with an assistant message gets a user message before it. `later` is
    the round after this one.
    """
    blocks = _answerable(current, later, used)
    calls = [str(b["id"]) for b in blocks if b["type"] == "tool_use"]
    used.update(calls)
    content = [
        current.results.get(call) or strays.get(call) or interrupted_result(call) for call in calls
    ]
    content += current.reminders + current.prompts
    messages: list[JsonObject] = []
    if blocks:
        if first:
            messages.append(_message("user", [{"type": "text", "text": MISSING_START}]))
        messages.append(_message("assistant", blocks))
    if content:
        messages.append(_message("user", content))
    return messages


def _answerable(current: Round, later: Round | None, used: set[str]) -> list[JsonObject]:
    """The assistant blocks without repeated calls, cut server calls and trailing thinking.

    A server call that waits for its result allows nothing but results after it; the response
    that goes on with a paused one holds its result.
    """
    spoken = bool(current.reminders or current.prompts)
    cut = current.aborted or spoken or later is not None
    finishing = later.blocks if later is not None and not spoken else []
    answered = {str(b["tool_use_id"]) for b in (*current.blocks, *finishing) if "tool_use_id" in b}
    own: set[str] = set()
    blocks: list[JsonObject] = []
    for block in current.blocks:
        kind, call = block["type"], str(block.get("id"))
        if kind == "tool_use" and (call in used or call in own):
            continue
        if kind == "server_tool_use" and cut and call not in answered:
            continue
        own.add(call)
        blocks.append(block)
    while blocks and blocks[-1]["type"] in _THINKING:
        blocks.pop()
    return blocks


def interrupted_result(call_id: str) -> JsonObject:
    """The error result of a call that never got one."""
    return {
        "type": "tool_result",
        "tool_use_id": call_id,
        "content": INTERRUPTED_CALL,
        "is_error": True,
    }


def _message(role: str, content: list[JsonObject]) -> JsonObject:
    return {"role": role, "content": content}
