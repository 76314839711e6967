"""The command parser: what it reads, what it refuses, and that a real shell agrees."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.permissions.bash_parse import parse
from hames.settings.permissions.bash_tree import Unreadable, commands_of


def names(text: str) -> list[str | None]:
    tree = parse(text)
    assert not isinstance(tree, Unreadable), tree
    return [command.words[0].literal for command in commands_of(tree) if command.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a && b || c; d & e\nf | g |& h", ["a", "b", "c", "d", "e", "f", "g", "h"]),
        ("(a; { b; }) > x", ["a", "b"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
        ("for i in $(a); do b; done", ["a", "b"]),
        ("case $(a) in x) b;; *) c;; esac", ["a", "b", "c"]),
        ("f() { a; }; ! b", ["a", "b"]),
        ('a "$(b `c`)" <(d) ${x:-$(e)} > $(f)', ["b", "c", "d", "e", "f", "a"]),
        ("cat <<E | wc\n$(a)\nE", ["a", "cat", "wc"]),
        ("cat <<'E'\n$(a) `b`\nE\nc", ["cat", "c"]),
        ("cat <<-'E'\n\t$(a)\n\tE\nc", ["cat", "c"]),
        ("a - <<'E'\n$(b)\nE\nc", ["a", "c"]),
        ("a - 2>/dev/null <<E\nb\nE\nc", ["a", "c"]),
        ("a && b x <<'E' | c\ne\nE\nf", ["a", "b", "c", "f"]),
        ("a || b <<'E' && c\ne\nE\nf", ["a", "b", "c", "f"]),
        ("a | b > x <<'E'\nc\nE", ["a", "b"]),
        ("a - <<'E' 2>&1 | b\nc\nE\nd", ["a", "b", "d"]),
        ("case x in a) b ;& c) ;; esac", ["b"]),
        ("\\rm 'r'm r\"\"m $'\\x72m'", ["rm"]),
        ("x=$(a) y=1 b", ["a", "b"]),
        ("export X=$(a)", ["a", "export"]),
        ("a # b; c\nd", ["a", "d"]),
        ("2>&1 >x a <y b", ["a"]),
        ("<x 2>y >z a b >c d", ["a"]),
        ("$x a", [None]),
    ],
)
def test_every_simple_command_is_found(text: str, expected: list[str | None]) -> None:
    assert sorted(map(str, names(text))) == sorted(map(str, expected))


@pytest.mark.parametrize(
    "text",
    [
        'echo "a',
        "a &&",
        "a |",
        "a <<E",
        "[]# ; rm x",
        "a if b; then c; fi",
        ">x 2>&1 a=b rm c >y d",
        "\\\\\n\\\na",
        "<<<} }}",
        "! -2>&1-x a",
        "{ls}",
        "a[ # ] ; rm x",
        "\\ # x",
        "r\\\nm x",
        '"$\\\nx"',
        "echo ${x#`rm`}",
        "echo ${x%$(rm)}",
        "cat <<'E'OF\nE\nrm\nEOF",
        "cat <<E\n`rm`\nE",
        "cat <<A <<B\nA\nB\n",
        "cat <<E\nx\\\nE\n# $(rm)",
        "a <<E 2>&1 | b 'a <<E 2>&1 | b'\nE",
        "cat <<-E\n\tx\\\n\tE\n# $(rm)",
        "a ;; b",
        "a & ;; b",
        "case a in a) b ;; ;; esac",
        "@a=b",
        'echo $"x"',
        "ls *(x)",
        "ls \x1b",
        "ls\r",
        "l\u200bs",
        "\ud800",
        "\x00",
        "(" * 500 + ")" * 500,
        "a " * 6000,
    ],
)
def test_what_shells_may_read_differently_is_refused(text: str) -> None:
    assert isinstance(parse(text), Unreadable)


TOKENS = [
    *("a", "b", "c", "a b", " ", " ", "\n", ";", "&&", "||", "|", "(", ")", "{ ", "; }", '"', "'"),
    *("\\", "$", "$(", "`", "${", "}", "#", " #", "~", "[", "]", "<<E\n", "\nE\n", "<<'E'\n"),
    *(
        "<<<",
        "=",
        "!",
        "! ",
        "if ",
        "; then ",
        "; fi",
        "for a in b; do ",
        "; done",
        "case a in a) ",
    ),
    *(
        ";; esac",
        "a=b ",
        "$a",
        '"$a"',
        "$((1))",
        "\\\n",
        "{a,b}",
        "$'a'",
        '$"a"',
        "[[ a ]]",
        "[ a ]",
    ),
    *("a() { ", "\t", "2>&1", ">a", "&>", "-", "x", "$(a)", "`b`", "<(c)", '"$(b)"', "${x:-$(c)}"),
    *("${x#`a`}", "%", "@", "+", "^", "*", "?"),
    *(
        "a - <<E\n",
        "a && b <<'E'\n",
        "a <<E 2>&1 | b\n",
        "a <<-E\n\t",
        "\n\tE\n",
        ";;",
        ";&",
        " - ",
    ),
    *(" 2>&1 ", " >a ", "<<E", "<<-'E'", "<<", "E", "\nE"),
]

HARNESS = """exec 9>"$0"
command_not_found_handle() { printf '%s\\0' "$1" >&9; return $((RANDOM % 2)); }
PATH=/nonexistent
cd "$1"
eval "$2" </dev/null >/dev/null 2>&1
wait
"""


def run_in_bash(text: str, folder: Path) -> list[str]:
    """The unknown commands that bash tries to run; all commands are unknown to it."""
    log, work = folder / "log", folder / "shell"
    log.write_text("", encoding="utf-8")
    work.mkdir(exist_ok=True)
    for left in work.iterdir():
        left.unlink()
    subprocess.run(
        ["/bin/bash", "--norc", "--noprofile", "-c", HARNESS, str(log), str(work), text],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    return [name for name in os.fsdecode(log.read_bytes()).split("\0") if name]


@pytest.mark.property
@given(tokens=st.lists(st.sampled_from(TOKENS), min_size=2, max_size=12))
def test_bash_runs_no_command_that_the_parser_did_not_see(
    tokens: list[str], tmp_path: Path
) -> None:
    text = "".join(tokens)
    tree = parse(text)
    if isinstance(tree, Unreadable):
        return
    seen = {command.words[0].literal for command in commands_of(tree) if command.words}
    if None in seen:
        return
    assert set(run_in_bash(text, tmp_path)) <= seen


@pytest.mark.property
@given(text=st.text(max_size=300))
def test_any_text_is_read_or_refused(text: str) -> None:
    parse(text)


def test_letters_of_other_scripts_are_text_and_never_reach_the_grammar() -> None:
    letters = "".join(map(chr, (0xF9958, 0x40B0, 0x718B2, 0x1F600, 0xE9, 0x5D0)))
    assert sorted(map(str, names(f"echo {letters} 'ü' \"$(ls é)\" > ö; é"))) == ["echo", "ls", "é"]
    for start in range(0x80, 0x110000, 0x3000):
        text = "".join(map(chr, range(start, start + 40)))
        parse(f'a {text} "{text}" ${text} {text}=b <<{text}')


@pytest.mark.parametrize("text", ["é=1 rm x", "cat <<é\nx\né", "$é x", "cat <<E\nÉ\nE"])
def test_letters_of_other_scripts_make_no_names(text: str) -> None:
    tree = parse(text)
    if not isinstance(tree, Unreadable):
        assert all(not command.assignments for command in commands_of(tree))
