"""Prompt and agent hooks: a model decides, in a conversation of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hames.harness.agent import AgentFactory
from hames.harness.caps import Caps
from hames.harness.conversation import ConversationOptions, Rendered
from hames.harness.dispatch import Dispatch
from hames.harness.events import Event, Scope
from hames.harness.inbox import Inbox, Prompt
from hames.harness.live_settings import LiveSettings
from hames.harness.loop import CallRunner
from hames.harness.models.parameters import Wishes
from hames.harness.models.port import ModelClient
from hames.harness.models.profiles import Profile
from hames.harness.models.retry import RetryPolicy
from hames.harness.ops import new_id
from hames.harness.prompt_files import prompt_section
from hames.harness.questions import Questions
from hames.harness.record import Record
from hames.harness.request_fields import FieldSource
from hames.harness.services import Services
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.harness.tool_set import choose_tools
from hames.harness.tooling import make_tools
from hames.harness.transcript import Header, Transcript
from hames.harness.turn import Turn
from hames.hooks.ports import RawOutput
from hames.hooks.spec import HookSpec
from hames.hooks.spec import Prompt as PromptHandler
from hames.hooks.verdict import filled_prompt
from hames.system.types import JsonObject
from hames.tools.registry import Registry

SMALL_MODEL = "haiku"
AGENT_TURNS = 50
AGENT_TOOLS = ("Read", "Grep", "Glob")


@dataclass(frozen=True, slots=True)
class ModelRunner:
    """Prompt and agent hooks: a conversation of its own, in memory, unseen by people.

    An agent reads files under the rules of the session; where those would ask, it is refused.
    """

    start: Start
    live: LiveSettings
    services: Services
    client: ModelClient
    profile: Profile
    retries: RetryPolicy

    async def run(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        """The model's verdict as text."""
        del timeout
        handler = spec.handler
        if not isinstance(handler, PromptHandler):
            return RawOutput(exit_code=None, failure=f"{spec.type} hooks ask no model")
        session_id = new_id()
        cwd = Path(str(given.get("cwd") or self.start.cwd))
        record = Record(
            Transcript(None, Header(session_id, str(cwd))), SessionState(cwd, "default")
        )
        agent = self._agents(handler).make(record, self.start.cwd, "startup")
        text = filled_prompt(handler.text, given)
        prompt = Prompt(new_id(), text, literal=True)
        result = await agent.loop.run(Turn(Scope(session_id), [prompt]))
        if result.is_error:
            why = result.text or "; ".join(result.errors)
            return RawOutput(exit_code=None, failure=f"the model gave no verdict: {why}")
        return RawOutput(stdout=result.text)

    def _agents(self, handler: PromptHandler) -> AgentFactory:
        tools = choose_tools(AGENT_TOOLS, bare=False) if handler.agent else []
        registry = Registry(tools)
        quiet = Services(
            emit=_unheard,
            questions=Questions(_unheard, frozenset()),
            ledger=self.services.ledger,
            env=self.services.env,
            root=self.services.root,
        )
        shared = make_tools(registry, self.live, quiet, self.start)

        def calls(record: Record, offered: frozenset[str], spill: Path) -> Callable[[], CallRunner]:
            dispatch = Dispatch(record, quiet, shared, offered, spill)
            return lambda: dispatch

        return AgentFactory(
            services=quiet,
            calls=calls,
            client=self.client,
            opening=_Check(agent=handler.agent),
            options=self._options(handler, registry),
            retries=self.retries,
            inbox=Inbox(),
            caps=Caps(max_turns=AGENT_TURNS if handler.agent else 1),
        )

    def _options(self, handler: PromptHandler, registry: Registry) -> ConversationOptions:
        source = FieldSource(
            handler.model or SMALL_MODEL, (), Wishes(), self.profile, self.services.env
        )
        return ConversationOptions(
            fields=source.fields,
            choose=source.choose,
            tools=tuple(registry.schemas()),
            timeout=self.retries.timeout,
            idle=self.retries.idle,
        )


@dataclass(frozen=True, slots=True)
class _Check:
    """The opening of a check."""

    agent: bool

    async def render(self, state: SessionState) -> Rendered:
        del state
        parts = ("rules", "agent") if self.agent else ("rules",)
        texts = (prompt_section("hook_check", part) for part in parts)
        return Rendered(tuple({"type": "text", "text": text} for text in texts))


def _unheard(event: Event) -> None:
    del event
