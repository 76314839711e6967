"""Matchers: exact lists, regular expressions of another dialect, and everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.hooks.events import HookEvent, notification, pre_tool_use, stop, subagent_start
from hames.hooks.match import matcher_matches
from hames.hooks.session_events import file_changed


def tool(name: str) -> HookEvent:
    return pre_tool_use(name, {}, "t")


@pytest.mark.parametrize(
    ("matcher", "event", "expected"),
    [
        (None, tool("Bash"), True),
        ("", tool("Bash"), True),
        ("*", tool("Bash"), True),
        ("Edit|Write", tool("Write"), True),
        ("Edit|Write", tool("NotebookEdit"), False),
        ("Edit, Write", tool("Edit"), True),
        ("Edit , Write", tool("Read"), False),
        ("edit", tool("Edit"), False),
        ("mcp__a", tool("mcp__a__x"), False),
        ("mcp__a__.*", tool("mcp__a__x"), True),
        ("mcp__a__.*", tool("mcp__ab__x"), False),
        ("^Note", tool("NotebookEdit"), True),
        ("^Note", tool("Edit"), False),
        ("Edit.*", tool("NotebookEdit"), True),
        ("Bash$", tool("Bash"), True),
        ("(?<kind>Web)(Fetch|Search)", tool("WebFetch"), True),
        ("(a)(?<n>b)\\k<n>", tool("abb"), True),
        ("mcp__[^]+", tool("mcp__x"), True),
        ("[[]x", tool("[x"), True),
        ("^[a&&~~||b]$", tool("&"), True),
        ("a\\/b", tool("a/b"), True),
        ("(", tool("("), False),
        ("Task", tool("Agent"), True),
        ("^Task$", tool("Agent"), True),
        ("Agent", tool("Agent"), True),
        ("code-reviewer", subagent_start("a", "code-reviewer"), True),
        ("code-reviewer", subagent_start("a", "code-reviewer-2"), False),
        ("idle_prompt", notification("x", "idle_prompt"), True),
        ("anything", stop(False), True),
        (".envrc|.env", file_changed("/w/.env", "change"), True),
        ("Makefile", file_changed("/w/Makefile", "change"), True),
        ("Makefile", file_changed("/w/Makefile/x", "change"), False),
        ("a, b", file_changed("/w/b", "change"), False),
    ],
)
def test_a_matcher_selects(matcher: str | None, event: HookEvent, expected: bool) -> None:
    assert matcher_matches(matcher, event) is expected


def test_a_dollar_sign_does_not_match_before_a_line_end() -> None:
    assert not matcher_matches("^Bash$", tool("Bash\n"))


@pytest.mark.property
@given(
    st.text(max_size=9) | st.text("()[]{}^$|?*+\\\\.<>:=!-&~0123456789abk", max_size=12),
    st.text(max_size=9),
)
def test_no_matcher_raises(matcher: str, name: str) -> None:
    assert isinstance(matcher_matches(matcher, tool(name)), bool)
