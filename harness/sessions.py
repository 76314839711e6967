"""Session files: where they lie, which one is meant, how one is opened or started."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hames.harness.errors import NoConversation, UsageError
from hames.settings import paths
from hames.settings.repository import find_repository, read_small
from hames.system.types import JsonObject, as_object

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ID_START = re.compile(r"[0-9a-fA-F]{6,8}(-[0-9a-fA-F-]{0,27})?")
HEAD = 65_536


def is_session_id(text: str) -> bool:
    """Whether the text is a UUID, as every session id is."""
    return _UUID.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class SessionFiles:
    """The session files of one start directory."""

    env: Mapping[str, str]
    home: Path
    cwd: Path

    @property
    def folder(self) -> Path:
        """Where new sessions of this directory are written."""
        return paths.project_directory(self.env, self.home, self.cwd)

    def path(self, session_id: str) -> Path:
        """The file of a new session."""
        return paths.session_file(self.folder, session_id)

    def spill(self, session_id: str) -> Path:
        """The folder of a session's large tool results."""
        return paths.tool_results_directory(self.folder, session_id)

    def newest(self) -> Path | None:
        """The newest conversation of this directory, for `--continue`."""
        return next(iter(self.listed()), None)

    def listed(self) -> list[Path]:
        """The conversations of this directory, newest first."""
        found = [p for f in self._folders() for p in f.glob("*.jsonl") if _is_listed(p)]
        return sorted(found, key=lambda p: p.stat().st_mtime_ns, reverse=True)

    def find(self, wanted: str) -> Path:
        """The session file of an id, of an exact title, or of the beginning of an id.

        Own project first, then the other checkouts of its repository; for an id then all projects
        if exactly one has it. Raises UsageError with the public text when there is none.
        """
        if is_session_id(wanted):
            found = self._by_id(wanted)
        else:
            files = [path for folder in self._all_folders() for path in folder.glob("*.jsonl")]
            files = [path for path in files if is_session_id(path.stem)]
            found = [path for path in files if _has_title(path, wanted)]
            if not found and _ID_START.fullmatch(wanted):
                start = wanted.lower()
                found = [p for p in files if p.stem.lower().startswith(start) and _has_messages(p)]
        if not found:
            raise NoConversation(f"No conversation found with session ID: {wanted}")
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} sessions are called {wanted!r}; resume one by its id: "
                + ", ".join(sorted(p.stem for p in found))
            )
        return found[0]

    def _by_id(self, wanted: str) -> list[Path]:
        spellings = dict.fromkeys((wanted, wanted.lower()))
        for folder in self._all_folders():
            for name in spellings:
                path = paths.session_file(folder, name)
                if _has_messages(path):
                    return [path]
        everywhere = (p for name in spellings for p in self.folder.parent.glob(f"*/{name}.jsonl"))
        elsewhere = [path for path in everywhere if _has_messages(path)]
        return elsewhere if len(elsewhere) == 1 else []

    def _all_folders(self) -> list[Path]:
        """The folders of this directory and of all checkouts of its repository."""
        places = [self.cwd, *_checkouts(self.cwd)]
        found = (
            f for place in places for f in paths.project_directories(self.env, self.home, place)
        )
        return list(dict.fromkeys(found))

    def _folders(self) -> tuple[Path, ...]:
        return paths.project_directories(self.env, self.home, self.cwd)


def _checkouts(cwd: Path) -> list[Path]:
    """The main checkout of the repository around `cwd` and its linked worktrees."""
    repository = find_repository(paths.real(cwd))
    if repository is None:
        return []
    pointers = sorted(repository.common_dir.glob("worktrees/*/gitdir"))
    linked = (read_small(pointer) for pointer in pointers)
    return [repository.main, *(Path(text).parent for text in linked if text)]


def _is_listed(path: Path) -> bool:
    """Whether the file is a main conversation with at least one message."""
    if not is_session_id(path.stem):
        return False
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return False
    first = head.partition(b"\n")[0]
    return b'"isSidechain":true' not in first and b'"type":"user"' in head


def _has_messages(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return any(b'"type":"user"' in line for line in file)
    except OSError:
        return False


def _has_title(path: Path, title: str) -> bool:
    """Whether the newest title of either kind is this one."""
    newest: dict[str, object] = {}
    try:
        with path.open("rb") as file:
            for line in file:
                if b'Title"' in line:
                    newest |= _titles(line)
    except OSError:
        return False
    return title in newest.values()


def _titles(line: bytes) -> JsonObject:
    try:
        entry = as_object(json.loads(line)) or {}
    except (ValueError, RecursionError):
        return {}
    keys = {"custom-title": "customTitle", "ai-title": "aiTitle"}
    key = keys.get(str(entry.get("type")))
    return {key: entry.get(key)} if key is not None else {}


def title_of(entries: Sequence[JsonObject]) -> str | None:
    """The newest title that somebody gave the conversation."""
    titles = (e.get("customTitle") for e in reversed(entries) if e.get("type") == "custom-title")
    return next((title for title in titles if isinstance(title, str)), None)


def forked(entries: list[JsonObject], session_id: str) -> list[JsonObject]:
    """Copies of the entries for a new session; links stay, UI lines are left out."""
    return [{**e, "sessionId": session_id} for e in entries if e.get("type") != "progress"]
