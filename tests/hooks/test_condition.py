"""The `if` key: which calls a permission rule selects for a hook."""

from pathlib import Path
from typing import Any

import pytest

from hames.hooks.condition import condition_holds, condition_problem, if_matches
from hames.hooks.events import stop
from hames.hooks.spec import Command, HookSpec
from support.hook_session import USER, context

CWD = Path("/w/p")


def bash(command: str) -> tuple[str, dict[str, Any]]:
    return "Bash", {"command": command}


def edit(path: str, tool: str = "Edit") -> tuple[str, dict[str, Any]]:
    return tool, {"file_path": path}


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        ("Bash(git *)", bash("git push"), True),
        ("Bash(git *)", bash("git"), True),
        ("Bash(git *)", bash("npm test && git push"), True),
        ("Bash(git *)", bash("ls"), False),
        ("Bash(git *)", bash("CI=1 git push"), True),
        ("Bash(git *)", bash("echo $(git log)"), True),
        ("Bash(git *)", bash("echo `git log`"), True),
        ("Bash(git *)", bash("echo $HOME"), False),
        ("Bash(git *)", bash("echo 'git push'"), False),
        ("Bash(git push *)", bash("git status"), False),
        ("Bash(git push *)", bash("git push origin main"), True),
        ("Bash(git push *)", bash("git $VERB origin"), True),
        ("Bash(git push *)", bash("echo $(date)"), True),
        ("Bash(git push:*)", bash("git push -f"), True),
        ("Bash(git *)", bash("for x in; do ("), True),
        ("Bash(git *)", bash("git \x1b push"), True),
        ("Bash(git *)", edit("/w/p/git"), False),
        ("Bash", bash("anything"), True),
        ("Bash", edit("/w/p/a"), False),
        ("Edit(*.ts)", edit("/w/p/a.ts"), True),
        ("Edit(*.ts)", edit("/w/p/deep/a.ts"), True),
        ("Edit(*.ts)", edit("/w/p/a.py"), False),
        ("Edit(*.ts)", edit("/w/p/a.ts", "Write"), True),
        ("Edit(*.ts)", bash("echo x > a.ts"), False),
        ("Write(*.ts)", edit("/w/p/a.ts", "Write"), True),
        ("Write(*.ts)", edit("/w/p/a.ts", "Edit"), False),
        ("Write(*.ts)", edit("/w/p/a.py", "Write"), False),
        ("Edit(src/**)", edit("/w/p/src/a/b.py"), True),
        ("Edit(src/**)", edit("/w/p/lib/src/b.py"), False),
        ("Edit(**/src/**)", edit("/w/p/lib/src/b.py"), True),
        ("Read(//etc/**)", edit("/etc/passwd", "Read"), True),
        ("mcp__github__*", ("mcp__github__create", {}), True),
        ("mcp__github__*", ("mcp__gitlab__create", {}), False),
        ("WebFetch(domain:example.com)", ("WebFetch", {"url": "https://example.com/x"}), True),
        ("WebFetch(domain:example.com)", ("WebFetch", {"url": "https://other.org/"}), False),
        ("Agent(Explore)", ("Task", {"subagent_type": "Explore"}), True),
        ("Bash(git *", bash("ls"), True),
        ("Bash(git *", edit("/w/p/a"), False),
        ("not a rule at all!", bash("ls"), True),
    ],
)
def test_a_rule_selects_calls(rule: str, call: tuple[str, Any], expected: bool) -> None:
    assert if_matches(rule, *call, CWD) is expected


def test_a_condition_never_holds_outside_tool_events(tmp_path: Path) -> None:
    spec = HookSpec("Stop", Command("x"), USER, condition="Bash")
    assert not condition_holds(spec, stop(False), context(tmp_path))


@pytest.mark.parametrize(
    ("rule", "sound"), [("Bash(git *)", True), ("Write(*.ts)", True), ("Bash(git *", False)]
)
def test_a_rule_that_cannot_be_read_is_named(rule: str, sound: bool) -> None:
    assert (condition_problem(rule, CWD) is None) is sound
