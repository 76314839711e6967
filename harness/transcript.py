"""The trajectory on disk: append-only JSON lines, the only record of a session."""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from hames import CONTRACT_VERSION
from hames.harness.chain import is_chained
from hames.system.files import ensure_private
from hames.system.text import clean
from hames.system.types import JsonObject, is_object


class Header(NamedTuple):
    """What every chained entry of this process carries. `branch` is omitted when unknown."""

    session_id: str
    cwd: str
    entrypoint: str = "cli"
    branch: str | None = None
    agent_id: str | None = None


class Loaded(NamedTuple):
    """The good lines of a transcript file and how many others were skipped."""

    entries: list[JsonObject]
    skipped: int


def read_entries(path: Path) -> Loaded:
    """Every line that is a JSON object with a type; all others are counted, never fatal.

    Raises OSError when the file cannot be read.
    """
    entries: list[JsonObject] = []
    skipped = 0
    with path.open("rb") as file:
        for line in file:
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                skipped += 1
                continue
            if is_object(entry) and isinstance(entry.get("type"), str):
                entries.append(entry)
            else:
                skipped += 1
    return Loaded(entries, skipped)


def encode_line(entry: JsonObject) -> bytes:
    """The entry as one compact line; lone surrogates are replaced, so that it is valid UTF-8."""
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return clean(text).encode("utf-8") + b"\n"


def timestamp() -> str:
    """Now, ISO 8601 in UTC with milliseconds and `Z`."""
    now = datetime.now(UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03d}Z"


class Transcript:
    """Appends entries to one file (`path`) or to memory only (`path` None).

    When the disk refuses, the lines are kept and written before the next ones; `problem` tells
    why until that worked. Nobody else writes a session's file on behalf of this process.
    `written` is told, after each write, the entries that the file got.
    """

    def __init__(
        self,
        path: Path | None,
        header: Header,
        leaf: str | None = None,
        written: Callable[[Path, list[JsonObject]], None] | None = None,
    ) -> None:
        self.path = path
        self.header = header
        self.leaf = leaf
        self.problem: str | None = None
        self._fd: int | None = None
        self._unsaved = b""
        self._written = written
        self._untold: list[JsonObject] = []

    def append(self, drafts: Sequence[JsonObject]) -> list[JsonObject]:
        """Complete the drafts, write them in one write and return them as written.

        A draft of a chained type gets uuid, parentUuid (the newest entry, unless given) and the
        common keys; metadata gets the session id. Order is the order of the chain.
        """
        entries = [self._complete(draft) for draft in drafts]
        self._write(entries)
        return entries

    def append_prompt_first(
        self, reminders: Sequence[JsonObject], prompt: JsonObject
    ) -> list[JsonObject]:
        """Append reminders and a prompt whose line stands before theirs in the file.

        In the chain the reminders come first. Readers look for the first prompt in the first
        64 KiB of a file, and the reminders of a first prompt can be longer.
        """
        entries = [self._complete(draft) for draft in (*reminders, prompt)]
        self._write([entries[-1], *entries[:-1]])
        return entries

    def copy(self, entries: Sequence[JsonObject]) -> None:
        """Write entries as they are: the start of a fork. The chain is not moved."""
        self._write(entries)

    def sync(self) -> None:
        """Make what was appended survive a power loss."""
        if self._fd is not None:
            with suppress(OSError):
                os.fsync(self._fd)

    def close(self) -> None:
        """Flush what the disk refused before, and close the file."""
        if self._unsaved and self.leaf is not None:
            self._write(())
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _complete(self, draft: JsonObject) -> JsonObject:
        head = self.header
        if not is_chained({"uuid": "", **draft}):
            return {**draft, "sessionId": head.session_id}
        entry: JsonObject = {
            "parentUuid": draft.get("parentUuid", self.leaf),
            "isSidechain": head.agent_id is not None,
            "userType": "external",
            "cwd": head.cwd,
            "sessionId": head.session_id,
            "version": CONTRACT_VERSION,
        }
        if head.branch:
            entry["gitBranch"] = head.branch
        if head.agent_id is not None:
            entry["agentId"] = head.agent_id
        entry.update(draft)
        entry.setdefault("uuid", str(uuid4()))
        entry.setdefault("timestamp", timestamp())
        entry.setdefault("entrypoint", head.entrypoint)
        self.leaf = entry["uuid"]
        return entry

    def _write(self, entries: Sequence[JsonObject]) -> None:
        if self.path is None:
            return
        self._unsaved += b"".join(encode_line(entry) for entry in entries)
        if self._written is not None:
            self._untold += entries
        if self.leaf is None:
            return  # metadata alone makes no session: it waits for the first message
        try:
            if self._fd is None:
                self._fd = self._open(self.path)
            while self._unsaved:
                written = os.write(self._fd, self._unsaved)
                self._unsaved = self._unsaved[written:]
            self.problem = None
        except OSError as error:
            self.problem = f"the transcript {self.path} cannot be written: {error.strerror}"
            return
        if self._written is not None and self._untold:
            told, self._untold = self._untold, []
            self._written(self.path, told)

    @staticmethod
    def _open(path: Path) -> int:
        """Open for appending; a line torn by a crash is ended first."""
        ensure_private(path.parent)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(path, flags, 0o600)
        size = os.fstat(fd).st_size
        if size and os.pread(fd, 1, size - 1) != b"\n":
            os.write(fd, b"\n")
        return fd


def user_entry(content: str | list[JsonObject], **keys: object) -> JsonObject:
    """The draft of a user entry; a typed prompt stays a plain string."""
    return {"type": "user", "message": {"role": "user", "content": content}, **keys}


def reminder_entry(content: str | list[JsonObject], **keys: object) -> JsonObject:
    """The draft of a hidden user entry: text or blocks that the model sees and people do not."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return user_entry(blocks, isMeta=True, **keys)


def title_entry(title: str) -> JsonObject:
    """The draft of the line that names a session; the last one counts."""
    return {"type": "custom-title", "customTitle": title}


def result_entry(
    block: JsonObject, structured: JsonObject | str, call_entry: str | None, **keys: object
) -> JsonObject:
    """The draft of one tool result; its parent is the entry of its own call."""
    linked: JsonObject = {}
    if call_entry is not None:
        linked = {"parentUuid": call_entry, "sourceToolAssistantUUID": call_entry}
    return user_entry([block], toolUseResult=structured, **linked, **keys)


def assistant_entries(
    message: JsonObject, blocks: Iterable[JsonObject], **keys: object
) -> list[JsonObject]:
    """The drafts of one response, one entry per block, all with its id and final usage."""
    return [
        {"type": "assistant", "message": {**message, "content": [block]}, **keys}
        for block in blocks
    ]
