"""`@path` in prompts and commands: the file or folder is attached, under the rules of Read."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from hames.harness.reminders import one_line, reminder
from hames.harness.state import SessionState
from hames.harness.turn import Turn
from hames.harness.unasked import Attached, Unasked
from hames.settings.memory_text import mentions
from hames.system.types import JsonObject
from hames.tools.effects import Effect
from hames.tools.result import ToolError, ToolResult

MAX_ATTACHED = 50
MAX_ENTRIES = 200
"""Mentions of one text that are attached, and names of one folder that are listed."""

_LINES = re.compile(r"(?P<path>.+)#L(?P<first>\d{1,7})(?:-L?(?P<last>\d{1,7}))?")


async def attach_mentions(text: str, calls: Unasked, turn: Turn, state: SessionState) -> Attached:
    """What the user mentioned in a prompt; words that name nothing stay text."""
    return await attach_files(mentions(text), calls, turn, state, consented=True)


async def attach_files(
    spellings: Iterable[Sequence[str]],
    calls: Unasked,
    turn: Turn,
    state: SessionState,
    *,
    consented: bool,
) -> Attached:
    """Each mention, as spelt or without its punctuation, that names a file or folder.

    `consented`: the user typed it, so that only a deny rule stops it; what a file of the project
    mentions is attached only where the model might read it unasked.
    """
    contents: list[str | list[JsonObject]] = []
    effects: list[Effect] = []
    for spelt in spellings:
        target = _target(spelt, state.cwd)
        if target is None:
            continue
        if len(contents) == MAX_ATTACHED:
            break
        if target.path.is_dir():
            contents.append(_folder(target.path, calls, consented=consented))
            continue
        try:
            result = await calls.run_unasked("Read", target.given(), turn, consented=consented)
        except ToolError as refusal:
            contents.append(reminder(f"{one_line(target.path)} was not attached: {refusal}"))
            continue
        contents.append(_content(target.path, result))
        effects += result.effects
    return Attached(tuple(contents), tuple(effects))


class _Target(NamedTuple):
    path: Path
    first: int | None = None
    last: int | None = None

    def given(self) -> JsonObject:
        """The input of Read."""
        given: JsonObject = {"file_path": str(self.path)}
        if self.first is not None:
            given["offset"] = max(1, self.first)
            given["limit"] = max(1, (self.last or self.first) - max(1, self.first) + 1)
        return given


def _target(spellings: Sequence[str], cwd: Path) -> _Target | None:
    for spelt in spellings:
        lines = _LINES.fullmatch(spelt)
        candidates = [_Target(_path(spelt, cwd))]
        if lines is not None:
            last = int(lines["last"]) if lines["last"] else None
            candidates.append(_Target(_path(lines["path"], cwd), int(lines["first"]), last))
        for target in candidates:
            if _exists(target.path):
                return target
    return None


def _path(spelt: str, cwd: Path) -> Path:
    path = Path(spelt).expanduser() if spelt.startswith("~/") else Path(spelt)
    return path if path.is_absolute() else cwd / path


def _exists(path: Path) -> bool:
    try:
        return path.is_file() or path.is_dir()
    except (OSError, ValueError):
        return False


def _folder(folder: Path, calls: Unasked, *, consented: bool) -> str:
    """The names in a folder, without those that no tool may read."""
    try:
        with os.scandir(folder) as found:
            entries = sorted((entry.name, entry.is_dir()) for entry in found)
    except OSError as error:
        return reminder(f"{one_line(folder)} was not attached: {error.strerror}")
    if not calls.may_read(folder, consented=consented):
        return reminder(f"{one_line(folder)} was not attached: no permission to read it.")
    shown = [
        f"{one_line(name)}/" if is_folder else one_line(name)
        for name, is_folder in entries[:MAX_ENTRIES]
        if calls.may_read(folder / name, consented=consented)
    ]
    if len(entries) > MAX_ENTRIES:
        shown.append(f"({len(entries) - MAX_ENTRIES} more)")
    head = f"The names in {one_line(folder)}, which the message mentions:"
    return reminder(f"{head}\n\n" + ("\n".join(shown) or "(empty)"))


def _content(path: Path, result: ToolResult) -> str | list[JsonObject]:
    head = f"The content of {one_line(path)}, which the message mentions:"
    if isinstance(result.content, str):
        return reminder(f"{head}\n\n{result.content}")
    return [{"type": "text", "text": reminder(head)}, *result.content]
