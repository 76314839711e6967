"""Random transcripts: valid ones as hames writes them, and broken ones made from them."""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from hames.harness.projection import Projection
from hames.harness.request import Prefix, RequestBuilder
from hames.harness.transcript import (
    Header,
    Transcript,
    assistant_entries,
    reminder_entry,
    result_entry,
    user_entry,
)
from hames.system.types import JsonObject
from support.fake_api import Prefix as SignedPrefix
from support.fake_api import read_raw, sign

PREFIX = Prefix(
    ({"type": "text", "text": "Be brief."}, {"type": "text", "text": "Today."}),
    ({"name": "Bash", "input_schema": {"type": "object"}},),
)
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
)
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
}
_TEXTS = ("ok", "Zwölf 🥊", "line\nline ", "<system-reminder>x</system-reminder>", "{}")


@dataclass
class Writer:
    """Writes one valid session into memory, the way the loop does."""

    random: Random
    model: str
    transcript: Transcript = field(default_factory=lambda: Transcript(None, Header("s", "/w")))
    entries: list[JsonObject] = field(default_factory=list[JsonObject])
    number: int = 0

    def add(self, *drafts: JsonObject) -> list[JsonObject]:
        """Append entries."""
        written = self.transcript.append(drafts)
        self.entries.extend(written)
        return written

    def identity(self, prefix: str) -> str:
        """A fresh id."""
        self.number += 1
        return f"{prefix}_{self.number:04d}"

    def text(self) -> str:
        """Some text, never blank."""
        return f"{self.random.choice(_TEXTS)} {self.number}"

    def prompt(self) -> None:
        """A typed prompt, perhaps with a picture, perhaps with a reminder before it."""
        if self.random.random() < 0.3:
            self.add(reminder_entry(self.text()))
        if self.random.random() < 0.2:
            self.add(user_entry([{"type": "text", "text": self.text()}, copy.deepcopy(IMAGE)]))
        else:
            self.add(user_entry(self.text()))

    def response(self) -> list[JsonObject]:
        """One answer; the entries of its calls."""
        message = {
            "id": self.identity("msg"),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "stop_reason": "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        keys: JsonObject = {"aborted": True} if self.random.random() < 0.1 else {}
        written = self.add(*assistant_entries(message, self.blocks(), **keys))
        return [e for e in written if e["message"]["content"][0]["type"] == "tool_use"]

    def blocks(self) -> list[JsonObject]:
        """Thinking, text, work of the server and calls, at least one of them."""
        found: list[JsonObject] = []
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            found.append(self.thinking(found))
        if self.random.random() < 0.6:
            found.append({"type": "text", "text": self.text()})
        if self.random.random() < 0.1:
            call = self.identity("srvtoolu")
            found += [
                {"type": "server_tool_use", "id": call, "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "tool_use_id": call, "content": []},
            ]
        for _ in range(self.random.choice((0, 1, 1, 2, 4))):
            call = self.identity("toolu")
            command = {"command": self.text()}
            found.append({"type": "tool_use", "id": call, "name": "Bash", "input": command})
        return found or [{"type": "text", "text": self.text()}]

    def thinking(self, before: list[JsonObject]) -> JsonObject:
        """A block signed for its place, as the API does it."""
        projection = Projection()
        projection.load(self.entries)
        body = RequestBuilder(PREFIX).build(projection.messages(), {})
        raw = read_raw(body)
        prefix = SignedPrefix(raw.tools, raw.system, raw.messages, tuple(before))
        thought = self.random.choice(("", self.text()))
        signature = sign(self.model, "main", prefix, thought)
        return {"type": "thinking", "thinking": thought, "signature": signature}

    def results(self, calls: list[JsonObject]) -> None:
        """Results in the order in which the calls ended; a killed process leaves some out."""
        ended = calls[:]
        self.random.shuffle(ended)
        if self.random.random() < 0.1:
            ended = ended[: self.random.randint(0, len(ended))]
        for entry in ended:
            block = entry["message"]["content"][0]
            content = self.random.choice((self.text(), "", [{"type": "text", "text": self.text()}]))
            done: JsonObject = {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": content or f"result {block['id']}",
            }
            if self.random.random() < 0.2:
                done["is_error"] = True
            self.add(result_entry(done, "text", entry["uuid"]))
        if ended and self.random.random() < 0.2:
            self.add(reminder_entry(self.text()))

    def aside(self) -> None:
        """An entry that the model never sees, or a compaction."""
        kind = self.random.randrange(6)
        if kind == 0:
            self.add(
                {"type": "system", "subtype": "informational", "content": "x", "level": "info"}
            )
        elif kind == 1:
            self.add({"type": "progress", "data": {}})
        elif kind == 2:
            self.add({"type": "permission-mode", "permissionMode": "default"})
        elif kind == 3:
            message = {"id": self.identity("msg"), "model": "<synthetic>", "role": "assistant"}
            said = [{"type": "text", "text": "API Error"}]
            entry = {"type": "assistant", "message": {**message, "content": said}}
            self.add({**entry, "isApiErrorMessage": True})
        elif kind == 4:
            leaf = self.transcript.leaf
            boundary = {"type": "system", "subtype": "compact_boundary", "content": "Compacted"}
            self.add(
                {**boundary, "parentUuid": None, "logicalParentUuid": leaf},
                user_entry(f"Summary {self.number}", isCompactSummary=True),
            )


def valid_history(random: Random, model: str) -> list[JsonObject]:
    """The entries of a session in good order, at the end of a turn or within one."""
    writer = Writer(random, model)
    writer.prompt()
    writer.add(PREFIX.to_entry())
    for _ in range(random.randint(1, 4)):
        for _ in range(random.randint(1, 3)):
            calls = writer.response()
            writer.results(calls)
            if not calls:
                break
        if random.random() < 0.4:
            writer.aside()
        writer.prompt()
    return writer.entries


Break = Callable[[Random, list[JsonObject]], None]


def _at(random: Random, entries: list[JsonObject]) -> int:
    return random.randrange(len(entries))


def _drop(random: Random, entries: list[JsonObject]) -> None:
    del entries[_at(random, entries)]


def _duplicate(random: Random, entries: list[JsonObject]) -> None:
    entry = copy.deepcopy(entries[_at(random, entries)])
    if random.random() < 0.5 and "uuid" in entry:
        entry["uuid"] = f"copy-{random.randrange(10**6)}"
    entries.insert(_at(random, entries), entry)


def _move(random: Random, entries: list[JsonObject]) -> None:
    entry = entries.pop(_at(random, entries))
    entries.insert(random.randint(0, len(entries)), entry)


def _cut(random: Random, entries: list[JsonObject]) -> None:
    del entries[max(1, _at(random, entries)) :]


def _cut_head(random: Random, entries: list[JsonObject]) -> None:
    del entries[: _at(random, entries)]


def _reparent(random: Random, entries: list[JsonObject]) -> None:
    entry = entries[_at(random, entries)]
    other = entries[_at(random, entries)].get("uuid")
    if "parentUuid" in entry:
        entry["parentUuid"] = random.choice((other, None, "nowhere"))


def _content(random: Random, entries: list[JsonObject]) -> list[JsonObject]:
    """The blocks of some entry, [] when the chosen one has none."""
    message = entries[_at(random, entries)].get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _drop_block(random: Random, entries: list[JsonObject]) -> None:
    content = _content(random, entries)
    if content:
        del content[random.randrange(len(content))]


def _duplicate_block(random: Random, entries: list[JsonObject]) -> None:
    content = _content(random, entries)
    if content:
        content.append(copy.deepcopy(random.choice(content)))


def _move_block(random: Random, entries: list[JsonObject]) -> None:
    """A block goes to another entry, of whatever role."""
    source, target = _content(random, entries), _content(random, entries)
    if source:
        block = source.pop(random.randrange(len(source)))
        target.insert(random.randint(0, len(target)), block)


def _spoil_block(random: Random, entries: list[JsonObject]) -> None:
    content = _content(random, entries)
    if not content:
        return
    block = random.choice(content)
    spoilt: tuple[tuple[str, object], ...] = (
        ("text", ""),
        ("text", " \n"),
        ("text", "half a pair \ud83d"),
        ("input", None),
        ("id", None),
        ("content", None),
        ("content", [{"type": "text", "text": ""}]),
        ("content", [{"type": "thinking", "thinking": "x"}]),
        ("signature", None),
        ("cache_control", {"type": "ephemeral"}),
        ("tool_use_id", "toolu_nobody"),
    )
    name, value = random.choice(spoilt)
    if name in block or name == "cache_control":
        block[name] = value


def _spoil_message(random: Random, entries: list[JsonObject]) -> None:
    entry = entries[_at(random, entries)]
    if "message" in entry:
        entry["message"] = random.choice(({}, None, {"content": []}, {"content": ""}, "text"))


_BREAKS: tuple[Break, ...] = (
    _drop,
    _drop,
    _duplicate,
    _move,
    _cut,
    _cut_head,
    _reparent,
    _drop_block,
    _duplicate_block,
    _move_block,
    _spoil_block,
    _spoil_message,
)


def broken_history(random: Random, model: str) -> list[JsonObject]:
    """A valid history after one to five random damages; perhaps none that shows."""
    entries: list[JsonObject] = json.loads(json.dumps(valid_history(random, model)))
    for _ in range(random.randint(1, 5)):
        if len(entries) > 1:
            random.choice(_BREAKS)(random, entries)
    return entries


def naive_messages(entries: list[JsonObject]) -> list[JsonObject]:
    """What a client without repair sends: entries in file order, neighbours of a role merged."""
    messages: list[JsonObject] = []
    for entry in entries:
        message = entry.get("message")
        if entry["type"] not in ("user", "assistant") or not isinstance(message, dict):
            continue
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if messages and messages[-1]["role"] == entry["type"]:
            messages[-1]["content"] = messages[-1]["content"] + list(content or [])
        else:
            messages.append({"role": entry["type"], "content": list(content or [])})
    return messages
