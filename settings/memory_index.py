"""The index of the memory that the model keeps itself, as far as it is loaded."""

from pathlib import Path

from hames.settings.frontmatter import parse
from hames.settings.memory_files import MemoryFile
from hames.settings.memory_place import INDEX
from hames.settings.memory_text import without_comments
from hames.settings.text_files import Problem, read_text

MAX_LINES = 200
MAX_INDEX_BYTES = 25 * 1024
"""The index is loaded up to whichever limit comes first."""


def load_index(directory: Path) -> MemoryFile | Problem | None:
    """The index as the model sees it, cut at the limits with a note; None when there is none."""
    path = directory / INDEX
    text = read_text(path)
    if not isinstance(text, str):
        return text
    content = _content(text)
    kept = _cut(content)
    if len(kept) < len(content):
        left = content[len(kept) :].strip("\n").count("\n") + 1
        kept += f"\n[{INDEX} goes on: {left} more lines are in the file and were not loaded]"
    return MemoryFile(path, "auto", kept) if kept.strip() else None


def over_limit(text: str) -> bool:
    """Whether an index with this text would be cut when it is loaded."""
    content = _content(text)
    return len(_cut(content)) < len(content)


def _content(text: str) -> str:
    return without_comments(parse(text).body).strip()


def _cut(content: str) -> str:
    lines = content.split("\n")
    kept = "\n".join(lines[:MAX_LINES])
    data = kept.encode("utf-8")
    if len(data) <= MAX_INDEX_BYTES:
        return kept
    head = data[:MAX_INDEX_BYTES].decode("utf-8", "ignore")
    return head.rsplit("\n", 1)[0]
