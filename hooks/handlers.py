"""Runs one handler to its raw output, whatever its type, within its time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module

from hames.hooks.command import run_command
from hames.hooks.context import HookContext, HookSession
from hames.hooks.event_table import HandlerType
from hames.hooks.policy import HookPolicy
from hames.hooks.ports import RawOutput, Runner
from hames.hooks.spec import Command, HookSpec, Http
from hames.system.types import JsonObject

_AT_ONCE = 12
"""Prompt and agent hooks that ask models at the same time."""


@dataclass(slots=True)
class Handlers:
    """All handler types of one session."""

    session: HookSession
    policy: HookPolicy
    runners: Mapping[HandlerType, Runner]
    _asking: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    async def run(
        self, spec: HookSpec, given: JsonObject, context: HookContext, timeout: float
    ) -> RawOutput:
        """Run the handler; a failure of any kind is a value."""
        if isinstance(spec.handler, Command):
            return await run_command(
                spec, spec.handler, given, self.session, context, timeout=timeout
            )
        try:
            async with asyncio.timeout(timeout):
                return await self._other(spec, given, timeout)
        except TimeoutError:
            return RawOutput(
                exit_code=None, failure=f"timed out after {timeout:g} s", timed_out=True
            )

    async def _other(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        if isinstance(spec.handler, Http):
            # The HTTP client is large, and most hooks are commands.
            post = import_module("hames.hooks.http").post
            answer: RawOutput = await post(spec.handler, given, self.policy, self.session.env)
            return answer
        runner = self.runners.get(spec.type)
        if runner is None:
            return RawOutput(exit_code=None, failure=f"nothing here runs {spec.type} hooks")
        if spec.type in ("prompt", "agent"):
            async with self._asking:
                return await runner.run(spec, given, timeout)
        return await runner.run(spec, given, timeout)
