"""Sessions of hames in the hands of the agent SDK: resumed, cut, mirrored, listed, edited."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from claude_agent_sdk import (
    InMemorySessionStore,
    ResultError,
    SessionKey,
    SessionMessage,
    delete_session,
    fork_session,
    get_session_info,
    get_session_messages,
    list_sessions,
    rename_session,
    tag_session,
)

from support.fake_api import tool_use, turn
from support.sdk_client import Bench, result_of, run_with
from support.stream_client import transcripts


def spoken(messages: Sequence[SessionMessage]) -> list[tuple[str, Any]]:
    """Who said what, tool traffic left out."""
    found: list[tuple[str, Any]] = []
    for message in messages:
        content = message.message["content"]
        if isinstance(content, str):
            found.append((message.type, content))
        elif content[0]["type"] == "text":
            found.append((message.type, content[0]["text"]))
    return found


async def two_turns(bench: Bench) -> str:
    """A session with two prompts and a call; its id."""
    call = tool_use("Bash", {"command": "pwd"}, id="toolu_1")
    bench.api.reply(turn(call), turn("One."), turn("Two."))
    first = result_of(await bench.ask("prompt 1"))
    result_of(await bench.ask("prompt 2", resume=first.session_id))
    return first.session_id


WHOLE = [
    ("user", "prompt 1"),
    ("assistant", "One."),
    ("user", "prompt 2"),
    ("assistant", "Two."),
]


def test_a_session_is_listed_and_read() -> None:
    async def test(bench: Bench) -> None:
        session_id = await two_turns(bench)
        (info,) = list_sessions(directory=str(bench.work))
        assert (info.session_id, info.first_prompt) == (session_id, "prompt 1")
        assert info.cwd == str(bench.work)
        messages = get_session_messages(session_id, directory=str(bench.work))
        assert spoken(messages) == WHOLE
        assert len(messages) == 6

    run_with(test)


def test_a_session_is_renamed_tagged_and_resumed_by_its_title() -> None:
    async def test(bench: Bench) -> None:
        session_id = await two_turns(bench)
        rename_session(session_id, "my work", directory=str(bench.work))
        tag_session(session_id, "keep", directory=str(bench.work))
        bench.api.reply(turn("Three."))
        again = result_of(await bench.ask("prompt 3", resume="my work"))
        assert again.session_id == session_id
        info = get_session_info(session_id, directory=str(bench.work))
        assert info is not None
        assert (info.custom_title, info.tag, info.summary) == ("my work", "keep", "my work")

    run_with(test)


def test_a_fork_of_the_sdk_is_resumed_and_a_deleted_session_is_gone() -> None:
    async def test(bench: Bench) -> None:
        session_id = await two_turns(bench)
        forked = fork_session(session_id, directory=str(bench.work)).session_id
        delete_session(session_id, directory=str(bench.work))
        bench.api.reply(turn("Three."))
        result = result_of(await bench.ask("prompt 3", resume=forked))
        assert (result.session_id, result.result) == (forked, "Three.")
        sent = json.dumps(bench.api.calls[-1].messages)
        assert all(text in sent for _, text in WHOLE)
        assert [info.session_id for info in list_sessions(directory=str(bench.work))] == [forked]

    run_with(test)


def test_a_fork_of_hames_has_the_whole_conversation_and_leaves_the_source() -> None:
    async def test(bench: Bench) -> None:
        session_id = await two_turns(bench)
        (path,) = transcripts()
        before = path.read_bytes()
        bench.api.reply(turn("Three."))
        forked = result_of(await bench.ask("prompt 3", resume=session_id, fork_session=True))
        messages = get_session_messages(forked.session_id, directory=str(bench.work))
        assert spoken(messages) == [*WHOLE, ("user", "prompt 3"), ("assistant", "Three.")]
        assert path.read_bytes() == before

    run_with(test)


async def points(bench: Bench) -> tuple[str, str, str]:
    """A session with two turns: its id, the last entry of turn 1, the prompt of turn 2."""
    session_id = await two_turns(bench)
    messages = get_session_messages(session_id, directory=str(bench.work))
    second = next(i for i, m in enumerate(messages) if m.message["content"] == "prompt 2")
    return session_id, messages[second - 1].uuid, messages[second].uuid


def test_a_session_is_resumed_at_a_message_and_drops_the_turn_after_it() -> None:
    async def test(bench: Bench) -> None:
        session_id, at, second = await points(bench)
        bench.api.reply(turn("Another two."))
        await bench.ask(
            "prompt 2b", resume=session_id, resume_session_at=at, resume_drops_turn=second
        )
        messages = get_session_messages(session_id, directory=str(bench.work))
        assert spoken(messages) == [
            *WHOLE[:2],
            ("user", "prompt 2b"),
            ("assistant", "Another two."),
        ]
        assert "prompt 2" not in [m["content"] for m in bench.api.calls[-1].messages]

    run_with(test)


@pytest.mark.parametrize("wrong", ["first", "empty", "unknown"])
def test_a_resume_that_would_drop_more_than_one_turn_is_refused(wrong: str) -> None:
    async def test(bench: Bench) -> None:
        session_id, at, _ = await points(bench)
        drops = {"first": at, "empty": "", "unknown": session_id}[wrong]
        before = [path.read_bytes() for path in transcripts()]
        with pytest.raises(ResultError, match="Resume rejected by --resume-drops-turn:"):
            await bench.ask(
                "prompt 3",
                resume=session_id,
                fork_session=True,
                resume_session_at=at,
                resume_drops_turn=drops,
            )
        assert [path.read_bytes() for path in transcripts()] == before
        bench.stderr.clear()

    run_with(test)


def test_a_store_gets_the_session_and_gives_it_back() -> None:
    async def test(bench: Bench) -> None:
        store = InMemorySessionStore()
        bench.api.reply(turn("One."), turn("Two."))
        first = result_of(await bench.ask("prompt 1", session_store=store))
        (path,) = transcripts()
        key: SessionKey = {"project_key": path.parent.name, "session_id": first.session_id}
        stored = await store.load(key)
        assert stored is not None
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert list(stored) == lines
        path.unlink()
        second = await bench.ask("prompt 2", session_store=store, resume=first.session_id)
        assert result_of(second).session_id == first.session_id
        assert "One." in json.dumps(bench.api.calls[-1].messages)

    run_with(test)
