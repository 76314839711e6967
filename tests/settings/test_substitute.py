"""Arguments, variables and injections in skill bodies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.substitute import (
    Arguments,
    Injection,
    Rendered,
    fill_variables,
    insert_outputs,
    render,
)

VARIABLES = {"CLAUDE_SKILL_DIR": "/s", "CLAUDE_SESSION_ID": "id"}


@pytest.mark.parametrize(
    ("body", "raw", "expected"),
    [
        ("Do $ARGUMENTS now", "a b", "Do a b now"),
        ("Do it", "a b", "Do it\n\nARGUMENTS: a b"),
        ("Do it", "  ", "Do it"),
        ("$0 and $1", "'a b' c", "a b and c"),
        ("$ARGUMENTS[1]$ARGUMENTS[0]", "x y", "yx"),
        ("$2 stays", "x", "$2 stays\n\nARGUMENTS: x"),
        ("$0", 'un"balanced words', 'un"balanced'),
        ("costs $100 or $1x", "a", "costs $100 or $1x\n\nARGUMENTS: a"),
        ("$ARGUMENTSX", "a", "$ARGUMENTSX\n\nARGUMENTS: a"),
        ("$branch-$other", "main", "main-$other"),
        ("$file:$branch", "main", ":main"),
        (r"\$0 \$ARGUMENTS \$branch", "a", "$0 $ARGUMENTS $branch\n\nARGUMENTS: a"),
        (r"\\$0", "a", r"\\a"),
        (r"\$HOME \$9", "a", "\\$HOME \\$9\n\nARGUMENTS: a"),
        ("${CLAUDE_SKILL_DIR}/x ${OTHER}", "", "/s/x ${OTHER}"),
        ("$ARGUMENTS", "$0 ${CLAUDE_SESSION_ID}", "$0 ${CLAUDE_SESSION_ID}"),
    ],
)
def test_substitution(body: str, raw: str, expected: str) -> None:
    assert (
        render(body, Arguments(raw, ("branch", "file", "branch-name")), VARIABLES).text == expected
    )


def test_injections_are_found_with_their_place() -> None:
    body = "Status: !`git log $0`\n```!\ncd ${CLAUDE_SKILL_DIR}\nls\n```\nend"
    rendered = render(body, Arguments("main"), VARIABLES)
    assert rendered == Rendered(
        "Status: git log main\ncd /s\nls\n\nend",
        (Injection("git log main", 8, 20), Injection("cd /s\nls", 21, 30)),
    )
    assert insert_outputs(rendered, ["!`rm x` $0\n", ""]) == "Status: !`rm x` $0\n\nend"


@pytest.mark.parametrize(
    "body",
    [
        "no!`ls`",
        "!` `",
        "!``",
        "`!ls`",
        "```\n!`ls`\n```",
        "~~~\n```!\nls\n```\n~~~",
        "!`two\nlines`",
        "```!\nnever closed",
    ],
)
def test_what_is_no_injection(body: str) -> None:
    assert render(body, Arguments(""), {}) == Rendered(body)


def test_arguments_start_no_command_and_name_no_file() -> None:
    rendered = render("Say $ARGUMENTS to @a.md", Arguments("!`rm x` @/etc/passwd"), {})
    assert rendered == Rendered("Say !`rm x` @/etc/passwd to @a.md", (), (("a.md",),))
    appended = render("Say", Arguments("\n!`rm x`"), {})
    assert appended.shell == ()


def test_one_output_per_injection() -> None:
    with pytest.raises(ValueError, match="one output"):
        insert_outputs(render("!`a`", Arguments(""), {}), [])


def test_variables_in_rules() -> None:
    assert fill_variables("Bash(${CLAUDE_SKILL_DIR}/x *) $0", VARIABLES) == "Bash(/s/x *) $0"


def test_many_injections_are_quick() -> None:
    rendered = render("```\nx\n```\n!`a`\n" * 5000, Arguments(""), {})
    assert len(rendered.shell) == 5000


@pytest.mark.property
@given(st.text("$0A\\{}`!\n @x~", max_size=60), st.text("$0`!@x \n'", max_size=20))
def test_any_body_renders(body: str, raw: str) -> None:
    rendered = render(body, Arguments(raw), {})
    filled = insert_outputs(rendered, ["OUT"] * len(rendered.shell))
    assert filled.count("OUT") == len(rendered.shell)
    for injection in rendered.shell:
        assert rendered.text[injection.start : injection.end].strip() == injection.command
