"""Thinking signatures: HMACs over the thinking text and over everything before the block."""

import base64
import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from support.fake_api.models import find_model

_SECRET = b"fake messages api"
_BYTES = 18


def _mac(label: str, *parts: str) -> str:
    mac = hmac.new(_SECRET, label.encode(), hashlib.sha256)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        mac.update(len(data).to_bytes(8, "big") + data)
    return base64.b64encode(mac.digest()[:_BYTES]).decode()


@dataclass(frozen=True, slots=True)
class Prefix:
    """What stands before a thinking block, as raw JSON text without cache marks.

    `blocks` are the blocks before it in its own message; parsed, as a client may encode the
    content of an answer in its own way.
    """

    tools: str
    system: str
    messages: tuple[str, ...]
    blocks: tuple[Any, ...] = ()


def canonical(value: Any) -> str:
    """One spelling for equal JSON values, so that a re-encoded block keeps its meaning."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def sign(model: str, account: str, prefix: Prefix, thinking: str) -> str:
    """The signature of a block that `model` thinks after `prefix`."""
    facts = find_model(model)
    head = canonical({"model": facts.id if facts else model, "account": account})
    text = _mac("text", head, thinking)
    bound = _mac("prefix", head, *_flat(prefix))
    return base64.b64encode(f"{head}\n{text}\n{bound}".encode()).decode()


def _flat(prefix: Prefix) -> Sequence[str]:
    blocks = [canonical(block) for block in prefix.blocks]
    return (prefix.tools, prefix.system, str(len(prefix.messages)), *prefix.messages, *blocks)


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature taken apart; see `read_signature`."""

    model: str
    account: str
    text: str
    bound: str

    def fits_text(self, thinking: str) -> bool:
        """Whether the thinking text is the one that was signed."""
        return self.text == _mac("text", self._head(), thinking)

    def fits_prefix(self, prefix: Prefix) -> bool:
        """Whether everything before the block is what it was when the block was thought."""
        return self.bound == _mac("prefix", self._head(), *_flat(prefix))

    def _head(self) -> str:
        return canonical({"model": self.model, "account": self.account})


def read_signature(signature: str) -> Signature | None:
    """Take a signature of this API apart; None for anything else."""
    try:
        head, text, bound = base64.b64decode(signature, validate=True).decode().split("\n")
        named = json.loads(head)
        return Signature(named["model"], named["account"], text, bound)
    except (ValueError, KeyError, TypeError):
        return None
