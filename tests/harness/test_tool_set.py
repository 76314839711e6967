"""Bare deny rules take tools out of the list, with and without the rule engine."""

from pathlib import Path

import pytest

from hames.harness.tool_set import bare_rules, plain_names
from hames.settings.permissions.names import ALIASES, FIELDS, NO_PERMISSION
from hames.settings.permissions.policy import compile_policy
from hames.settings.permissions.rule_text import Behavior, RuleSource, RuleText
from hames.tools.registry import load_specs

SOURCE = RuleSource("user", Path("/p"))
NAMES = sorted({spec.name for spec in load_specs()} | set(FIELDS) | NO_PERMISSION)


def rule(text: str, behavior: Behavior = "deny") -> RuleText:
    return RuleText(behavior, text, SOURCE)


@pytest.mark.parametrize("name", [*NAMES, *ALIASES, "Unknown", "bash"])
def test_a_plain_name_removes_what_the_rule_engine_removes(name: str) -> None:
    rules = [rule(name)]
    plain = plain_names(rules)
    assert plain is not None
    policy = compile_policy(rules, root=Path("/p"), home=Path("/h"))
    assert plain & set(NAMES) == policy.removed_tools(NAMES)


@pytest.mark.parametrize("text", ["Bash(*)", "mcp__*", "Web*", "Bash("])
def test_other_bare_rules_need_the_rule_engine(text: str) -> None:
    assert plain_names(bare_rules([rule(text), rule("Read")])) is None


def test_only_deny_rules_without_content_are_bare() -> None:
    rules = [rule("Bash"), rule("Read(.env)"), rule("Edit", "ask"), rule("Web*")]
    assert bare_rules(rules) == [rules[0], rules[3]]
