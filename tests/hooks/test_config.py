"""Reading hook configuration: good entries whole, bad ones named."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.hooks.config import HookConfig, parse_callbacks, parse_hooks
from hames.hooks.spec import Callback, Command, Handler, HookSource, HookSpec, Http, McpTool, Prompt
from support.hook_session import USER, command

SDK = HookSource("sdk", "SDK")


def one(handler: Any, event: str = "PreToolUse") -> HookConfig:
    return parse_hooks({event: [{"hooks": [handler]}]}, USER)


def texts(config: HookConfig) -> list[tuple[str, str, str]]:
    return [(problem.kind, problem.where, problem.text) for problem in config.problems]


@pytest.mark.parametrize(
    ("entry", "handler"),
    [
        ({"type": "command", "command": "x"}, Command("x")),
        (
            {"type": "command", "command": "x", "args": [], "shell": "bash"},
            Command("x", (), "bash"),
        ),
        ({"type": "command", "command": "x", "async": True}, Command("x", background=True)),
        (
            {"type": "command", "command": "x", "asyncRewake": True},
            Command("x", background=True, rewake=True),
        ),
        (
            {"type": "http", "url": "http://h/", "headers": {"A": "$B"}, "allowedEnvVars": ["B"]},
            Http("http://h/", (("A", "$B"),), ("B",)),
        ),
        (
            {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": "${tool_name}"}},
            McpTool("s", "t", '{"a": "${tool_name}"}'),
        ),
        ({"type": "prompt", "prompt": "ok?", "model": "m"}, Prompt("ok?", "m")),
        (
            {"type": "prompt", "prompt": "ok?", "continueOnBlock": True},
            Prompt("ok?", continue_on_block=True),
        ),
        (
            {"type": "agent", "prompt": "ok?"},
            Prompt("ok?", continue_on_block=True, agent=True),
        ),
    ],
)
def test_every_handler_type_is_read(entry: dict[str, Any], handler: Handler) -> None:
    config = one(entry)
    assert config.problems == ()
    assert config.specs == (HookSpec("PreToolUse", handler, USER, where="PreToolUse[0].hooks[0]"),)


def test_all_common_keys_are_read() -> None:
    entry = command(
        "x",
        **{"if": "Bash(git *)"},
        timeout=1.5,
        once=True,
        onFailure="block",
        statusMessage="wait",
        unknownKey=1,
    )
    config = parse_hooks({"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}, USER)
    assert config.specs == (
        HookSpec(
            "PreToolUse",
            Command("x"),
            USER,
            matcher="Bash",
            condition="Bash(git *)",
            timeout=1.5,
            once=True,
            on_failure="block",
            status_message="wait",
            where="PreToolUse[0].hooks[0]",
        ),
    )
    assert config.problems == ()


GOOD = command("good")


@pytest.mark.parametrize(
    ("hooks", "problem"),
    [
        ([], ("entry", "", "must be an object of event names, not a list")),
        (
            {"PreTooluse": [], "Stop": [{"hooks": [GOOD]}]},
            ("event", "PreTooluse", 'there is no event "PreTooluse"'),
        ),
        (
            {"PreToolUse": {}, "Stop": [{"hooks": [GOOD]}]},
            ("entry", "PreToolUse", "must be a list, not an object"),
        ),
        (
            {"Stop": ["x", {"hooks": [GOOD]}]},
            ("entry", "Stop[0]", "must be an object, not text"),
        ),
        (
            {"Stop": [{"hook": []}, {"hooks": [GOOD]}]},
            ("entry", "Stop[0]", 'must have a list named "hooks"'),
        ),
        (
            {"Stop": [{"hooks": [1, GOOD]}]},
            ("entry", "Stop[0].hooks[0]", "must be an object, not a number"),
        ),
        (
            {"Stop": [{"hooks": [{"command": "x"}, GOOD]}]},
            (
                "entry",
                "Stop[0].hooks[0].type",
                "must be command, http, mcp_tool, prompt or agent, not None",
            ),
        ),
        (
            {"Stop": [{"hooks": [{"type": "command"}, GOOD]}]},
            ("entry", "Stop[0].hooks[0].command", "must be text that is not empty"),
        ),
        (
            {"Stop": [{"hooks": [command("x", args="y"), GOOD]}]},
            ("field", "Stop[0].hooks[0].args", "must be a list of texts"),
        ),
        (
            {"SessionStart": [{"hooks": [{"type": "prompt", "prompt": "x"}]}, {"hooks": [GOOD]}]},
            ("entry", "SessionStart[0].hooks[0]", "SessionStart does not run hooks of type prompt"),
        ),
    ],
)
def test_a_bad_entry_is_named_and_the_rest_is_kept(
    hooks: Any, problem: tuple[str, str, str]
) -> None:
    config = parse_hooks(hooks, USER)
    assert texts(config)[0] == problem
    expected = [Command("good")] if hooks else []
    assert [spec.handler for spec in config.specs] == expected


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"timeout": "10"}, "timeout: must be a number of seconds above 0; the default holds"),
        ({"timeout": 0}, "timeout: must be a number of seconds above 0; the default holds"),
        ({"timeout": True}, "timeout: must be a number of seconds above 0; the default holds"),
        ({"if": ["x"]}, "if: must be text, not a list; ignored"),
        ({"async": "yes"}, "async: must be true or false, not text; ignored"),
        ({"shell": "fish"}, "shell: must be bash or powershell; ignored"),
    ],
)
def test_a_hook_with_a_bad_optional_key_still_runs(keys: dict[str, Any], problem: str) -> None:
    config = one(command("guard", **keys))
    assert [f"{p.where.rsplit('.', 1)[1]}: {p.text}" for p in config.problems] == [problem]
    assert config.specs == one(command("guard")).specs


def test_a_broken_expression_is_named() -> None:
    config = parse_hooks({"PreToolUse": [{"matcher": "Bash(", "hooks": [GOOD]}]}, USER)
    assert [spec.matcher for spec in config.specs] == ["Bash("]
    assert [problem.where for problem in config.problems] == ["PreToolUse[0].matcher"]
    ignored = {"Stop": [{"matcher": "Bash(", "hooks": [GOOD]}]}
    assert parse_hooks(ignored, USER).problems == ()


def test_a_misspelt_on_failure_fails_closed() -> None:
    assert [spec.on_failure for spec in one(command("x", onFailure="stop")).specs] == ["block"]


def test_the_stop_of_an_agent_is_that_of_a_subagent() -> None:
    source = HookSource("agent", "reviewer", name="reviewer")
    config = parse_hooks({"Stop": [{"hooks": [GOOD]}]}, source)
    assert [spec.event for spec in config.specs] == ["SubagentStop"]


def test_client_callbacks_are_read() -> None:
    given = {
        "PreToolUse": [
            {"matcher": None, "hookCallbackIds": ["a", "b"], "timeout": 5, "onFailure": "block"},
            {"matcher": "Bash"},
        ]
    }
    config = parse_callbacks(given, SDK)
    assert config.specs == tuple(
        HookSpec(
            "PreToolUse",
            Callback(name),
            SDK,
            timeout=5.0,
            on_failure="block",
            where=f"PreToolUse[0].hookCallbackIds[{index}]",
        )
        for index, name in enumerate("ab")
    )
    assert texts(config) == [
        ("entry", "PreToolUse[1]", 'must have a list of texts named "hookCallbackIds"')
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(
    ["type", "command", "args", "timeout", "if", "async", "url", "headers", "prompt", "shell"]
)
ENTRIES = st.dictionaries(KEYS, JSON | st.sampled_from(["command", "http", "prompt"])) | JSON
GROUPS = st.dictionaries(st.sampled_from(["matcher", "hooks"]), st.lists(ENTRIES) | JSON) | JSON


@pytest.mark.property
@given(st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "Nope"]), st.lists(GROUPS) | JSON))
def test_no_configuration_raises_and_every_lost_entry_is_named(hooks: dict[str, Any]) -> None:
    config = parse_hooks(hooks, USER)
    entries = sum(
        len(group["hooks"])
        for name, groups in hooks.items()
        if name != "Nope" and isinstance(groups, list)
        for group in groups
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
    )
    lost = [problem for problem in config.problems if ".hooks[" in problem.where]
    assert len(config.specs) <= entries <= len(config.specs) + len(lost)
