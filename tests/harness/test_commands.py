"""Slash commands as prompts: answered at once, without a request, whatever is typed."""

import asyncio

import pytest

from hames.harness.commands import split_command
from hames.harness.events import Notice, SessionReset
from support.fake_api import FakeApi, turn
from support.sessions import driving


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/model", ("model", "")),
        ("/model haiku", ("model", "haiku")),
        ("  /model   a  b \n", ("model", "a  b")),
        ("/a:b-c_d.e x\ny", ("a:b-c_d.e", "x\ny")),
        ("/", None),
        ("/usr/bin", None),
        ("/ model", None),
        ("model", None),
        ("/-x", None),
    ],
)
def test_what_is_a_command(text: str, command: tuple[str, str] | None) -> None:
    assert split_command(text) == command


@pytest.mark.parametrize(
    ("text", "answer", "failed"),
    [
        ("/cost", "Total cost: $", False),
        ("/model", "Model: claude-sonnet-4-6", False),
        ("/model haiku", "Model: claude-haiku-5-5", False),
        ("/model default", "Model: ", False),
        ("/model two words", "is no model", True),
        ("/effort low", "Effort: low", False),
        ("/effort", "Effort: the default of the model", False),
        ("/effort banana", "unknown effort 'banana'", True),
        ("/modle", "Unknown command: /modle. Did you mean /model?", False),
        ("/qwertz", "Unknown command: /qwertz", False),
    ],
)
def test_a_command_answers_without_a_request(text: str, answer: str, failed: bool) -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url) as driven:
            result = await driven.turn(text)
            assert answer in result.text
            assert (result.is_error, result.num_turns) == (failed, 0)
            assert api.requests == []
            api.reply(turn("Still here."))
            assert (await driven.turn("hello")).text == "Still here."
            await driven.close()

    asyncio.run(scenario())


def test_text_that_only_looks_like_a_command_is_a_prompt() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            await driven.turn("/usr/bin/env is a path")
            await driven.turn("/cost", literal=True)
            await driven.close()
            assert [r.last_text for r in api.calls][1] == "/cost"
            assert len(api.calls) == 2

    asyncio.run(scenario())


def test_a_blank_message_asks_nobody() -> None:
    async def scenario() -> None:
        async with FakeApi() as api, driving(api.url) as driven:
            result = await driven.turn(" \n")
            assert (result.is_error, result.num_turns) == (False, 0)
            assert "blank" in result.text
            await driven.close()
            assert api.requests == []

    asyncio.run(scenario())


def test_clear_as_a_command_starts_over() -> None:
    async def scenario() -> None:
        async with FakeApi(script=lambda request: turn("ok")) as api, driving(api.url) as driven:
            await driven.turn("before")
            await driven.turn("/clear")
            (reset,) = driven.of(SessionReset)
            await driven.turn("after")
            await driven.close()
            assert len(api.calls[1].messages) == 1
            assert "before" not in api.calls[1].last_text
            assert driven.events[-1].scope.session_id == reset.new_session_id
            assert driven.of(Notice) == []

    asyncio.run(scenario())
