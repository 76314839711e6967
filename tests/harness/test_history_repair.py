"""Damages that random histories found, each in its smallest form."""

from pathlib import Path

import pytest

from hames.harness.projection import messages
from hames.harness.record import Record
from hames.harness.state import SessionState
from hames.harness.transcript import Header, Transcript, user_entry
from hames.system.types import JsonObject

SEARCH: JsonObject = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
FOUND: JsonObject = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
THOUGHT: JsonObject = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
IMAGE: JsonObject = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}


def text(value: str) -> JsonObject:
    return {"type": "text", "text": value}


def said(response: str, *blocks: JsonObject) -> JsonObject:
    message = {"id": response, "role": "assistant", "model": "m", "content": list(blocks)}
    return {"type": "assistant", "message": message}


def written(*drafts: JsonObject) -> list[JsonObject]:
    """A session with a stored prefix, so that thinking is sent."""
    transcript = Transcript(None, Header("s", "/w"))
    prefix: JsonObject = {"type": "hames-prefix", "sha256": "", "system": [], "tools": []}
    return transcript.append([user_entry("Hello"), prefix, *drafts])


def roles(entries: list[JsonObject]) -> list[tuple[str, list[str]]]:
    return [(m["role"], [b["type"] for b in m["content"]]) for m in messages(entries)]


@pytest.mark.parametrize(
    ("drafts", "expected"),
    [
        (
            [said("a", text("See:"), IMAGE), user_entry("Go on")],
            [("assistant", ["text"]), ("user", ["text"])],
        ),
        (
            [said("a", text("Searching."), SEARCH), user_entry("Stop")],
            [("assistant", ["text"]), ("user", ["text"])],
        ),
        (
            [said("a", text("Searching."), SEARCH), said("b", THOUGHT), user_entry("Stop")],
            [("assistant", ["text"]), ("user", ["text"])],
        ),
        (
            [said("a", text("Searching."), SEARCH), said("b", text("Lost.")), user_entry("Go on")],
            [("assistant", ["text"]), ("assistant", ["text"]), ("user", ["text"])],
        ),
        (
            [said("a", text("Searching."), SEARCH)],
            [("assistant", ["text", "server_tool_use"])],
        ),
        (
            [said("a", SEARCH), said("b", THOUGHT), said("b", FOUND), user_entry("Go on")],
            [
                ("assistant", ["server_tool_use"]),
                ("assistant", ["thinking", "web_search_tool_result"]),
                ("user", ["text"]),
            ],
        ),
    ],
    ids=[
        "picture of the assistant",
        "interrupted search",
        "interrupted thinking after a pause",
        "search without a result",
        "paused search",
        "finished search",
    ],
)
def test_only_what_the_api_takes_is_sent(
    drafts: list[JsonObject], expected: list[tuple[str, list[str]]]
) -> None:
    assert roles(written(*drafts)) == [("user", ["text"]), *expected]


def test_a_prompt_after_a_torn_chain_continues_what_is_shown() -> None:
    """The entry before the last one is lost: the session goes on from the end of the walk."""
    one, two = said("a", text("One.")), said("a", text("Two."))
    entries = written(one, user_entry("lost"), two)
    kept = [e for e in entries if e.get("message", {}).get("content") != "lost"]
    record = Record(Transcript(None, Header("s", "/w")), SessionState(Path("/w"), "default"), kept)
    before = record.messages
    record.append([user_entry("Go on")])
    assert record.messages[: len(before)] == before
    assert record.messages == messages(record.entries)
