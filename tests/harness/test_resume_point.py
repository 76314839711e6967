"""Cutting a conversation: what is kept, and when dropping is refused."""

from typing import Any

import pytest

from hames.harness.errors import UsageError
from hames.harness.resume_point import cut_at

Entry = dict[str, Any]


def user(uuid: str, parent: str | None, content: Any = "text", **keys: Any) -> Entry:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **keys}


def assistant(uuid: str, parent: str) -> Entry:
    message = {"id": f"msg_{uuid}", "role": "assistant", "content": [{"type": "text", "text": "t"}]}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}


def result(uuid: str, parent: str) -> Entry:
    block = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
    return user(uuid, parent, [block], toolUseResult="x")


TITLE = {"type": "custom-title", "customTitle": "t"}
FIRST = [user("p1", None), TITLE, assistant("a1", "p1")]
NOTE = [{"type": "text", "text": "[Request interrupted by user]"}]


def uuids(entries: list[Entry]) -> list[str]:
    return [str(entry.get("uuid", entry["type"])) for entry in entries]


def test_what_comes_after_the_entry_is_left_out() -> None:
    entries = [*FIRST, user("p2", "a1"), assistant("a2", "p2")]
    assert uuids(cut_at(entries, "a1")) == ["p1", "custom-title", "a1"]
    assert uuids(cut_at(entries, "p1")) == ["p1", "custom-title"]


def test_an_entry_that_does_not_exist_is_named() -> None:
    with pytest.raises(UsageError, match="No message found with message.uuid of: x"):
        cut_at(FIRST, "x")


@pytest.mark.parametrize(
    "later",
    [
        [],
        [user("p2", "a1")],
        [user("p2", "a1"), assistant("a2", "p2"), result("r2", "a2"), assistant("b2", "r2")],
        [user("m", "a1", isMeta=True), user("p2", "m"), assistant("a2", "p2")],
        [user("p2", "m"), user("m", "a1", isMeta=True)],
        [user("p2", "a1"), user("m", "p2", isMeta=True), assistant("a2", "m")],
        [user("p2", "a1"), user("i", "p2", NOTE)],
        [user("p2", "a1"), {"type": "attachment", "uuid": "x", "parentUuid": "p2"}],
    ],
)
def test_one_turn_may_be_dropped(later: list[Entry]) -> None:
    assert uuids(cut_at([*FIRST, *later], "a1", "p2")) == ["p1", "custom-title", "a1"]


@pytest.mark.parametrize(
    "later",
    [
        [user("p3", "a1")],
        [user("p2", "a1"), user("p3", "p2")],
        [user("p2", "a1"), assistant("a2", "p2"), user("queued", "a2")],
        [user("p2", "a1"), user("other", "a1")],
        [assistant("a1b", "a1"), user("p2", "a1b")],
        [user("p2", "a1"), user("p3", "p2", [{"type": "text", "text": "blocks"}])],
        [{"type": "attachment", "uuid": "x", "parentUuid": "a1"}],
    ],
)
def test_more_than_the_turn_is_not_dropped(later: list[Entry]) -> None:
    with pytest.raises(UsageError, match="Resume rejected by --resume-drops-turn: "):
        cut_at([*FIRST, *later], "a1", "p2")


def test_entries_in_a_circle_end_the_check() -> None:
    circle = [user("p2", "a1"), assistant("a2", "p2"), user("p2", "a2")]
    assert uuids(cut_at([*FIRST, *circle], "a1", "p2")) == ["p1", "custom-title", "a1"]
