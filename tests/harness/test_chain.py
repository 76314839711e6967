"""The walk through a transcript loses nothing that the file still has."""

from typing import Any

from hames.harness.chain import conversation

Entry = dict[str, Any]


def entry(uuid: str, parent: str | None, kind: str = "user", **keys: Any) -> Entry:
    message = {"role": kind, "content": uuid, **({"id": uuid} if kind == "assistant" else {})}
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "message": message, **keys}


def uuids(entries: list[Entry]) -> list[str]:
    return [e["uuid"] for e in entries]


def test_a_lost_line_in_the_middle_does_not_cut_the_conversation() -> None:
    entries = [
        entry("a", None),
        entry("b", "a", "assistant"),
        entry("d", "c", "assistant"),
        entry("e", "d"),
    ]
    assert uuids(conversation(entries)) == ["a", "b", "d", "e"]


def test_a_rewind_leaves_the_dropped_branch_out() -> None:
    entries = [
        entry("a", None),
        entry("b", "a", "assistant"),
        entry("c", "b"),
        entry("d", "c", "assistant"),
        entry("e", "b"),
    ]
    assert uuids(conversation(entries)) == ["a", "b", "e"]


def test_a_reminder_at_the_end_belongs_to_the_conversation() -> None:
    entries = [
        entry("a", None),
        entry("b", "a", "assistant"),
        entry("r1", "b"),
        entry("m", "r1", isMeta=True),
    ]
    assert uuids(conversation(entries)) == ["a", "b", "r1", "m"]


def test_the_first_prompt_may_stand_before_its_reminders_in_the_file() -> None:
    entries = [entry("prompt", "meta"), entry("meta", None, isMeta=True)]
    assert uuids(conversation(entries)) == ["meta", "prompt"]


def test_a_boundary_without_its_summary_is_no_root() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "x",
        "parentUuid": None,
        "logicalParentUuid": "b",
    }
    torn = [entry("a", None), entry("b", "a", "assistant"), boundary, entry("c", "x")]
    assert uuids(conversation(torn)) == ["a", "b", "x", "c"]
    whole = [*torn[:3], entry("s", "x", isCompactSummary=True), entry("c", "s")]
    assert uuids(conversation(whole)) == ["x", "s", "c"]


def test_cycles_end_the_walk() -> None:
    entries = [entry("a", "b"), entry("b", "a", "assistant"), entry("c", "b")]
    assert uuids(conversation(entries)) == ["a", "b", "c"]
