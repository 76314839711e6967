"""Listings near the start of a conversation: deferred tools, MCP servers, skills, agents."""

from collections.abc import Iterable, Mapping

from hames.harness.prompt_files import prompt_section
from hames.harness.reminders import reminder
from hames.settings.definitions import Agent


def deferred_tools(names: Iterable[str]) -> str:
    """The names of tools that are loaded on demand; empty when there are none."""
    return _listing("deferred", sorted(names))


def server_instructions(servers: Mapping[str, str]) -> str:
    """What MCP servers say about their tools, by server name."""
    parts = [f"# {name}\n{text.strip()}" for name, text in sorted(servers.items()) if text.strip()]
    return _listing("servers", parts, "\n\n")


def skill_listing(lines: Iterable[str]) -> str:
    """Lines of `settings.skill_listing.skill_lines`; empty when there are none."""
    return _listing("skills", list(lines))


def agent_listing(agents: Iterable[Agent]) -> str:
    """Types with what they are for and which tools they have."""
    return _listing("agents", [_agent_line(agent) for agent in agents])


def _agent_line(agent: Agent) -> str:
    tools = "all tools" if agent.tools is None else ", ".join(agent.tools) or "no tools"
    if agent.disallowed:
        tools += f", without {', '.join(agent.disallowed)}"
    return f"- {agent.name}: {' '.join(agent.description.split())} ({tools})"


def _listing(key: str, lines: list[str], separator: str = "\n") -> str:
    if not lines:
        return ""
    return reminder(prompt_section("reminders", key) + "\n\n" + separator.join(lines))
