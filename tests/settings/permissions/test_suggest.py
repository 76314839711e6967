"""What "don't ask again" offers: rules that end the question and show all that they allow."""

from pathlib import Path
from typing import Any

import pytest

from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import Mode, facts_of
from hames.settings.permissions.suggest import granted, suggestions
from hames.settings.permissions.update import update_json
from support.permission_calls import ROOT, policy_of


def offered(
    tool: str, given: dict[str, Any], lines: list[str] | None = None, mode: Mode = "default"
) -> list[dict[str, Any]]:
    policy = policy_of(lines or [])
    facts = facts_of(policy, tool, given, ROOT)
    decision = decide(policy, facts, mode)
    return [update_json(update) for update in suggestions(policy, facts, mode, decision)]


def rules_for(command: str, lines: list[str] | None = None) -> list[str]:
    found = offered("Bash", {"command": command}, lines)
    assert all(update["destination"] == "localSettings" for update in found)
    return [rule["ruleContent"] for update in found for rule in update["rules"]]


@pytest.mark.parametrize(
    ("command", "rules"),
    [
        ("npm run build", ["npm run *"]),
        ("git commit -m x", ["git commit *"]),
        ("pytest -q tests", ["pytest *"]),
        ("npm test && git push && ls", ["npm test *", "git push *"]),
        ("timeout 30 npm test | head", ["npm test *"]),
        ("python x.py", ["python x.py"]),
        ("bash run.sh", ["bash run.sh"]),
        ("sudo apt update", ["sudo apt update"]),
        ("rm -rf build", ["rm -rf build"]),
        ("make test", ["make test *"]),
        ("./gradlew test", ["./gradlew *"]),
        ("cd /data/x && make a", ["//data/x/**", "make a *"]),
    ],
)
def test_a_command_offers_rules_for_its_parts(command: str, rules: list[str]) -> None:
    assert rules_for(command) == rules


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        'x "',
        "npm test > out.txt",
        "python -c '*'",
        "eval $x",
        "cd src && git push",
        "PATH=x make",
        "a1; a2; a3; a4; a5; a6",
        "$x y",
    ],
)
def test_nothing_is_offered_that_would_not_help(command: str) -> None:
    assert rules_for(command) == []


def test_an_ask_rule_is_not_talked_away() -> None:
    assert rules_for("git push", ["ask Bash(git push *)"]) == []


def test_edits_inside_offer_accept_edits() -> None:
    assert offered("Edit", {"file_path": "/repo/a.py"}) == [
        {"type": "setMode", "mode": "acceptEdits", "destination": "session"}
    ]


def test_own_settings_offer_a_session_grant_that_works() -> None:
    policy = policy_of([])
    facts = facts_of(policy, "Edit", {"file_path": "/repo/.claude/settings.json"}, ROOT)
    decision = decide(policy, facts, "default")
    (update,) = suggestions(policy, facts, "default", decision)
    assert update_json(update)["rules"] == [
        {"toolName": "Edit", "ruleContent": "//repo/.claude/**"}
    ]
    assert decide(granted(policy, update, facts), facts, "default").behavior == "allow"


def test_reads_outside_offer_their_folder() -> None:
    (update,) = offered("Read", {"file_path": "/data/[x]/a.txt"})
    assert update["rules"] == [{"toolName": "Read", "ruleContent": "//data/\\[x\\]/**"}]


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        ("WebFetch", {"url": "https://Example.com/a"}, "WebFetch(domain:example.com)"),
        ("WebSearch", {"query": "x"}, "WebSearch"),
        ("mcp__a__b", {}, "mcp__a__b"),
        ("Skill", {"skill": "deploy"}, "Skill(deploy)"),
    ],
)
def test_other_tools_offer_their_rule(tool: str, given: dict[str, Any], rule: str) -> None:
    (update,) = offered(tool, given)
    (value,) = update["rules"]
    content = value.get("ruleContent")
    assert rule == (value["toolName"] if content is None else f"{value['toolName']}({content})")


def test_an_accepted_update_ends_the_question(tmp_path: Path) -> None:
    policy = policy_of([], root=tmp_path)
    facts = facts_of(policy, "Bash", {"command": "npm test && cargo build"}, tmp_path)
    (update,) = suggestions(policy, facts, "default", decide(policy, facts, "default"))
    assert decide(granted(policy, update, facts), facts, "default").behavior == "allow"
