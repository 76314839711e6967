"""Decides single calls under a handful of rules; the project is `/repo`, home `/home/dev`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import Facts, HookVerdict, Mode, facts_of
from hames.settings.permissions.policy import Locks, Policy, compile_policy
from hames.settings.permissions.rule_text import Behavior, RuleSource, RuleText
from hames.settings.permissions.trace import Decision

ROOT = Path("/repo")
HOME = Path("/home/dev")

_BEHAVIORS: dict[str, Behavior] = {"allow": "allow", "ask": "ask", "deny": "deny"}


def rule_texts(lines: Iterable[str], root: Path = ROOT) -> list[RuleText]:
    """Rules written as `allow Bash(ls *)`, of project settings."""
    found: list[RuleText] = []
    for line in lines:
        behavior, _, text = line.partition(" ")
        found.append(RuleText(_BEHAVIORS[behavior], text, RuleSource("project", root)))
    return found


def policy_of(
    lines: Iterable[str] = (),
    *,
    root: Path = ROOT,
    home: Path = HOME,
    directories: Iterable[str] = (),
    locks: Locks | None = None,
) -> Policy:
    """A policy of project rules."""
    return compile_policy(
        rule_texts(lines, root),
        root=root,
        home=home,
        directories=tuple(map(Path, directories)),
        locks=locks,
    )


def decide_call(
    tool: str,
    given: Mapping[str, Any],
    lines: Iterable[str] = (),
    mode: Mode = "default",
    *,
    hook: HookVerdict | None = None,
    policy: Policy | None = None,
    cwd: Path = ROOT,
) -> Decision:
    """The decision on one call."""
    policy = policy or policy_of(lines)
    facts: Facts = facts_of(policy, tool, given, cwd)
    return decide(policy, facts, mode, hook)


def decide_command(
    command: str, lines: Iterable[str] = (), mode: Mode = "default", **more: Any
) -> Decision:
    """The decision on one Bash command."""
    return decide_call("Bash", {"command": command}, lines, mode, **more)
