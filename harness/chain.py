"""Which entries of a transcript are the conversation: the walk from the leaf to the root.

The rules are those that the public session readers follow, so that hames and they always agree.
"""

from collections.abc import Iterable, Sequence

from hames.system.types import JsonObject, is_object

CHAINED = frozenset({"user", "assistant", "system", "attachment", "progress"})
"""Entry types with uuid and parentUuid; every other type is metadata."""


def is_chained(entry: JsonObject) -> bool:
    """Whether the entry takes part in the conversation tree."""
    return entry.get("type") in CHAINED and isinstance(entry.get("uuid"), str)


def response_id(entry: JsonObject) -> str | None:
    """The id shared by all entries of one model response; None for other entries."""
    if entry.get("type") != "assistant":
        return None
    message = entry.get("message")
    found = message.get("id") if is_object(message) else None
    return found if isinstance(found, str) else str(entry.get("uuid"))


def _parents(entries: Iterable[JsonObject]) -> dict[str, str | None]:
    """uuid to parent uuid.

    A compact boundary without its summary is not a root. A parent that no line has was lost with
    a damaged line: the message before it in the file stands in, so that nothing else is lost.
    """
    listed = list(entries)
    known = {e["uuid"] for e in listed}
    summarised = {str(e.get("parentUuid")) for e in listed if e.get("isCompactSummary")}
    parents: dict[str, str | None] = {}
    before: str | None = None
    for entry in listed:
        uuid = str(entry["uuid"])
        parent: object = entry.get("parentUuid")
        if entry.get("subtype") == "compact_boundary" and uuid not in summarised:
            parent = entry.get("logicalParentUuid")
        if isinstance(parent, str) and parent not in known:
            parent = before
        parents[uuid] = parent if isinstance(parent, str) else None
        if entry["type"] in ("user", "assistant") and not entry.get("isSidechain"):
            before = uuid
    return parents


def _is_visible(entry: JsonObject) -> bool:
    return not (entry.get("isSidechain") or entry.get("teamName") or entry.get("isMeta"))


def find_leaf(entries: Sequence[JsonObject]) -> str | None:
    """The uuid of the newest end of the conversation; None when there is none.

    Ends are entries that nobody names as parent. An end counts as the nearest user or assistant
    entry before it; hidden reminders at the end stay part of it. Visible ends win over hidden
    ones, then the one latest in the file.
    """
    by_uuid = {e["uuid"]: e for e in entries if is_chained(e)}
    parents = _parents(by_uuid.values())
    named = set(parents.values())
    best: tuple[bool, int] | None = None
    leaf: str | None = None
    for position, (uuid, entry) in enumerate(by_uuid.items()):
        if uuid in named:
            continue
        spoken = _nearest_message(uuid, by_uuid, parents)
        if spoken is None:
            continue
        rank = (_is_visible(spoken), position)
        if best is None or rank > best:
            best = rank
            leaf = uuid if entry["type"] in ("user", "assistant") else spoken["uuid"]
    return leaf


def _nearest_message(
    uuid: str, by_uuid: dict[str, JsonObject], parents: dict[str, str | None]
) -> JsonObject | None:
    """The nearest user or assistant entry at or before `uuid` that is no reminder."""
    seen: set[str] = set()
    hidden: JsonObject | None = None
    at: str | None = uuid
    while at is not None and at in by_uuid and at not in seen:
        seen.add(at)
        entry = by_uuid[at]
        if entry["type"] in ("user", "assistant"):
            if not entry.get("isMeta"):
                return entry
            hidden = hidden or entry
        at = parents[at]
    return hidden


def conversation(entries: Sequence[JsonObject], leaf: str | None = None) -> list[JsonObject]:
    """The entries from the root to `leaf` (default: the newest end), siblings gathered.

    Cycles end the walk. Of duplicate uuids the later entry counts. After the last entry of each
    response come its entries that the walk missed, in the order of the file: parallel calls
    fan out, and without them results would be lost.
    """
    by_uuid = {e["uuid"]: e for e in entries if is_chained(e)}
    leaf = leaf or find_leaf(entries)
    parents = _parents(by_uuid.values())
    walked: list[JsonObject] = []
    seen: set[str] = set()
    at = leaf
    while at is not None and at in by_uuid and at not in seen:
        seen.add(at)
        walked.append(by_uuid[at])
        at = parents[at]
    walked.reverse()
    return _with_siblings(walked, by_uuid, seen)


def _with_siblings(
    walked: list[JsonObject], by_uuid: dict[str, JsonObject], seen: set[str]
) -> list[JsonObject]:
    missed: dict[str, list[JsonObject]] = {}
    for uuid, entry in by_uuid.items():
        response = response_id(entry)
        if response is not None and uuid not in seen:
            missed.setdefault(response, []).append(entry)
    if not missed:
        return walked
    last: dict[str, int] = {}
    for index, entry in enumerate(walked):
        response = response_id(entry)
        if response is not None:
            last[response] = index
    ends = {index: response for response, index in last.items()}
    gathered: list[JsonObject] = []
    for index, entry in enumerate(walked):
        gathered.append(entry)
        if index in ends:
            gathered.extend(missed.get(ends[index], ()))
    return gathered
