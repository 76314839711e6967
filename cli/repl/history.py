"""Typed prompts of this folder, kept in `history.jsonl` of the config home."""

import contextlib
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit.history import History

from hames.system.files import append_private, ensure_private, open_regular
from hames.system.text import clean
from hames.system.types import JsonObject, as_object

NEWEST_BYTES = 1 << 20
MOST = 500


class PromptHistory(History):
    """`session` gives the id that new lines carry; `file` None keeps them in memory."""

    def __init__(self, file: Path | None, project: str, session: Callable[[], str]) -> None:
        super().__init__()
        self._file = file
        self._project = project
        self._session = session

    def load_history_strings(self) -> Iterable[str]:
        """Newest first; a prompt that was typed several times in a row comes once."""
        return [] if self._file is None else read_history(self._file, self._project)

    def store_string(self, string: str) -> None:
        """Append one line; a file that cannot be written only costs the memory of it."""
        if self._file is None:
            return
        line: JsonObject = {
            "display": string,
            "pastedContents": {},
            "timestamp": round(time.time() * 1000),
            "project": self._project,
            "sessionId": self._session(),
        }
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        with contextlib.suppress(OSError):
            ensure_private(self._file.parent)
            append_private(self._file, clean(data).encode())


def read_history(file: Path, project: str) -> list[str]:
    """The prompts of a project, newest first, from the end of the file; damaged lines skipped."""
    try:
        with open_regular(file) as opened:
            size = opened.seek(0, 2)
            opened.seek(max(size - NEWEST_BYTES, 0))
            data = opened.read(NEWEST_BYTES)
    except OSError:
        return []
    found: list[str] = []
    for line in reversed(data.splitlines()):
        text = _display(line, project)
        if text and text != (found[-1] if found else None):
            found.append(text)
        if len(found) == MOST:
            break
    return found


def _display(line: bytes, project: str) -> str | None:
    try:
        entry = as_object(json.loads(line))
    except ValueError:
        return None
    if entry is None or entry.get("project") != project:
        return None
    text = entry.get("display")
    return text if isinstance(text, str) else None
