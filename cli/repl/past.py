"""Earlier sessions: the list to choose from, and the end of one that goes on."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hames.cli.paint import Paint
from hames.cli.repl.dialogs import Choice, Dialog
from hames.cli.repl.status import fitted
from hames.harness import events as ev
from hames.harness.chain import conversation
from hames.harness.transcript import read_entries
from hames.system.types import JsonObject, as_list, as_object

MOST_LISTED = 9
SHOWN_ENTRIES = 12


@dataclass(frozen=True, slots=True)
class Past:
    """A stored session: its title or first prompt, and its age in seconds."""

    session_id: str
    title: str
    age: float


def past_sessions(paths: Sequence[Path]) -> list[Past]:
    """The newest of the files, with what they are about; unreadable ones are left out."""
    found: list[Past] = []
    for path in paths:
        try:
            age = time.time() - path.stat().st_mtime
            title = _title(read_entries(path).entries)
        except OSError:
            continue
        found.append(Past(path.stem, title, age))
        if len(found) == MOST_LISTED:
            break
    return found


def _title(entries: Sequence[JsonObject]) -> str:
    named = [e.get("customTitle") or e.get("aiTitle") for e in entries]
    titles = [str(title) for title in named if title]
    if titles:
        return titles[-1]
    prompts = (prompt_text(entry) for entry in entries)
    return next((text for text in prompts if text), "(no message)")


def prompt_text(entry: JsonObject) -> str | None:
    """The text that a user typed; None for every other entry."""
    if entry.get("type") != "user" or entry.get("isMeta") or "toolUseResult" in entry:
        return None
    content = (as_object(entry.get("message")) or {}).get("content")
    if isinstance(content, str):
        return content
    texts = [
        str(b.get("text"))
        for b in map(as_object, as_list(content))
        if b is not None and b.get("type") == "text"
    ]
    return "\n".join(texts) or None


def sessions_dialog(
    found: Sequence[Past], paint: Paint, answered: Callable[[str, str], None]
) -> Dialog:
    """Which session shall go on? The key is its number in the list, or n."""
    title = paint("bold", "Go on with which session?")
    choices = [
        Choice(str(at), f"{_age(past.age):>8}  {fitted(past.title, 90)}")
        for at, past in enumerate(found, 1)
    ]
    choices.append(Choice("n", "none of them (esc)"))
    return Dialog(title, [title], choices, answered, "n")


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit} ago"
    return "just now"


def last_events(path: Path) -> list[ev.Event | str]:
    """The end of a stored conversation: typed prompts as text, the rest as events."""
    try:
        chain = conversation(read_entries(path).entries)
    except OSError:
        return []
    shown: list[ev.Event | str] = []
    names: dict[str, str] = {}
    for entry in chain[-SHOWN_ENTRIES:]:
        prompt = prompt_text(entry)
        if prompt is not None:
            shown.append(prompt)
        else:
            shown += _events(entry, names)
    return shown


def _events(entry: JsonObject, names: dict[str, str]) -> list[ev.Event]:
    """What an entry was when it happened; `names` collects the tools of the calls."""
    scope = ev.Scope(str(entry.get("sessionId")))
    message = as_object(entry.get("message")) or {}
    blocks = [b for b in map(as_object, as_list(message.get("content"))) if b is not None]
    events: list[ev.Event] = []
    for block in blocks:
        if block.get("type") == "tool_use":
            names[str(block.get("id"))] = str(block.get("name"))
        if block.get("type") == "text" and entry.get("type") == "assistant":
            delta = {"type": "text_delta", "text": str(block.get("text"))}
            events.append(ev.StreamDelta(scope, {"type": "content_block_delta", "delta": delta}))
        if entry.get("type") == "assistant":
            events.append(ev.BlockCompleted(scope, "", {"content": [block]}))
        elif block.get("type") == "tool_result" and not entry.get("isMeta"):
            call_id = str(block.get("tool_use_id"))
            structured = entry.get("toolUseResult", "")
            name = names.get(call_id, "Tool")
            events.append(ev.ToolFinished(scope, "", call_id, name, block, structured, 0))
    return events
