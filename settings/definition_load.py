"""Everything a session can find on disk besides settings and memory, in one call."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hames.settings.agents import load_agents
from hames.settings.definitions import Definitions, Places
from hames.settings.frontmatter_values import Value
from hames.settings.plugins import PluginRequest, load_plugins
from hames.settings.skills import load_skills
from hames.settings.styles import load_styles
from hames.settings.text_files import Problem
from hames.system.types import JsonObject


@dataclass(frozen=True, slots=True)
class DefinitionRequest:
    """`places` without plugins; `agents` is the object of `--agents`."""

    places: Places
    plugins: PluginRequest
    agents: Mapping[str, Mapping[str, Value]] = field(default_factory=dict[str, JsonObject])
    skill_overrides: Mapping[str, str] = field(default_factory=dict[str, str])


def load_definitions(request: DefinitionRequest) -> Definitions:
    """Plugins first, then agents, skills, commands and styles. Never raises for a bad file."""
    problems: list[Problem] = []
    places = request.places
    folders = (*places.user_folder("skills"), *places.project_folders("skills"))
    wanted = replace(request.plugins, skill_folders=(*request.plugins.skill_folders, *folders))
    plugins = load_plugins(wanted, problems)
    places = places._replace(plugins=plugins)
    return Definitions(
        agents=load_agents(places, request.agents, problems),
        skills=load_skills(places, request.skill_overrides, problems),
        styles=load_styles(places, problems),
        plugins=plugins,
        problems=tuple(problems),
    )
