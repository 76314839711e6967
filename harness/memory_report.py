"""`/memory` and `/init`: what is loaded, and the prompt that writes a CLAUDE.md."""

from collections.abc import Iterable
from pathlib import Path

from hames.harness.prompt_files import prompt_text
from hames.harness.reminders import one_line
from hames.settings.memory_files import Memory, MemoryFile


def memory_report(memory: Memory, index: MemoryFile | None, directory: Path | None) -> str:
    """Loaded files with their size, rules that wait, imports not approved, and problems.

    `directory` is the folder of auto memory; None when it is off.
    """
    loaded = [*memory.files, *([index] if index is not None else [])]
    waiting = [f"{_row(rule)}, for {', '.join(rule.globs)}" for rule in memory.conditional]
    asked = [f"{one_line(w.path)}, imported by {one_line(w.parent)}" for w in memory.imports]
    folder = "off" if directory is None else one_line(directory)
    parts = [
        _part("Loaded", map(_row, loaded)) or "No instruction files are loaded.",
        _part("Rules that wait for a matching file", waiting),
        _part("Imports outside the project, not approved", asked),
        _part("Problems", (one_line(problem) for problem in memory.problems)),
        f"Auto memory: {folder}",
    ]
    return "\n\n".join(part for part in parts if part)


def init_prompt(arguments: str) -> str:
    """The prompt of `/init`, with what the user typed behind it."""
    text = prompt_text("init")
    return f"{text}\n\nThe user adds: {arguments.strip()}" if arguments.strip() else text


def _row(file: MemoryFile) -> str:
    source = f", imported by {one_line(file.parent)}" if file.parent is not None else ""
    return f"{one_line(file.path)} ({file.kind}, {file.text.count(chr(10)) + 1} lines){source}"


def _part(title: str, rows: Iterable[str]) -> str:
    lines = [f"  {row}" for row in rows]
    return "\n".join([f"{title}:", *lines]) if lines else ""
