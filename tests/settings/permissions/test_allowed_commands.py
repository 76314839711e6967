"""Allow rules cover what they name, and nothing that hides beside it."""

import pytest

from support.permission_calls import decide_command

RULES = [
    "allow Bash(npm test *)",
    "allow Bash(echo *)",
    "allow Bash(git commit *)",
    "allow Bash(cat *)",
    "allow Bash(ls *)",
]

COVERED = [
    "npm test",
    'npm test -- -x "a b"',
    "npm test $X",
    "npm test *.js",
    'npm test "$X"',
    "npm test {a,b}",
    "timeout 5 npm test",
    "nohup npm test &",
    "time npm test",
    "npm test 2>&1 | head",
    "npm test $(git rev-parse HEAD)",
    "(npm test)",
    "{ npm test; ls; }",
    "if npm test; then echo a; else echo b; fi",
    "for i in 1 2; do npm test $i; done",
    "npm test < a",
    "npm test <<EOF\nhi $x\nEOF",
    "npm test <<'EOF'\n$(id2)\nEOF",
    "ls | xargs npm test",
    "echo $X",
    'echo "$(ls)"',
    "cat $X",
    "cat ~/x",
    "cat /etc/hosts",
    'git commit -m "a $(date)"',
    "npm test && git commit -am x",
    "! npm test",
    "npm test;",
    "npm test &",
    "NODE_ENV=a CI=1 npm test",
    "npm  test",
    "npm test \\\n  --x",
    "cd . && git commit -m x",
    "cd /repo && git commit -m x",
    "npm test > /dev/null",
    "ls ~ $HOME",
    "echo a 2>&1 >/dev/null",
]

NOT_COVERED = [
    "npm test; id2",
    "npm test $(id2)",
    "npm test `id2`",
    "npm test > /etc/x",
    "npm test > $X",
    "npm test >> ~/.bashrc",
    "npm test < /etc/passwd",
    "npm test | sh",
    "npm test & id2",
    "npm test\nid2",
    "npm test ${x@P}",
    "npm test ${a[0]}",
    "npm test $((x))",
    'npm test "${!x}"',
    "PATH=x npm test",
    "FOO=x npm test",
    "npm test <(id2)",
    "npm test <<EOF\n$(id2)\nEOF",
    "npm test <<< `id2`",
    "echo a > .git/config",
    "echo a > .GIT/config",
    "echo a > src/../.git/config",
    'git commit -m "$(cat <<EOF\n$(id2)\nEOF\n)"',
    "cd src && git commit -m x",
    "cd src && echo a > b",
    "cd src; echo a > b",
    "cat a > b",
    "ls > .env",
    "echo x > /dev/sda",
    "echo x > /dev/fd/1",
    "cat /proc/self/environ",
    "cat /proc/1/environ",
    "cat /proc/self/mem",
    "cat /dev/fd/0",
    "$(npm test)",
    "npm${IFS}test",
    "npm  testx",
    "xnpm test",
    "/tmp/npm test",
    "env npm test",
    "sudo npm test",
    "watch npm test",
    "xargs -n1 npm test",
    "npm test; PATH=x ls",
    "export PATH=x; npm test",
    "npm test & export PATH=x",
    "BASH_ENV=x npm test",
    "npm test; eval x",
    "npm test; source x",
    "npm test() { id; }",
    "alias npm=x; npm test",
    "echo x | tee a",
    "tee a < b",
    "echo x | tee a | cat",
    "rm -rf /; npm test",
    "npm test || rm -rf ~",
]


@pytest.mark.parametrize("command", COVERED)
def test_a_rule_covers_ordinary_forms(command: str) -> None:
    decision = decide_command(command, RULES)
    assert decision.behavior == "allow", decision


@pytest.mark.parametrize("command", NOT_COVERED)
def test_a_rule_does_not_cover_more_than_it_names(command: str) -> None:
    decision = decide_command(command, RULES)
    assert decision.behavior != "allow", decision
