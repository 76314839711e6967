"""One result for each call, whatever happens to it."""

import asyncio
from typing import Any

from hames.harness.events import Notice, ToolFinished, ToolStarted
from support.fake_api import FakeApi, tool_use, turn
from support.sessions import driving

PARALLEL = {"settings": '{"hames": {"dispatch": {"parallelCommands": "all"}}}'}


def bash(command: str, id: str, **more: Any) -> dict[str, Any]:
    return tool_use("Bash", {"command": command, **more}, id=id)


def test_a_result_for_every_kind_of_call() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(
                turn(
                    bash("echo fine", "toolu_ok"),
                    bash("exit 3", "toolu_failed"),
                    bash("echo denied-marker", "toolu_denied"),
                    tool_use("Nothing", {}, id="toolu_unknown"),
                    tool_use("Read", {"path": 1}, id="toolu_invalid"),
                    tool_use("Read", {"file_path": "/nowhere/at/all"}, id="toolu_error"),
                    bash("sleep 30", "toolu_slow", timeout=200),
                ),
                turn("Done."),
            )
            async with driving(api.url, disallowed_tools=("Bash(echo denied-marker)",)) as driven:
                result = await driven.turn("go")
                await driven.close()
            results = api.calls[1].results
            failed = {call for call, block in results.items() if block.get("is_error")}
            assert list(results) == [b["id"] for b in api.calls[1].blocks("tool_use")]
            assert failed == set(results) - {"toolu_ok"}
            assert [d["tool_use_id"] for d in result.denials] == ["toolu_denied"]
            finished = [e.call_id for e in driven.of(ToolFinished)]
            assert sorted(finished) == sorted(results)
            started = {e.call_id for e in driven.of(ToolStarted)}
            assert started == {"toolu_ok", "toolu_failed", "toolu_error", "toolu_slow"}
            assert "No such tool available: Nothing" in str(results["toolu_unknown"])

    asyncio.run(scenario())


def test_rules_that_cannot_work_are_told_once() -> None:
    async def scenario() -> None:
        async with FakeApi() as api:
            api.reply(
                turn(bash("echo a", "toolu_1"), bash("echo b", "toolu_2")),
                turn(bash("rm -r x", "toolu_3")),
                turn("Done."),
            )
            async with driving(
                api.url,
                allowed_tools=("Write(src/**)",),
                disallowed_tools=("Raed(x)", "Bash(rm:*)"),
            ) as driven:
                result = await driven.turn("go")
                await driven.close()
            told = [e.text for e in driven.of(Notice) if "rule `" in e.text]
            assert sorted(text.split("`")[1] for text in told) == ["Raed(x)", "Write(src/**)"]
            assert [d["tool_use_id"] for d in result.denials] == ["toolu_3"]

    asyncio.run(scenario())
