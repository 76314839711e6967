"""What hooks need from above: handlers that ask a model, a server or the client."""

from dataclasses import dataclass
from typing import Protocol

from hames.hooks.spec import HookSpec
from hames.system.types import JsonObject


@dataclass(frozen=True, slots=True)
class RawOutput:
    """What a handler gave, not yet understood.

    `exit_code` is None when nothing ran to its end; `failure` then says why (could not start,
    not connected, bad answer). Handlers without a process give 0 and their text as `stdout`.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = 0
    failure: str | None = None
    timed_out: bool = False


class Runner(Protocol):
    """Runs one handler type.

    For prompt and agent the answer is the model's text, for mcp_tool the text content of the
    result, for callback the JSON of the client's answer.
    """

    async def run(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        """Run the handler; the caller ends it after `timeout` seconds by cancelling."""
        ...
