"""What reads files and runs tools, imported when it is first needed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hames.harness.agent import Agent
from hames.harness.commands import BuiltIn, Expanded
from hames.harness.library import Library, Readers
from hames.harness.live_settings import LiveSettings
from hames.harness.loop import CallRunner
from hames.harness.models.port import ModelClient
from hames.harness.record import Record
from hames.harness.runner import Runner
from hames.harness.services import Services
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.harness.turn import Turn
from hames.harness.unasked import Attached, Unasked
from hames.harness.user_commands import Expand
from hames.system.types import JsonObject
from hames.tools.registry import Registry

if TYPE_CHECKING:
    from hames.settings.definitions import Skill


FILE_COMMANDS = ("agents", "context", "help", "init", "memory", "skills")


def readers() -> Readers:
    """The readers of instructions and definitions."""
    module: Any = import_module("hames.harness.project_files")
    found: Readers = module
    return found


async def attach(text: str, calls: Unasked, turn: Turn, state: SessionState) -> Attached:
    """What a prompt mentions."""
    mentions: Any = import_module("hames.harness.mentions")
    found: Attached = await mentions.attach_mentions(text, calls, turn, state)
    return found


@dataclass(slots=True)
class LateTools:
    """What tool calls and commands of a session go through; made when the first one comes."""

    start: Start
    session_id: str
    services: Services
    live: LiveSettings
    registry: Registry
    library: Library
    client: ModelClient
    _made: Any = None

    def runners(
        self, record: Record, offered: frozenset[str], spill: Path
    ) -> Callable[[], CallRunner]:
        """Gives the runner of the calls of one conversation."""
        made: list[CallRunner] = []

        def runner() -> CallRunner:
            if not made:
                module: Any = import_module("hames.harness.dispatch")
                made.append(module.Dispatch(record, self.services, self._tools(), offered, spill))
            return made[0]

        return runner

    def expander(self, agent: Callable[[], Agent]) -> Callable[[], Expand]:
        """Gives what expands the commands of the user; `agent` is whose turn it is."""

        def expander() -> Expand:
            module: Any = import_module("hames.harness.expansion")
            found: Expand = module.Expansion(self._tools().skills(), self.services, agent).expand
            return found

        return expander

    def commands(self, runner: Runner) -> Mapping[str, BuiltIn]:
        """The built-in commands about files, by name."""

        def command(name: str) -> BuiltIn:
            async def run(arguments: str) -> str | Expanded:
                module: Any = import_module("hames.harness.file_commands")
                output: str | Expanded = await module.run(
                    name, arguments, self.library, runner, self.client
                )
                return output

            return run

        return {name: command(name) for name in FILE_COMMANDS}

    async def context(self, runner: Runner, what: str) -> JsonObject:
        """What fills the window: `context` for clients, `layers` with a chart for people."""
        module: Any = import_module("hames.harness.context_usage")
        tell = module.context_usage if what == "context" else module.context_layers
        usage: JsonObject = await tell(runner, self.library, self.client)
        return usage

    def _tools(self) -> Any:
        if self._made is None:
            tooling: Any = import_module("hames.harness.tooling")
            extras = tooling.Extras(self.library, self.session_id, self._register_hooks)
            self._made = tooling.make_tools(
                self.registry, self.live, self.services, self.start, extras
            )
        return self._made

    def _register_hooks(self, skill: "Skill") -> None:
        import_module("hames.harness.hook_definitions").register_skill(self.services, skill)
