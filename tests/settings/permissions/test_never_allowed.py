"""Generated attacks: a denied command or path is never allowed, and nothing ever raises."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.permissions.facts import Mode
from support.permission_calls import decide_call, decide_command, policy_of

MODES: list[Mode] = ["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
DENIED = ["rm x", "\\rm x", "/bin/rm x", "'rm' x", "rm -rf x", "sudo rm x", "A=1 rm x", "r''m x"]
SHELLS = [
    "{0}",
    "ls; {0}",
    "{0} && ls",
    "ls || {0}",
    "ls | {0}",
    "({0})",
    "{{ {0}; }}",
    "! {0}",
    "if ls; then {0}; fi",
    "while {0}; do ls; done",
    "for i in a b; do {0}; done",
    "case a in a) {0};; esac",
    "echo $({0})",
    'echo "$({0})"',
    "x=$({0})",
    "cat <({0})",
    "f() {{ {0}; }}",
    "{0} &",
    "{0} > /dev/null 2>&1",
    "cat <<E\n$({0})\nE",
    "[ -n $({0}) ]",
    "echo ${{x:-$({0})}}",
]
PREFIXES = ["", "timeout 5 ", "env ", "nohup ", "sudo -u a ", "time ", "xargs "]
COMMAND_POLICY = policy_of(["allow Bash", "allow Bash(*)", "deny Bash(rm *)"])


@pytest.mark.property
@given(
    command=st.sampled_from(DENIED),
    prefixes=st.lists(st.sampled_from(PREFIXES), max_size=3),
    shells=st.lists(st.sampled_from(SHELLS), max_size=4),
    mode=st.sampled_from(MODES),
)
def test_a_denied_command_is_never_allowed(
    command: str, prefixes: list[str], shells: list[str], mode: Mode
) -> None:
    command = "".join(prefixes) + command
    for shell in shells:
        command = shell.format(command)
    decision = decide_command(command, mode=mode, policy=COMMAND_POLICY)
    assert decision.behavior != "allow", (command, decision)


STEPS = ["./", "src/../", ".//", "././", "a/b/../../", "../repo/"]
STARTS = ["", "/repo/", "/repo/./", "//repo/", "/repo/src/../", "~/../../repo/"]
READERS = [
    "cat {0}",
    "head -n 1 {0}",
    "grep x {0}",
    "sed -n p {0}",
    "wc < {0}",
    "cp {0} y",
    "sort {0}",
]
PATH_POLICY = policy_of(["allow Bash", "allow Read", "deny Read(.env)", "deny Read(secrets/**)"])


@st.composite
def spellings(draw: st.DrawFn) -> str:
    start = draw(st.sampled_from(STARTS))
    steps = "".join(draw(st.lists(st.sampled_from(STEPS), max_size=4)))
    return start + steps + draw(st.sampled_from([".env", "secrets/key", "secrets//a/./b"]))


@st.composite
def quoted(draw: st.DrawFn, text: str) -> str:
    found: list[str] = []
    for index, char in enumerate(text):
        plain = char if index == 0 and char == "~" else None
        options = [char, f"'{char}'", f'"{char}"', f"\\{char}", f"$'{char}'"]
        found.append(plain or draw(st.sampled_from(options if text[0] != "~" else [char])))
    return "".join(found)


@pytest.mark.property
@given(data=st.data(), mode=st.sampled_from(MODES))
def test_a_denied_path_is_never_read(data: st.DataObject, mode: Mode) -> None:
    path = data.draw(spellings())
    tool = decide_call("Read", {"file_path": path}, mode=mode, policy=PATH_POLICY)
    assert tool.behavior == "deny", (path, tool)
    command = data.draw(st.sampled_from(READERS)).format(data.draw(quoted(path)))
    decision = decide_command(command, mode=mode, policy=PATH_POLICY)
    assert decision.behavior != "allow", (command, decision)


TOOLS = ["Bash", "Read", "Edit", "Write", "Glob", "Grep", "WebFetch", "Agent", "Skill", "mcp__a__b"]
FIELDS = ["command", "file_path", "path", "pattern", "url", "skill", "subagent_type"]
ODD = policy_of(["deny Bash(rm *)", "allow Bash(ls *)", "deny Read(*.env)", "allow Edit(src/**)"])


@pytest.mark.property
@given(
    tool=st.sampled_from(TOOLS),
    given_input=st.dictionaries(
        st.sampled_from(FIELDS), st.one_of(st.text(), st.integers(), st.none(), st.booleans())
    ),
    mode=st.sampled_from(MODES),
)
def test_no_input_makes_a_decision_fail(tool: str, given_input: dict[str, Any], mode: Mode) -> None:
    decision = decide_call(tool, given_input, mode=mode, policy=ODD)
    assert decision.behavior in ("allow", "ask", "deny")


@pytest.mark.parametrize(
    "command",
    [
        "\x00",
        "ls \ud800",
        "a" * 1_000_000,
        "ls; " * 250_000,
        "(" * 5000,
        "$(" * 3000,
        "`" * 9999,
        "<<a " * 2400,
        "{" * 9999,
        "${x:-" * 1900,
        "[[ " * 3000,
        "if a; then " * 900,
    ],
    ids=range(12),
)
def test_hostile_commands_are_asked(command: str) -> None:
    assert decide_command(command, ["allow Bash(ls *)"]).behavior == "ask"
