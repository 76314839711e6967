"""acceptEdits and plan: which shell writes run unasked."""

from pathlib import Path

import pytest

from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import facts_of
from hames.settings.permissions.policy import Policy
from support.permission_calls import decide_command, policy_of

ACCEPTED = [
    "mkdir -p a/b",
    "touch a b",
    "rm a",
    "rm -rf build",
    "mv a b",
    "cp -r a b",
    "cp a b/",
    "sed -i s/a/b/ a",
    'sed -i -e s/a/b/ -e "2d" a',
    "sed -i.bak s/x/y/ a",
    'sed -i "1i\\\nfoo" a',
    "rmdir a",
    "ls > a",
    "cat a >> b",
    "mkdir a && cd a",
    "touch a; ls",
    "rm *.pyc",
    "mv src/*.py lib/",
    "cp a b 2>/dev/null",
    "timeout 5 rm a",
    "grep x a > b",
    "echo a | sort > c",
    "mkdir {a,b}",
    'touch "$HOME/../../repo/x"',
    "cp -t lib a",
    "touch -r a b",
    "mkdir -m 755 a",
    "[ -f a ] && rm a",
    "for i in 1 2; do touch a; done",
    "ls && rm a || echo no",
]

ASKED = [
    "mkdir /tmp/a",
    "mkdir ../a",
    "touch ~/a",
    "rm $x",
    'rm "$x"',
    "cp a $x",
    "cp /etc/passwd a",
    "mv a /tmp",
    "cp -t /tmp a",
    "cp --target-directory=/tmp a",
    "touch -r /etc/passwd a",
    "sed -i s/a/b/e a",
    'sed -i "w /tmp/x" a',
    "sed -i -f x a",
    "sed -i s/a/b/ /etc/x",
    "sed --file=x -i a",
    "rm .git/x",
    "rm -rf .git",
    "mv x .vscode/a",
    "cp a .mcp.json",
    "cp a .claude/settings.json",
    "touch .bashrc",
    "rm .*",
    "rm -rf .g*",
    "mkdir .husky",
    "ls > .npmrc",
    "ls > .git/a",
    "ls > /tmp/a",
    "ls > ../a",
    "cd .. && touch a",
    "cd /tmp && rm a",
    "cd src && ls > a",
    "touch a && id2",
    "chmod +x a",
    "ln -s a b",
    "tee a",
    "dd of=a",
    "install a b",
    "FOO=1 rm a",
    "PATH=x rm a",
    "sudo rm a",
    "xargs rm",
    "ls | xargs rm",
    "rm $(ls)",
    "find . -delete",
    "git add a",
    "npm i",
    "mkdir $(id2)",
    "cp a b; curl x",
    "touch -- -x /etc/a",
    "mv -t/tmp a",
    "mv --target-directory /tmp a",
    "cp -rt /tmp a",
    "mv a .Git/x",
    "sed -i p a > /tmp/x",
    'sed -n "r /etc/passwd" a',
    'sed -i "R /etc/passwd" a',
    "cp ~/x .",
    'cp a "b\x01"',
    "> /tmp/x",
    "> .git/config",
    ">.envrc",
    "truncate -s 0 a",
]

PLAN_READS = [
    "ls",
    "git status",
    "cat a | head",
    "ls > /dev/null",
    "cd src && ls",
]

PLAN_WRITES = [
    "ls > a",
    "touch a",
    "rm a",
    "npm test",
    "tee a",
    "echo a | tee b",
    "sed -i p a",
    "git commit",
]


@pytest.mark.parametrize("command", ACCEPTED)
def test_accept_edits_runs_file_commands_inside(command: str) -> None:
    decision = decide_command(command, (), "acceptEdits")
    assert decision.behavior == "allow", decision


@pytest.mark.parametrize("command", ASKED)
def test_accept_edits_asks_for_everything_else(command: str) -> None:
    decision = decide_command(command, (), "acceptEdits")
    assert decision.behavior != "allow", decision


@pytest.mark.parametrize("command", PLAN_READS)
def test_plan_mode_reads(command: str) -> None:
    assert decide_command(command, (), "plan").behavior == "allow"


@pytest.mark.parametrize("command", PLAN_WRITES)
def test_plan_mode_asks_for_changes_whatever_rules_say(command: str) -> None:
    assert decide_command(command, ["allow Bash", "allow Edit"], "plan").behavior == "ask"


def test_a_glob_is_no_protected_file_unless_one_is_there(tmp_path: Path) -> None:
    policy = policy_of(["allow Bash(rm *)"], root=tmp_path, home=tmp_path / "home")
    (tmp_path / "build").mkdir()
    for command, expect in (("rm -rf build/*", "allow"), ("rm bun*", "ask"), ("rm .np*", "ask")):
        assert decide_in(policy, command, tmp_path) == expect, command
    (tmp_path / "build" / "bunfig.toml").touch()
    assert decide_in(policy, "rm -rf build/*", tmp_path) == "ask"


def decide_in(policy: Policy, command: str, folder: Path) -> str:
    facts = facts_of(policy, "Bash", {"command": command}, folder)
    return decide(policy, facts, "default").behavior
