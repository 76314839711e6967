"""The message list of a session, computed from its transcript entries and from nothing else."""

from collections.abc import Iterable, Mapping, Sequence

from hames.harness.chain import conversation, find_leaf, is_chained
from hames.harness.rounds import (
    Round,
    add_entry,
    finish_round,
    is_api_message,
    stray_results,
)
from hames.system.types import JsonObject, is_list, is_object

Drops = Mapping[str, Sequence[JsonObject]]
"""`hames-drop` lines by the uuid of the entry they take something out of."""


def messages(entries: Sequence[JsonObject], leaf: str | None = None) -> list[JsonObject]:
    """The API messages of the conversation that ends at `leaf` (default: the newest end)."""
    projection = Projection()
    projection.load(entries, leaf)
    return projection.messages()


class Projection:
    """The message list, advanced by what was appended; always equal to a full computation.

    A message keeps its identity (`is`) for as long as it does not change.
    """

    def __init__(self) -> None:
        self._entries: list[JsonObject] = []
        self._leaf: str | None = None
        self._rounds: list[Round] = []
        self._homes: dict[str, Round] = {}
        self._sealed: list[JsonObject] = []
        self._sealed_rounds = 0
        self._used: set[str] = set()
        self._open: tuple[tuple[int, int, int, int], list[JsonObject]] | None = None
        self._newest: dict[str, int] = {}

    @property
    def leaf(self) -> str | None:
        """The uuid of the newest entry of the conversation."""
        return self._leaf

    @property
    def entries(self) -> Sequence[JsonObject]:
        """The entries that the message list follows from."""
        return self._entries

    def load(self, entries: Sequence[JsonObject], leaf: str | None = None) -> None:
        """Forget everything and compute from `entries`."""
        self._entries = list(entries)
        self._rounds, self._homes = [], {}
        self._sealed, self._sealed_rounds = [], 0
        self._used, self._open, self._newest = set(), None, {}
        # Not the last entry of the chain: siblings gathered there are no end of the walk.
        leaf = leaf or find_leaf(self._entries)
        chain = conversation(self._entries, leaf)
        self._leaf = leaf if chain else None
        signed = _signed(self._entries)
        drops = _drops(self._entries)
        for entry in chain:
            self._add(entry, thinking=entry["uuid"] in signed, drops=drops)

    def extend(self, entries: Iterable[JsonObject]) -> None:
        """Advance by entries that were just appended to the transcript."""
        for entry in entries:
            if not self._is_next(entry):
                self.load([*self._entries, entry])
                continue
            self._entries.append(entry)
            if is_chained(entry):
                self._leaf = entry["uuid"]
                self._add(entry, thinking=True, drops={})

    def _is_next(self, entry: JsonObject) -> bool:
        """Whether the entry only makes the conversation longer."""
        if not is_chained(entry):
            return entry.get("type") not in ("hames-drop", "hames-prefix")
        if entry.get("parentUuid") == self._leaf:
            return entry.get("subtype") != "compact_boundary"
        return entry["type"] == "user" and entry.get("parentUuid") in self._newest

    def _add(self, entry: JsonObject, *, thinking: bool, drops: Drops) -> None:
        if not is_api_message(entry):
            return
        count = len(self._rounds)
        for dropped in drops.get(entry["uuid"], ()):
            entry = _without(entry, dropped)
        add_entry(self._rounds, self._homes, entry, thinking=thinking)
        if entry["type"] == "assistant":
            if len(self._rounds) > count:
                self._newest = {}
            self._newest[entry["uuid"]] = count

    def messages(self) -> list[JsonObject]:
        """The messages in order; every wire rule of pairing and emptiness holds."""
        if self._sealed_rounds < len(self._rounds) - 1:
            self._seal()
        if not self._rounds:
            return []
        current = self._rounds[-1]
        state = (
            len(current.blocks),
            len(current.results),
            len(current.reminders),
            len(current.prompts),
        )
        if self._open is None or self._open[0] != state:
            fresh = self._finish(len(self._rounds) - 1, set(self._used))
            self._open = (state, _reuse(self._open[1] if self._open else [], fresh))
        return self._sealed + self._open[1]

    def _seal(self) -> None:
        for index in range(self._sealed_rounds, len(self._rounds) - 1):
            finished = self._finish(index, self._used)
            kept = self._open[1] if self._open else []
            self._sealed.extend(_reuse(kept, finished))
            self._open = None
        self._sealed_rounds = len(self._rounds) - 1

    def _finish(self, index: int, used: set[str]) -> list[JsonObject]:
        current = self._rounds[index]
        later = self._rounds[index + 1] if index + 1 < len(self._rounds) else None
        strays: dict[str, JsonObject] = {}
        if any(call not in current.results for call in current.calls()):
            strays = stray_results(self._rounds, self._entries)
        return finish_round(current, strays, used, first=not self._sealed, later=later)


def _reuse(old: list[JsonObject], new: list[JsonObject]) -> list[JsonObject]:
    """`new`, with the objects of `old` where they are equal, so that identity tells change."""
    return [
        before if before == after else after for before, after in zip(old, new, strict=False)
    ] + new[len(old) :]


def _signed(entries: Sequence[JsonObject]) -> set[str]:
    """Entries whose thinking belongs to the newest stored prefix; none without a prefix.

    The prefix line follows the first user entry of its conversation, so everything before that
    entry was said under another prefix.
    """
    newest = max(
        (i for i, e in enumerate(entries) if e.get("type") == "hames-prefix"), default=None
    )
    if newest is None:
        return set()
    return {e["uuid"] for e in entries[newest:] if is_chained(e)}


def _drops(entries: Sequence[JsonObject]) -> Drops:
    """What later lines took out of earlier entries; the last block first, so that places hold."""
    found: dict[str, list[JsonObject]] = {}
    for entry in entries:
        if entry.get("type") == "hames-drop" and "entry" in entry:
            found.setdefault(str(entry["entry"]), []).append(entry)
    return {uuid: sorted(drops, key=_block_place, reverse=True) for uuid, drops in found.items()}


def _block_place(drop: JsonObject) -> int:
    index = drop.get("block")
    return index if isinstance(index, int) else -1


def _without(entry: JsonObject, drop: JsonObject) -> JsonObject:
    """The entry with one block (or, when `block` is missing, all) replaced by `note`.

    A tool result keeps its call and gets the note as its content.
    """
    note = drop.get("note")
    text = note if isinstance(note, str) else ""
    instead = [{"type": "text", "text": text}] if text else []
    message = dict(entry["message"])
    content = message.get("content")
    index = drop.get("block")
    if isinstance(index, int) and is_list(content) and 0 <= index < len(content):
        if is_object(content[index]) and content[index].get("type") == "tool_result":
            instead = [{**content[index], "content": text}]
        message["content"] = [*content[:index], *instead, *content[index + 1 :]]
    else:
        message["content"] = instead
    return {**entry, "message": message}
