"""What people see of a call: made at the moment of asking, nothing folded away."""

import difflib
from pathlib import Path

from hames.harness.calls import Call
from hames.system.text import visible
from hames.system.types import JsonObject

MAX_DIFF_LINES = 2_000
MAX_READ = 2_000_000


def question_display(call: Call, reason: str) -> JsonObject:
    """title, text and, for changes of files, diff; control characters are shown as escapes."""
    shown: JsonObject = {
        "title": f"{call.name} wants to run",
        "text": visible(call_text(call)),
        "reason": visible(reason),
    }
    if call.name in ("Edit", "Write"):
        shown["title"] = f"{call.name} wants to change {visible(file_of(call))}"
        shown["diff"] = visible(diff_of(call))
    elif call.name == "Bash":
        shown["title"] = "Bash wants to run a command"
    return shown


def file_of(call: Call) -> str:
    """The file that a file tool names; empty for other tools."""
    return str(call.input.get("file_path") or call.input.get("notebook_path") or "")


def call_text(call: Call) -> str:
    """The whole content of a call for people: the command, the path, or every field."""
    if call.name == "Bash":
        return str(call.input.get("command", ""))
    named = file_of(call)
    if named:
        return named
    return "\n".join(f"{key}: {value}" for key, value in call.input.items())


def diff_of(call: Call) -> str:
    """The change that an Edit or Write would make, as a unified diff without file names."""
    if call.name == "Edit":
        old, new = str(call.input.get("old_string", "")), str(call.input.get("new_string", ""))
    else:
        old, new = _content_of(Path(file_of(call))), str(call.input.get("content", ""))
    return unified(old, new)


def unified(old: str, new: str) -> str:
    """A unified diff of two texts; long ones are cut and say so."""
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=3))[2:]
    if len(lines) > MAX_DIFF_LINES:
        lines = [*lines[:MAX_DIFF_LINES], f"... {len(lines) - MAX_DIFF_LINES} more lines"]
    return "\n".join(lines)


def _content_of(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MAX_READ:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
