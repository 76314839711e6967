"""The `if` key of a hook: one permission rule that the call must touch."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from hames.hooks.context import HookContext
from hames.hooks.event_table import TOOL_EVENTS
from hames.hooks.events import HookEvent
from hames.hooks.spec import HookSpec
from hames.settings.permissions.decide import judge_of
from hames.settings.permissions.facts import Facts, facts_of
from hames.settings.permissions.names import KNOWN, NEVER_CONSULTED, SHELL_TOOLS, canonical
from hames.settings.permissions.policy import Policy, compile_policy
from hames.settings.permissions.rule import Rule, governed_tools
from hames.settings.permissions.rule_text import RuleSource, RuleText
from hames.system.types import is_object

_EXPANSION = re.compile(r"`|\$[\w({]")
_ONE_FOLDER = re.compile(r"[^/*?~]+/\*\*")
_FILE_RULE = re.compile(r"\s*(\w+)\((.*)\)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Condition:
    """A compiled rule; `only` is the one tool it speaks of, None for what its grammar says."""

    policy: Policy
    rule: Rule
    only: str | None = None


def condition_holds(spec: HookSpec, event: HookEvent, context: HookContext) -> bool:
    """Whether the hook has no `if`, or its rule covers the call; never outside tool events."""
    if spec.condition is None:
        return True
    if event.name not in TOOL_EVENTS:
        return False
    given = event.fields.get("tool_input")
    tool = str(event.fields.get("tool_name", ""))
    return if_matches(spec.condition, tool, given if is_object(given) else {}, context.cwd)


def if_matches(rule_text: str, tool: str, given: Mapping[str, Any], cwd: Path) -> bool:
    """Whether the rule touches any part of the call. What cannot be judged counts as touched:
    the hook may be a guard."""
    name = canonical(tool)
    condition = _compiled(rule_text, cwd, Path.home())
    rule = condition.rule
    if condition.only is not None and condition.only != name:
        return False
    if rule.kind == "inert":
        return rule.tool == name or rule.tool not in KNOWN
    if rule.kind == "path" and name not in governed_tools(rule):
        return False
    if rule.kind == "command" and name != rule.tool:
        return False
    facts = facts_of(condition.policy, name, given, cwd)
    if judge_of(condition.policy, facts).matched("deny") is not None:
        return True
    return rule.kind == "command" and name in SHELL_TOOLS and _unclear(rule, facts)


def condition_problem(rule_text: str, cwd: Path) -> str | None:
    """Why the rule can never select anything; None when it is sound."""
    condition = _compiled(rule_text, cwd, Path.home())
    return condition.rule.problem


@lru_cache(maxsize=256)
def _compiled(rule_text: str, cwd: Path, home: Path) -> _Condition:
    """Read like a deny rule, which touches a compound command by any of its parts.

    Two things differ. `Write(path)` and the like mean nothing as permission rules, but name one
    tool here. `src/**` is the folder of that name in the working directory, not at any depth.
    """
    text, only = rule_text, None
    if found := _FILE_RULE.fullmatch(rule_text):
        name, pattern = canonical(found.group(1)), found.group(2)
        only = name if name in NEVER_CONSULTED else None
        name = NEVER_CONSULTED.get(name, name)
        if name in ("Read", "Edit"):
            text = f"{name}({'./' if _ONE_FOLDER.fullmatch(pattern) else ''}{pattern})"
    source = RuleSource("session", cwd)
    policy = compile_policy([RuleText("deny", text, source)], root=cwd, home=home)
    return _Condition(policy, policy.rules[0], only)


def _unclear(rule: Rule, facts: Facts) -> bool:
    """An unreadable command, or words that an expansion may turn into those of the rule."""
    if facts.script is None or facts.script.unreadable is not None:
        return True
    words = rule.content.removesuffix(":*").removesuffix("*").split()
    return len(words) > 1 and _EXPANSION.search(str(facts.input.get("command", ""))) is not None
