"""Where a resumed conversation is cut: kept up to one entry, and perhaps only if one turn goes."""

from collections.abc import Sequence

from hames.harness.chain import conversation, is_chained
from hames.harness.errors import UsageError
from hames.system.types import JsonObject, is_list, is_object

REJECTED = "Resume rejected by --resume-drops-turn:"
_INTERRUPTED = "[Request interrupted by user"


def cut_at(entries: Sequence[JsonObject], uuid: str, drops: str | None = None) -> list[JsonObject]:
    """The conversation up to and including the entry, with the metadata.

    `drops` is the prompt of the only turn that may get lost. Raises UsageError when there is no
    such entry or more than that turn comes after it.
    """
    if not any(is_chained(e) and e["uuid"] == uuid for e in entries):
        raise UsageError(f"No message found with message.uuid of: {uuid}")
    if drops is not None:
        _check_dropped(entries, uuid, drops)
    kept = {e["uuid"] for e in conversation(entries, uuid)}
    return [e for e in entries if not is_chained(e) or e["uuid"] in kept]


def _check_dropped(entries: Sequence[JsonObject], at: str, turn: str) -> None:
    """Whether everything after `at` belongs to the turn of one prompt; raises UsageError."""
    children: dict[str, list[JsonObject]] = {}
    for entry in entries:
        if is_chained(entry) and isinstance(entry.get("parentUuid"), str):
            children.setdefault(entry["parentUuid"], []).append(entry)
    waiting: list[tuple[JsonObject, str | None]] = [(e, None) for e in children.get(at, ())]
    seen = {at}
    while waiting:
        entry, prompt = waiting.pop()
        uuid = str(entry["uuid"])
        if uuid in seen:
            continue
        seen.add(uuid)
        prompt = uuid if _is_prompt(entry) else prompt
        if prompt != turn and not (prompt is None and entry.get("isMeta")):
            raise UsageError(f"{REJECTED} {uuid} after {at} does not belong to the turn of {turn}")
        waiting += [(child, prompt) for child in children.get(uuid, ())]


def _is_prompt(entry: JsonObject) -> bool:
    """Whether somebody wrote the entry: no result, no reminder, no note of an interrupt."""
    if entry["type"] != "user" or entry.get("isMeta") or "toolUseResult" in entry:
        return False
    message = entry.get("message")
    content: object = message.get("content") if is_object(message) else None
    if is_list(content):
        if any(is_object(b) and b.get("type") == "tool_result" for b in content):
            return False
        content = content[0].get("text") if content and is_object(content[0]) else None
    return not (isinstance(content, str) and content.startswith(_INTERRUPTED))
