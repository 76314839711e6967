"""Session files: where they lie, which one is meant, how one is opened or started."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hames.harness.errors import NoConversation, UsageError
from hames.harness.transcript import read_entries
from hames.settings import paths
from hames.settings.repository import find_repository
from hames.system.types import JsonObject

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
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
        """The session file of an id, or of an exact title in this project.

        Own project first, then its worktrees, then all projects if exactly one has it.
        Raises UsageError with the public text when there is none.
        """
        if is_session_id(wanted):
            for folder in (*self._folders(), *self._worktree_folders()):
                path = paths.session_file(folder, wanted)
                if _has_messages(path):
                    return path
            everywhere = self.folder.parent.glob(f"*/{wanted}.jsonl")
            elsewhere = [path for path in everywhere if _has_messages(path)]
            if len(elsewhere) == 1:
                return elsewhere[0]
        else:
            files = (path for folder in self._folders() for path in folder.glob("*.jsonl"))
            titled = [path for path in files if _has_title(path, wanted)]
            if len(titled) == 1:
                return titled[0]
            if titled:
                raise UsageError(
                    f"{len(titled)} sessions are called {wanted!r}; resume one by its id: "
                    + ", ".join(sorted(p.stem for p in titled))
                )
        raise NoConversation(f"No conversation found with session ID: {wanted}")

    def _folders(self) -> tuple[Path, ...]:
        return paths.project_directories(self.env, self.home, self.cwd)

    def _worktree_folders(self) -> list[Path]:
        repository = find_repository(paths.real(self.cwd))
        if repository is None or repository.main == self.cwd:
            return []
        return list(paths.project_directories(self.env, self.home, repository.main))


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
    if not is_session_id(path.stem):
        return False
    try:
        entries = read_entries(path).entries
    except OSError:
        return False
    titles = [e.get("customTitle") or e.get("aiTitle") for e in entries]
    return bool(titles) and title in [t for t in titles if t][-1:]


def title_of(entries: Sequence[JsonObject]) -> str | None:
    """The newest title that somebody gave the conversation."""
    titles = (e.get("customTitle") for e in reversed(entries) if e.get("type") == "custom-title")
    return next((title for title in titles if isinstance(title, str)), None)


def forked(entries: list[JsonObject], session_id: str) -> list[JsonObject]:
    """Copies of the entries for a new session; links stay, UI lines are left out."""
    return [{**e, "sessionId": session_id} for e in entries if e.get("type") != "progress"]
