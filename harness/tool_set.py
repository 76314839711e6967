"""Which built-in tools a session offers, by flags and the bare mode."""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hames.harness.errors import UsageError
from hames.harness.start import Start
from hames.settings.permissions.names import ALIASES
from hames.settings.permissions.rule_text import RuleText
from hames.tools.registry import Registry, load_specs
from hames.tools.spec import ToolSpec

if TYPE_CHECKING:
    from hames.settings.definitions import Agent as AgentDefinition

BARE_TOOLS = ("Bash", "Edit", "Read")


def choose_tools(wanted: Iterable[str] | None, *, bare: bool) -> list[ToolSpec]:
    """The specs that `--tools` names; None and `default` mean all.

    Raises UsageError for a name that is no tool.
    """
    specs = load_specs()
    if wanted is None or tuple(wanted) == ("default",):
        return [spec for spec in specs if not bare or spec.name in BARE_TOOLS]
    known = {name: spec.name for spec in specs for name in (spec.name, *spec.aliases)}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        names = ", ".join(sorted(spec.name for spec in specs))
        raise UsageError(f"--tools: there is no tool {unknown[0]!r}; there are: {names}")
    chosen = {known[name] for name in wanted}
    return [spec for spec in specs if spec.name in chosen]


def tools_of_agent(
    specs: Iterable[ToolSpec], allowed: Iterable[str] | None, denied: Iterable[str]
) -> list[ToolSpec]:
    """The tools an agent has; its lists hold names, aliases and rules such as `Bash(git *)`."""
    taken = {_name(rule) for rule in denied}
    kept = None if allowed is None else {_name(rule) for rule in allowed}
    return [
        spec
        for spec in specs
        if not taken.intersection((spec.name, *spec.aliases))
        and (kept is None or "*" in kept or kept.intersection((spec.name, *spec.aliases)))
    ]


def _name(rule: str) -> str:
    return rule.partition("(")[0].strip()


def bare_rules(rules: Iterable[RuleText]) -> list[RuleText]:
    """The deny rules without content, which take tools out of the list."""
    return [rule for rule in rules if rule.behavior == "deny" and _is_bare(rule.text)]


def plain_names(rules: Iterable[RuleText]) -> frozenset[str] | None:
    """The tools that bare rules name; None when only the rule engine can tell."""
    names = [rule.text.strip() for rule in rules]
    if not all(name.isascii() and name.isalpha() for name in names):
        return None
    return frozenset(ALIASES.get(name, name) for name in names) - {"EndConversation"}


def _is_bare(rule: str) -> bool:
    name, parenthesis, content = rule.strip().partition("(")
    return bool(name) and (not parenthesis or content.rstrip(")").strip() in ("", "*"))


def offered_registry(start: Start, agent: "AgentDefinition | None") -> Registry:
    """The tools that flags and the agent of the session leave; bare deny rules withhold some."""
    parallel = start.snapshot.text("hames.dispatch.parallelCommands") or "readOnly"
    config = start.config
    specs = choose_tools(config.tools, bare=config.bare)
    if agent is not None:
        specs = tools_of_agent(specs, agent.tools, agent.disallowed)
    if not config.slash_commands or config.bare or config.safe:
        specs = [spec for spec in specs if spec.name != "Skill"]
    removed = _removed(start, [spec.name for spec in specs])
    return Registry(specs, {"Bash": {"parallel_commands": parallel}}, removed)


def _removed(start: Start, names: list[str]) -> frozenset[str]:
    """The tools that bare deny rules take away; plain names need no rule engine."""
    rules = bare_rules(start.snapshot.rules)
    plain = plain_names(rules)
    if plain is not None:
        return plain
    policy: Any = import_module("hames.settings.permissions.policy")
    removed: frozenset[str] = policy.compile_policy(
        rules, root=start.cwd, home=start.home
    ).removed_tools(names)
    return removed
