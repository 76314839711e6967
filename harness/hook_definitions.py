"""The hooks that plugins, skills and agents bring join those of the session."""

from collections.abc import Iterable

from hames.harness.hook_wiring import tell_problems
from hames.harness.services import Services
from hames.hooks.config import HookConfig
from hames.hooks.from_definitions import agent_hooks, plugin_hooks, skill_hooks
from hames.settings.definitions import Agent, Plugin, Skill


def register_skill(services: Services, skill: Skill) -> None:
    """The hooks of a skill or command run from its first use to the end of the session."""
    _register(services, f"skill:{skill.name}", skill_hooks(skill))


def register_agent(services: Services, agent: Agent, agent_id: str, *, trusted: bool) -> None:
    """The hooks of an agent hear its own events until `unregister_agent`."""
    _register(services, f"agent:{agent_id}", agent_hooks(agent, trusted=trusted), agent_id)


def unregister_agent(services: Services, agent_id: str) -> None:
    """The agent is done."""
    if services.hooks is not None:
        services.hooks.engine.unregister(f"agent:{agent_id}")


def register_plugins(services: Services, plugins: Iterable[Plugin]) -> None:
    """The hooks of the enabled plugins run the whole session."""
    for plugin in plugins:
        _register(services, f"plugin:{plugin.id}", plugin_hooks(plugin))


def _register(
    services: Services, group: str, config: HookConfig, agent_id: str | None = None
) -> None:
    tell_problems(services, config.problems)
    if config.specs and services.open_hooks is not None:
        services.open_hooks().engine.register(group, config.specs, agent_id=agent_id)
