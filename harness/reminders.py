"""Reminders: what the program tells the model inside user messages, appended and never edited."""

import re
from collections.abc import Iterable
from pathlib import Path

from hames.harness.prompt_files import prompt_section
from hames.settings.memory_files import Kind, MemoryFile
from hames.system.text import visible

_TAG = re.compile(r"<(?=\s*/?\s*system-reminder\b)", re.IGNORECASE)

_LABELS: dict[Kind, str] = {
    "managed": "instructions of the organisation",
    "user": "the user's own instructions for all projects",
    "project": "instructions of the project, shared with its repository",
    "local": "the user's private instructions for this project",
    "auto": "index of your own memory, kept across sessions",
}


def reminder(text: str) -> str:
    """The text in the tags that mark it as the program's. Tags inside it are escaped."""
    return f"<system-reminder>\n{escape_tags(text).strip()}\n</system-reminder>"


def escape_tags(text: str) -> str:
    """Text from files, tools and agents, so that it cannot pose as a reminder."""
    return _TAG.sub(r"<\\", text)


def date_changed(date: str) -> str:
    """A date change during the session; `date` is ISO."""
    return reminder(_text("date_changed").format(date=date))


def plan_mode_on(plan: Path) -> str:
    """Plan mode was entered; `plan` is the file the plan goes to."""
    return reminder(_text("plan_mode_on").format(plan=plan))


def plan_mode_off() -> str:
    """Plan mode was left."""
    return reminder(_text("plan_mode_off"))


def file_changed(path: Path, excerpt: str = "") -> str:
    """A file the model knows changed on disk; `excerpt` shows the new lines."""
    return _with(_text("file_changed").format(path=path), excerpt)


def nested_memory(read: Path, files: Iterable[MemoryFile]) -> str:
    """Instructions that came with reading `read`."""
    return _with(_text("nested").format(path=read), memory_sections(files))


def nested_skills(read: Path, lines: Iterable[str]) -> str:
    """Skills that came with reading `read`, as lines of the listing."""
    return _with(_text("nested_skills").format(path=read), "\n".join(lines))


def background_result(text: str) -> str:
    """A background command or agent finished or has something to say."""
    return _with(_text("background"), text)


def hook_context(event: str, text: str) -> str:
    """`additionalContext` of a hook."""
    return _with(_text("hook").format(event=event), text)


def stop_feedback(text: str) -> str:
    """What a Stop hook wants before the turn may end; an instruction, so no reminder."""
    return f"{_text('stop_hook')}\n\n{escape_tags(text).strip()}"


def turn_interrupted() -> str:
    """The previous turn was cut off by the user."""
    return reminder(_text("interrupted"))


def skill_loaded(name: str, arguments: str) -> str:
    """A skill was run again whose body the conversation already holds."""
    return reminder(_text("skill_loaded").format(name=name, arguments=arguments or "none"))


def style_active(name: str) -> str:
    """The output style, from time to time."""
    return reminder(_text("style").format(name=name))


def tasks_idle() -> str:
    """The task list was not used for a while."""
    return reminder(_text("todo"))


def tools_changed(added: Iterable[str], removed: Iterable[str]) -> str:
    """Deferred tools appeared or went; empty when there is nothing to say."""
    parts = [
        "\n".join([_text(key), *(f"- {name}" for name in names)])
        for key, names in (("tools_added", tuple(added)), ("tools_removed", tuple(removed)))
        if names
    ]
    return reminder("\n\n".join(parts)) if parts else ""


def memory_over_limit(path: Path) -> str:
    """The error text after a write that made the memory index too long."""
    return _text("memory_limit").format(path=path)


def memory_sections(files: Iterable[MemoryFile]) -> str:
    """Each file under a line that says where it comes from."""
    return "\n\n".join(
        f"Contents of {one_line(file.path)} ({_label(file)}):\n\n{file.text.strip()}"
        for file in files
    )


def one_line(value: object) -> str:
    """A path or name without line breaks and control characters, which could begin a section."""
    return visible(str(value)).replace("\n", "\\n")


def _label(file: MemoryFile) -> str:
    label = _LABELS[file.kind]
    return f"{label}, imported by {one_line(file.parent)}" if file.parent is not None else label


def _with(head: str, body: str) -> str:
    return reminder(f"{head}\n\n{body}" if body.strip() else head)


def _text(key: str) -> str:
    return prompt_section("reminders", key)
