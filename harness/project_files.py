"""Reads what people keep for the model, and tells it; imported where there is something."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from hames.harness.library import Library
from hames.harness.listings import agent_listing, skill_listing
from hames.harness.models import catalog
from hames.harness.state import SessionState
from hames.harness.styles import builtin_styles
from hames.settings.definition_load import load_definitions
from hames.settings.definitions import Definitions, Style
from hames.settings.json_files import as_object, read_json
from hames.settings.memory import load_memory
from hames.settings.memory_files import Memory, MemoryFile
from hames.settings.memory_index import load_index
from hames.settings.paths import global_config_file
from hames.settings.session_files import SessionStart
from hames.settings.session_requests import definition_request, memory_request
from hames.settings.skill_listing import MAX_DESCRIPTION, listing_budget, skill_lines
from hames.settings.snapshot import Snapshot
from hames.settings.styles import choose_style
from hames.settings.text_files import Problem, real_path
from hames.settings.trust import covering
from hames.tools.effects import ReadState, Shown, Told
from hames.tools.read_mark import ReadMark

APPROVED = "hasClaudeMdExternalIncludesApproved"
"""The record that a project may import instructions from outside of its folder."""


def read_memory(snapshot: Snapshot, files: SessionStart) -> Memory:
    """The instructions that count from the start; imports from outside where that was agreed to."""
    memory = load_memory(memory_request(snapshot, files))
    if memory.imports and _approved(files):
        return load_memory(memory_request(snapshot, files, "allow"))
    return memory


def read_index(folder: Path) -> tuple[MemoryFile | None, str | None]:
    """The index of auto memory, and what is wrong with it."""
    found = load_index(folder)
    return (None, str(found)) if isinstance(found, Problem) else (found, None)


def read_definitions(snapshot: Snapshot, files: SessionStart) -> Definitions:
    """All definitions of the session."""
    return load_definitions(definition_request(snapshot, files))


def seeds(shown: Iterable[MemoryFile]) -> list[ReadState | Shown]:
    """What the model knows after it was shown these files.

    A file of which parts were left out (comments, a header) does not count as read.
    """
    marks: list[ReadState | Shown] = []
    paths: list[Path] = []
    for file in shown:
        paths.append(file.path)
        real = real_path(file.path)
        try:
            info = real.stat()
        except OSError:
            continue
        if len(file.text.encode("utf-8")) == info.st_size:
            mark = ReadMark(real, info.st_mtime_ns, info.st_size, full=True, seeded=True)
            marks.append(ReadState(mark))
    return [*marks, Shown(tuple(paths))] if paths else []


def chosen_style(library: Library, wanted: str) -> Style | None:
    """The output style: one a plugin forces, else the wanted one; the user's before built-in."""
    return choose_style((*library.styles, *builtin_styles()), wanted)


def listings(
    library: Library, state: SessionState, model: str, tools: Iterable[str]
) -> tuple[list[str], list[Told]]:
    """Reminders about skills and agents that changed since they were told, and what they tell.

    Nothing about skills without the Skill tool, nothing about agents without the Agent tool.
    """
    offered = frozenset(tools)
    found: list[tuple[str, str]] = []
    if "Skill" in offered:
        found.append(("skills", skill_listing(skill_listing_lines(library, state, model))))
    if "Agent" in offered:
        found.append(("agents", agent_listing(library.agents)))
    texts: list[str] = []
    told: list[Told] = []
    for subject, text in found:
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
        if text and digest != state.told.get(subject):
            told.append(Told(subject, digest))
            texts.append(text)
    return texts, told


def skill_listing_lines(library: Library, state: SessionState, model: str) -> tuple[str, ...]:
    """The lines of the skill listing within the budget of the model's window.

    `model` is an id or an alias; skills used in this session keep their descriptions longest.
    """
    env, snapshot = library.files.env, library.snapshot
    window = None
    if not catalog.is_scripted(model):
        window = catalog.find(catalog.resolve(model, env).id).window
    budget = listing_budget(window, snapshot.number("skillListingBudgetFraction") or 0, env)
    longest = int(snapshot.number("skillListingMaxDescChars") or MAX_DESCRIPTION)
    return skill_lines(library.skills, budget, dict.fromkeys(state.skills, 1), longest)


def _approved(files: SessionStart) -> bool:
    record = read_json(global_config_file(files.env, files.home), []) or {}
    projects = as_object(record.get("projects")) or {}
    folders = covering(files.cwd, files.repository, files.home)
    return any((as_object(projects.get(str(f))) or {}).get(APPROVED) is True for f in folders)
