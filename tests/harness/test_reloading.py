"""Settings files that change while a session runs."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from hames.harness.events import AskCancelled, Asked, Notice, ToolFinished
from hames.harness.ops import PermissionAnswer, Reload, Reply, UserInput
from support.fake_api import FakeApi, tool_use, turn
from support.hook_runs import groups, keeps, kept, says
from support.sessions import Driven, driving

Test = Callable[[FakeApi, Driven], Awaitable[None]]


def run_with(test: Test, **config: Any) -> None:
    async def main() -> None:
        config.setdefault("allowed_tools", ())
        async with asyncio.timeout(60), FakeApi() as api, driving(api.url, **config) as driven:
            await test(api, driven)
            assert api.refusals == []

    asyncio.run(main())


def user_file() -> Path:
    return Path(os.environ["HOME"], ".claude", "settings.json")


def local_file() -> Path:
    return Path(".claude", "settings.local.json")


def write(path: Path, values: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    text = values if isinstance(values, str) else json.dumps(values)
    beside = path.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def bash(command: str) -> dict[str, Any]:
    return tool_use("Bash", {"command": command})


async def says_ok(api: FakeApi, driven: Driven, command: str) -> bool:
    """Whether a call of the command runs."""
    after = len(driven.events)
    api.reply(turn(bash(command)), turn("Done."))
    await driven.turn("go")
    finished = await driven.seen(ToolFinished, after)
    return finished.block.get("is_error") is not True


def test_a_rule_counts_as_soon_as_it_is_read() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        assert not await says_ok(api, driven, "touch a")
        write(local_file(), {"permissions": {"allow": ["Bash(touch *)"]}})
        await driven.do(Reload())
        assert await says_ok(api, driven, "touch a")
        write(user_file(), {"permissions": {"deny": ["Bash(touch *)"]}})
        await driven.do(Reload())
        assert not await says_ok(api, driven, "touch a")

    run_with(test)


def test_the_watch_reads_changes_by_itself() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        assert not await says_ok(api, driven, "touch a")
        write(user_file(), {"permissions": {"allow": ["Bash(touch *)", 7]}})
        await driven.until(lambda event: isinstance(event, Notice) and "allow" in event.text)
        assert await says_ok(api, driven, "touch a")

    user_file().parent.mkdir()
    run_with(test)


def test_hooks_and_variables_follow() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        command = f'echo "$LATE" > seen; {keeps("stops")}'
        write(user_file(), {"env": {"LATE": "yes"}, "hooks": {"Stop": groups(command)}})
        await driven.do(Reload())
        api.reply(turn("Done."), turn("Done."))
        await driven.turn("go")
        assert Path("seen").read_text(encoding="utf-8") == "yes\n"
        write(user_file(), {"disableAllHooks": True, "hooks": {"Stop": groups(command)}})
        await driven.do(Reload())
        await driven.turn("go")
        assert len(kept("stops")) == 1

    run_with(test)


def test_an_open_question_is_decided_anew() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn(bash("touch a")), turn("Done."))
        driven.session.submit(UserInput("go"))
        asked = await driven.seen(Asked)
        write(local_file(), {"permissions": {"allow": ["Bash(touch *)"]}})
        await driven.do(Reload())
        await driven.until(
            lambda e: isinstance(e, AskCancelled) and e.request_id == asked.request_id
        )
        finished = await driven.seen(ToolFinished)
        assert finished.block.get("is_error") is not True

    run_with(test, answerable=frozenset({"permission"}))


def test_a_file_that_becomes_unreadable_closes() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        assert await says_ok(api, driven, "touch a")
        write(user_file(), '{"permissions": {"deny": [')
        await driven.do(Reload())
        assert any("until it is fixed" in notice.text for notice in driven.of(Notice))
        assert not await says_ok(api, driven, "touch a")
        assert await says_ok(api, driven, "echo a")
        write(user_file(), {})
        await driven.do(Reload())
        assert await says_ok(api, driven, "touch a")

    write(local_file(), {"permissions": {"allow": ["Bash(touch *)"]}})
    run_with(test, permission_mode="acceptEdits")


def test_no_mode_opens_what_a_broken_file_closed() -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        write(user_file(), "{")
        await driven.do(Reload())
        assert not await says_ok(api, driven, "touch a")

    run_with(test, permission_mode="acceptEdits")


def test_a_hook_refuses_a_change() -> None:
    blocks = says({"decision": "block", "reason": "not now"})
    hooks = {"ConfigChange": groups([keeps("changes"), blocks])}

    async def test(api: FakeApi, driven: Driven) -> None:
        write(local_file(), {"permissions": {"allow": ["Bash(touch *)"]}})
        await driven.do(Reload())
        assert not await says_ok(api, driven, "touch a")
        heard = [(given["source"], given["file_path"]) for given in kept("changes")]
        assert heard == [("local_settings", str(local_file().absolute()))]
        await driven.do(Reload())
        assert len(kept("changes")) == 1
        assert not any("not now" in notice.text for notice in driven.of(Notice))

    write(user_file(), {"hooks": hooks})
    run_with(test)


def test_a_refused_change_stays_out_when_another_file_changes() -> None:
    blocks = says({"decision": "block"})
    hooks = {
        "ConfigChange": groups({"matcher": "local_settings", "hooks": groups(blocks)[0]["hooks"]})
    }

    async def test(api: FakeApi, driven: Driven) -> None:
        write(local_file(), {"permissions": {"allow": ["Bash(touch *)"]}})
        await driven.do(Reload())
        write(user_file(), {"hooks": hooks, "permissions": {"allow": ["Bash(mkdir *)"]}})
        await driven.do(Reload())
        assert await says_ok(api, driven, "mkdir d")
        assert not await says_ok(api, driven, "touch a")
        write(user_file(), {})
        await driven.do(Reload())
        assert not await says_ok(api, driven, "touch a")
        write(local_file(), {"permissions": {"allow": ["Bash(touch  *)", "Bash(touch *)"]}})
        await driven.do(Reload())
        assert await says_ok(api, driven, "touch a")

    write(user_file(), {"hooks": hooks})
    run_with(test)


def test_a_flag_file_that_vanishes_keeps_what_was_in_force(tmp_path: Path) -> None:
    flags = tmp_path / "flags.json"

    async def test(api: FakeApi, driven: Driven) -> None:
        flags.unlink()
        assert "flags.json" in str(await driven.do(Reload()))
        assert await says_ok(api, driven, "touch a")

    write(flags, {"permissions": {"allow": ["Bash(touch *)"]}})
    run_with(test, settings=str(flags))


@pytest.mark.parametrize("behavior", ["allow", "deny"])
def test_an_answer_that_was_stored_is_not_told_as_a_surprise(behavior: str) -> None:
    async def test(api: FakeApi, driven: Driven) -> None:
        api.reply(turn(bash("touch a")), turn("Done."))
        driven.session.submit(UserInput("go"))
        asked = await driven.seen(Asked)
        rule = {"toolName": "Bash", "ruleContent": "touch *"}
        update = {
            "type": "addRules",
            "rules": [rule],
            "behavior": behavior,
            "destination": "localSettings",
        }
        driven.session.submit(Reply(asked.request_id, PermissionAnswer("allow", updates=(update,))))
        await driven.seen(ToolFinished)
        await driven.do(Reload())
        assert driven.of(Notice) == []

    run_with(test, answerable=frozenset({"permission"}))
