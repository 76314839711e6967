"""The one request builder: projection + frozen prefix + cache marks -> the body as bytes."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from hames.system.text import clean
from hames.system.types import JsonObject, is_list

MARK = {"type": "ephemeral"}
_UNMARKABLE = ("thinking", "redacted_thinking")


def encode(value: object) -> bytes:
    """Compact JSON in UTF-8; lone surrogates are replaced."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return clean(text).encode("utf-8")


class Prefix(NamedTuple):
    """System text blocks and tool schemas, rendered once per session and stored with it."""

    system: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]

    @property
    def sha256(self) -> str:
        """Hash of the encoded system and tools."""
        return hashlib.sha256(encode([self.system, self.tools])).hexdigest()

    def to_entry(self) -> JsonObject:
        """The transcript line (without the session id that the transcript adds)."""
        return {
            "type": "hames-prefix",
            "sha256": self.sha256,
            "system": list(self.system),
            "tools": list(self.tools),
        }


def prefix_of(entries: Sequence[JsonObject]) -> Prefix | None:
    """The newest stored prefix; None when there is none or its hash does not fit."""
    for entry in reversed(entries):
        if entry.get("type") == "hames-prefix":
            system, tools = entry.get("system"), entry.get("tools")
            if is_list(system) and is_list(tools):
                found = Prefix(tuple(system), tuple(tools))
                return found if found.sha256 == entry.get("sha256") else None
    return None


class CachePolicy(NamedTuple):
    """Whether and how long the prompt cache is asked for; `ttl` None is the default of 5 min."""

    enabled: bool = True
    ttl: str | None = None

    def mark(self) -> JsonObject | None:
        """The value of `cache_control`, or None when caching is off."""
        if not self.enabled:
            return None
        return {**MARK, "ttl": self.ttl} if self.ttl else dict(MARK)


@dataclass(slots=True)
class RequestBuilder:
    """Builds bodies for one session; each message is encoded once, without marks."""

    prefix: Prefix
    cache: CachePolicy = CachePolicy()
    _encoded: list[tuple[JsonObject, bytes]] = field(default_factory=list[tuple[JsonObject, bytes]])
    _head: bytes = b""

    def build(self, messages: Sequence[JsonObject], parameters: JsonObject) -> bytes:
        """The body. `parameters` are model, max_tokens and the like; `messages` is the last key."""
        head = encode({**parameters, "stream": True})[:-1]
        return b"".join(
            (head, self._prefix_bytes(), b',"messages":[', self._messages(messages), b"]}")
        )

    def _prefix_bytes(self) -> bytes:
        if not self._head:
            mark = self.cache.mark()
            system = [dict(block) for block in self.prefix.system]
            if mark is not None and system:
                for index in {0, len(system) - 1}:
                    system[index]["cache_control"] = mark
            head = b',"system":' + encode(system) if system else b""
            if self.prefix.tools:
                head += b',"tools":' + encode(self.prefix.tools)
            self._head = head
        return self._head

    def _messages(self, messages: Sequence[JsonObject]) -> bytes:
        encoded = self._encoded
        del encoded[len(messages) :]
        for index, message in enumerate(messages):
            if index == len(encoded):
                encoded.append((message, encode(message)))
            elif encoded[index][0] is not message:
                encoded[index] = (message, encode(message))
        parts = [data for _, data in encoded]
        mark = self.cache.mark()
        if mark is not None:
            for index in _marked(messages):
                parts[index] = _with_mark(parts[index], mark)
        return b",".join(parts)


def _marked(messages: Sequence[JsonObject]) -> list[int]:
    """The newest user message and the one before it, whose mark was written by the last request."""
    newest_first = range(len(messages) - 1, -1, -1)
    users = (i for i in newest_first if messages[i]["role"] == "user" and _is_markable(messages[i]))
    return list(islice(users, 2))


def _is_markable(message: JsonObject) -> bool:
    content = message["content"]
    return bool(content) and content[-1].get("type") not in _UNMARKABLE


def _with_mark(data: bytes, mark: JsonObject) -> bytes:
    """The encoded message with a mark in its last block, spliced in before the closing `}]}`."""
    return data[:-3] + b',"cache_control":' + encode(mark) + data[-3:]
