"""The handlers of hooks that need the session: the client, MCP servers, models."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from hames.harness.events import Scope
from hames.harness.ops import JsonAnswer
from hames.harness.questions import Answered
from hames.harness.services import Services
from hames.hooks.ports import RawOutput, Runner
from hames.hooks.spec import Callback, HookSpec, McpTool
from hames.system.types import JsonObject


@dataclass(frozen=True, slots=True)
class LateRunner:
    """A runner that is made when its first hook runs."""

    make: Callable[[], Runner]

    async def run(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        """What the real runner says."""
        return await self.make().run(spec, given, timeout)


@dataclass(frozen=True, slots=True)
class CallbackRunner:
    """Functions of the client, called through a question that only programs answer."""

    services: Services

    async def run(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        """The JSON of the client's answer; giving up withdraws the question."""
        del timeout
        if not isinstance(spec.handler, Callback):
            return RawOutput(exit_code=None, failure=f"{spec.type} hooks are no callbacks")
        payload: JsonObject = {
            "callback_id": spec.handler.callback_id,
            "input": given,
            "tool_use_id": given.get("tool_use_id"),
        }
        scope = Scope(str(given.get("session_id")), given.get("prompt_id"), given.get("agent_id"))
        outcome = await self.services.questions.ask("hook_callback", scope, {}, payload)
        if not isinstance(outcome, Answered) or not isinstance(outcome.answer, JsonAnswer):
            return RawOutput(exit_code=None, failure="the client is gone")
        if outcome.answer.error is not None:
            return RawOutput(exit_code=None, failure=outcome.answer.error)
        return RawOutput(stdout=json.dumps(outcome.answer.value))


class ServerRunner:
    """Tools of MCP servers; none is connected in this session."""

    async def run(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        """Tells that the server is missing."""
        del given, timeout
        name = spec.handler.server if isinstance(spec.handler, McpTool) else spec.summary
        return RawOutput(exit_code=None, failure=f"the MCP server {name} is not connected")
