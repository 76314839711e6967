"""Token numbers from body sizes, and a prompt cache that knows prefixes by their hash."""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from support.fake_api.raw import block_texts, elements
from support.fake_api.request import Judged

_BYTES_PER_TOKEN = 4
_MEDIA_TOKENS = 1500
_MEDIA = re.compile(r'"data"\s*:\s*"[A-Za-z0-9+/=]{256,}"')
_LOOKBACK = 20


def tokens_of(text: str) -> int:
    """About the tokens of a raw text; base64 data counts as one picture each."""
    bare, media = _MEDIA.subn("", text)
    return -(-len(bare.encode("utf-8", "replace")) // _BYTES_PER_TOKEN) + media * _MEDIA_TOKENS


@dataclass(frozen=True, slots=True)
class Step:
    """One cacheable piece of the prefix; `ttl` when it carries a mark."""

    tokens: int
    digest: str
    ttl: str | None


def steps(request: Judged) -> list[Step]:
    """The prefix block by block, each with the hash of everything up to it."""
    sha = hashlib.sha256(str(request.body["model"]).encode())
    sha.update(json.dumps(request.body.get("output_config"), sort_keys=True).encode())
    found: list[Step] = []
    for text, mark in _segments(request):
        sha.update(f"{len(text)}:".encode() + text.encode("utf-8", "surrogatepass"))
        ttl = mark.get("ttl", "5m") if mark else None
        found.append(Step(tokens_of(text), sha.hexdigest(), ttl))
    automatic = request.body.get("cache_control")
    if automatic and found:
        last = found[-1]
        found[-1] = Step(last.tokens, last.digest, automatic.get("ttl", "5m"))
    return found


def _segments(request: Judged) -> Iterator[tuple[str, dict[str, Any] | None]]:
    raw = request.raw
    for (start, end), tool in zip(elements(raw.tools, 0), request.tools, strict=True):
        yield raw.tools[start:end], tool.get("cache_control")
    system = request.body.get("system")
    if isinstance(system, str):
        yield raw.system, None
    for (start, end), block in zip(elements(raw.system, 0), system or [], strict=False):
        yield raw.system[start:end], block.get("cache_control")
    for text, message in zip(raw.messages, request.messages, strict=True):
        content = message["content"]
        blocks: list[Any] = content if isinstance(content, list) else [{}]
        for part, block in zip(block_texts(text), blocks, strict=True):
            yield f"{message['role']}{part}", _mark_of(block)


def _mark_of(block: dict[str, Any]) -> dict[str, Any] | None:
    inner = block.get("content")
    for part in inner if isinstance(inner, list) else []:
        if isinstance(part, dict) and part.get("cache_control"):
            mark: dict[str, Any] = part["cache_control"]
            return mark
    return block.get("cache_control")


@dataclass(slots=True)
class PromptCache:
    """The cache of one server; nothing expires."""

    known: set[str] = field(default_factory=set[str])

    def account(self, request: Judged) -> dict[str, Any]:
        """Input usage of a request, and remember what its marks write."""
        prefix = steps(request)
        total = sum(step.tokens for step in prefix)
        marks = [index for index, step in enumerate(prefix) if step.ttl]
        read_to = self._read(prefix, marks)
        write_to = marks[-1] + 1 if marks else 0
        read = sum(step.tokens for step in prefix[:read_to])
        up_to_write = sum(step.tokens for step in prefix[:write_to])
        if up_to_write < request.facts.minimum:
            read, up_to_write = 0, 0
        else:
            self.known.update(prefix[index].digest for index in marks)
        created = max(0, up_to_write - read)
        hourly = created if marks and prefix[marks[-1]].ttl == "1h" else 0
        return {
            "input_tokens": total - read - created,
            "cache_creation_input_tokens": created,
            "cache_read_input_tokens": read,
            "cache_creation": {
                "ephemeral_5m_input_tokens": created - hourly,
                "ephemeral_1h_input_tokens": hourly,
            },
            "service_tier": "standard",
        }

    def _read(self, prefix: list[Step], marks: list[int]) -> int:
        for mark in reversed(marks):
            for index in range(mark, max(-1, mark - _LOOKBACK), -1):
                if prefix[index].digest in self.known:
                    return index + 1
        return 0


def count_tokens(request: Judged) -> int:
    """All input tokens of a request."""
    return sum(step.tokens for step in steps(request))
