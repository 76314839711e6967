"""What the server keeps of every request."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any


@dataclass
class RecordedRequest:
    """A request as it came. Times are `time.monotonic()` of its and its answer's ends.

    `status` is 0 until the answer's head is sent; `refusal` is the message of an answer that the
    validator gave; `finished` is false while the answer is being sent or when it was not taken.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str]
    raw: bytes
    connection: int
    first_byte: float
    last_byte: float
    answer_first: float = 0.0
    answer_last: float = 0.0
    status: int = 0
    refusal: str | None = None
    finished: bool = False
    betas: frozenset[str] = field(default_factory=frozenset[str])

    @cached_property
    def body(self) -> dict[str, Any]:
        """The parsed body, {} when it is no JSON object."""
        try:
            value = json.loads(self.raw)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def model(self) -> str:
        """The model that was asked for."""
        return str(self.body.get("model", ""))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages array."""
        return list(self.body.get("messages", []))

    @property
    def tool_names(self) -> list[str]:
        """Names in the tools array, in order."""
        return [str(tool.get("name")) for tool in self.body.get("tools", [])]

    @property
    def system_text(self) -> str:
        """The whole system prompt."""
        system = self.body.get("system", "")
        if isinstance(system, str):
            return system
        return "\n".join(str(block.get("text", "")) for block in system)

    def blocks(self, kind: str) -> list[dict[str, Any]]:
        """Every top-level content block of a type, in order."""
        return [
            block
            for message in self.messages
            if isinstance(message["content"], list)
            for block in message["content"]
            if block.get("type") == kind
        ]

    @property
    def results(self) -> dict[str, dict[str, Any]]:
        """Tool results by the id of their call."""
        return {block["tool_use_id"]: block for block in self.blocks("tool_result")}

    @property
    def last_text(self) -> str:
        """The text of the last message, reminders included."""
        content = self.messages[-1]["content"] if self.messages else ""
        if isinstance(content, str):
            return content
        return "\n".join(str(block["text"]) for block in content if block.get("type") == "text")
