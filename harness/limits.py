"""Results that are too long for the conversation: whole in a file, both ends inline."""

from pathlib import Path

from hames.system.spill import spill
from hames.system.types import JsonObject

PREVIEW_CHARS = 4_000


def within_limit(
    content: str | list[JsonObject], limit: int, folder: Path, call_id: str
) -> str | list[JsonObject]:
    """The content, or a preview that names the private file where all of it lies.

    Only text counts: `limit` is in characters over all text blocks.
    """
    if isinstance(content, str):
        return content if len(content) <= limit else _preview(content, folder, call_id)
    texts = [str(block.get("text", "")) for block in content if block.get("type") == "text"]
    if sum(map(len, texts)) <= limit:
        return content
    others = [block for block in content if block.get("type") != "text"]
    return [{"type": "text", "text": _preview("\n".join(texts), folder, call_id)}, *others]


def _preview(text: str, folder: Path, call_id: str) -> str:
    stored = spill(folder, call_id, text, edge=PREVIEW_CHARS // 2)
    where = f"The whole output is in {stored.path}" if stored.path else stored.problem
    return (
        f"The output has {len(text)} characters, too many to show. {where}\n"
        f"It begins:\n{stored.head}\n[...]\nIt ends:\n{stored.tail}"
    )
