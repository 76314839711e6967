"""The hooks that plugins, skills and agents bring."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from hames.hooks.config import HookConfig, HookProblem, parse_hooks
from hames.hooks.spec import HookSource
from hames.hooks.spec import Plugin as PluginFacts
from hames.settings.definitions import Agent, Plugin, Skill
from hames.settings.json_files import read_json
from hames.settings.text_files import Problem, real_path
from hames.system.types import JsonObject, is_list, is_object

_DEFAULT_FILE = Path("hooks") / "hooks.json"


def plugin_hooks(
    plugin: Plugin, options: Mapping[str, str] | None = None, *, forced: bool = False
) -> HookConfig:
    """The hooks of `hooks/hooks.json` and of what the manifest names or holds.

    `options` is the user's configuration of the plugin, `forced` that the policy enables it.
    """
    facts = PluginFacts(plugin.name, plugin.root, plugin.data, dict(options or {}))
    configs: list[HookConfig] = []
    for path, given in _parts(plugin):
        source = HookSource("plugin", f"Plugin {plugin.id}", path, plugin.id, facts, forced)
        if isinstance(given, Problem):
            problem = HookProblem("entry", "", given.text, source)
            configs.append(HookConfig(problems=(problem,)))
        else:
            configs.append(parse_hooks(given.get("hooks", given), source))
    return HookConfig(
        tuple(spec for config in configs for spec in config.specs),
        tuple(problem for config in configs for problem in config.problems),
    )


def skill_hooks(skill: Skill) -> HookConfig:
    """The hooks of a skill or command, for the rest of the session after its first use."""
    facts = None
    if skill.plugin is not None:
        facts = PluginFacts(skill.plugin.name, skill.plugin.root, skill.plugin.data)
    source = HookSource("skill", f"Skill {skill.name}", skill.path, skill.name, facts)
    return parse_hooks(skill.hooks, source)


def agent_hooks(agent: Agent, *, trusted: bool) -> HookConfig:
    """The hooks of an agent while it runs; none for agents of plugins.

    `trusted` is whether the folder of a project agent is.
    """
    if agent.source == "plugin" or (agent.source == "project" and not trusted):
        return HookConfig()
    source = HookSource("agent", f"Agent {agent.name}", agent.path, agent.name)
    return parse_hooks(agent.hooks, source)


def _parts(plugin: Plugin) -> Iterator[tuple[Path, JsonObject | Problem]]:
    """Every object with hooks and the file it stands in; a file is read once."""
    seen: set[Path] = set()
    named: object = plugin.manifest.get("hooks")
    if is_object(named):
        yield plugin.root / ".claude-plugin" / "plugin.json", named
    texts = [named] if isinstance(named, str) else named if is_list(named) else []
    for text in (str(_DEFAULT_FILE), *texts):
        path = real_path(plugin.root / str(text))
        if not path.is_relative_to(real_path(plugin.root)):
            yield path, Problem(path, "lies outside of the plugin")
        elif path not in seen:
            seen.add(path)
            yield from _read(path, required=text in texts)


def _read(path: Path, *, required: bool) -> Iterator[tuple[Path, JsonObject | Problem]]:
    problems: list[Problem] = []
    given = read_json(path, problems)
    if given is not None:
        yield path, given
    elif required and not problems:
        problems.append(Problem(path, "does not exist"))
    for problem in problems:
        yield path, problem
