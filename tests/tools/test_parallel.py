"""Only commands that surely read may share their place."""

import pytest

from hames.tools.parallel import parallel_command
from hames.tools.simple_commands import Simple, simple_commands


@pytest.mark.parametrize(
    "command",
    [
        "sleep 0.5",
        "ls -la src",
        "cat a b | grep x | sort -u",
        "git status",
        "git log --oneline -5 && git diff HEAD",
        "find . -name '*.py'",
        "rg -n foo src",
        "sleep 1 && echo done",
        "timeout 5 sleep 0.1s",
        "ls 2>/dev/null | wc -l < names",
        "LC_ALL=C sort a",
        "echo $(git rev-parse HEAD)",
        "for x in 1 2; do echo $x; done",
    ],
)
def test_readers_share(command: str) -> None:
    assert parallel_command(command, "readOnly")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "rm -rf x",
        "ls > out",
        "ls $(rm x)",
        "ls `rm x`",
        "cat <(rm x)",
        "ls & rm x",
        "sleep $(rm x)",
        "sleep $x",
        "echo 1 | xargs sleep",
        "cd sub && ls",
        "ls; rm x",
        "ls\nrm x",
        "ls || rm x",
        "cd sub",
        "PATH=. ls",
        "A=1 ls",
        "for PATH in .; do ls; done",
        "> x",
        "ls | rm x",
        "f() { ls; }; f",
        "ls > /dev/null/../x",
        "find . -delete",
        "find . -exec rm {} +",
        "sort -uo x y",
        "sort --output=x y",
        "rg --pre=x y",
        "git commit -m x",
        "git -c core.pager=x log",
        "git diff --output=x",
        "git branch -D x",
        "sleep --help",
        "'unbalanced",
        "\\rm x",
    ],
)
def test_the_rest_does_not(command: str) -> None:
    assert not parallel_command(command, "readOnly")
    assert parallel_command(command, "all")


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        ("a b", [Simple("", ("a", "b"))]),
        ("a 'b;c' && d", [Simple("", ("a", "b;c")), Simple("&&", ("d",))]),
        ("a 2>&1 | b >out c", [Simple("", ("a",)), Simple("|", ("b", "c"))]),
        ("a\n\nb;", [Simple("", ("a",)), Simple(";", ("b",))]),
        ("a && \n b", [Simple("", ("a",)), Simple("&&", ("b",))]),
        ("(a)", None),
        ("a <<X\nb\nX", None),
        ("a 'b", None),
        ("", []),
    ],
)
def test_command_lines_fall_into_simple_commands(command: str, parts: list[Simple] | None) -> None:
    assert simple_commands(command) == parts
