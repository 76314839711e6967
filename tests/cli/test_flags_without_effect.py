"""Flags that hames knows by name and cannot follow say so, or refuse where silence would harm."""

import pytest

from support.fake_api.thread import running_fake_api
from support.fake_api.turns import turn
from support.run import run_hames


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--mcp-config", '{"mcpServers": {}}'), "does not connect to MCP servers"),
        (("--chrome",), "--chrome has no effect in hames."),
    ],
)
def test_a_flag_without_effect_is_told_and_the_run_goes_on(
    flags: tuple[str, ...], told: str
) -> None:
    with running_fake_api() as api:
        api.reply(turn("Done."))
        done = run_hames("-p", "hi", *flags, url=api.url)
        assert (done.code, done.out) == (0, "Done.\n")
        assert told in done.err
        assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--json-schema", "{}"), "Error: --json-schema is not supported yet\n"),
        (
            ("--permission-prompt-tool", "mcp__a__b"),
            "Error: MCP tool mcp__a__b (passed via --permission-prompt-tool) not found. "
            "Available MCP tools: none\n",
        ),
    ],
)
def test_a_flag_that_would_change_the_result_is_refused(flags: tuple[str, ...], told: str) -> None:
    with running_fake_api() as api:
        done = run_hames("-p", "hi", *flags, url=api.url)
        assert (done.code, done.out, done.err) == (1, "", told)
        assert api.requests == []
