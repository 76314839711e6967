"""A request that the rules judge, and the answer to one that breaks them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from support.fake_api.models import ModelFacts
from support.fake_api.raw import RawBody

Problems = Iterator[str]
"""Error messages in the words of the API; a rule yields none for a good request."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error answer: HTTP status, `error.type`, `error.message`."""

    status: int
    kind: str
    message: str

    def body(self, request_id: str) -> dict[str, Any]:
        """The JSON body of the answer."""
        error = {"type": self.kind, "message": self.message}
        return {"type": "error", "error": error, "request_id": request_id}


@dataclass(frozen=True, slots=True)
class Judged:
    """A parsed request. `counting` is a count_tokens body, `account` the caller's organisation."""

    body: Mapping[str, Any]
    raw: RawBody
    facts: ModelFacts
    betas: frozenset[str] = frozenset()
    version: str = "2026-10-21"
    account: str = "main"
    counting: bool = False
    enforce_binding: bool = True

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages array."""
        listed: list[dict[str, Any]] = self.body["messages"]
        return listed

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools array, [] when absent."""
        return self.body.get("tools") or []

    @property
    def thinking(self) -> Mapping[str, Any]:
        """The thinking object, {} when absent."""
        return self.body.get("thinking") or {}

    def beta(self, name: str) -> bool:
        """Whether a beta was asked for; `name` without its date covers every version."""
        return any(beta == name or beta.startswith(f"{name}-2") for beta in self.betas)


def blocks_of(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The content as blocks; a string is one text block."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def every_block(request: Judged) -> Iterator[tuple[str, Mapping[str, Any], dict[str, Any]]]:
    """Path, message and block of every top-level content block of the messages."""
    for index, message in enumerate(request.messages):
        for number, block in enumerate(blocks_of(message)):
            yield f"messages.{index}.content.{number}", message, block
