"""What touching a file brings in: nested instructions, rules that match, skills, memory limits."""

from collections.abc import Iterable
from pathlib import Path

from hames.harness.events import Scope
from hames.harness.library import Library
from hames.harness.project_files import seeds
from hames.harness.reminders import memory_over_limit, nested_memory, nested_skills
from hames.harness.services import Services
from hames.harness.state import SessionState
from hames.settings import memory, skills
from hames.settings.definitions import Skill
from hames.settings.memory_files import Memory
from hames.settings.memory_index import over_limit
from hames.settings.memory_place import INDEX
from hames.settings.session_requests import memory_request, places_of
from hames.settings.skill_listing import FALLBACK_BUDGET, skill_lines
from hames.settings.text_files import read_text, real_path
from hames.system.types import JsonObject
from hames.tools.effects import Effect, ReadState, Shown
from hames.tools.result import ToolResult

SKILL_FILE = "SKILL.md"
WRITERS = frozenset({"Edit", "Write", "NotebookEdit"})


class Surroundings:
    """Adds to results what the files that a call touched bring in, once per conversation."""

    def __init__(self, library: Library, services: Services, *, tell_skills: bool) -> None:
        self._library = library
        self._services = services
        self._tell_skills = tell_skills

    def around(
        self, tool: str, result: ToolResult, state: SessionState, scope: Scope
    ) -> ToolResult:
        """The result with reminders, and with effects that say what was shown."""
        if self._library.off:
            return result
        touched = [effect.mark.path for effect in result.effects if isinstance(effect, ReadState)]
        for path in touched:
            texts, effects = self._nested(path, state, scope)
            more, known = self._skills(path, state)
            result = result._replace(
                reminders=(*result.reminders, *texts, *more),
                effects=(*result.effects, *effects, *known),
            )
        return self._within_limit(result, touched) if tool in WRITERS else result

    def recall(self, state: SessionState) -> None:
        """Skills below the working directory that an earlier run of this session brought in."""
        for path in state.shown:
            if path.name == SKILL_FILE and len(path.parents) > 3:
                self._library.add_skills(self._nested_skills(path.parents[3] / SKILL_FILE))

    def _nested(
        self, path: Path, state: SessionState, scope: Scope
    ) -> tuple[list[str], list[Effect]]:
        files = self._library.files
        known = self._library.memory or Memory()
        if not known.conditional and not _is_below(path, files.cwd):
            return [], []
        request = memory_request(self._library.snapshot, files)
        found = memory.nested_memory(request, known, path, state.shown).files
        if not found:
            return [], []
        hooks = self._services.hooks
        if hooks is not None:
            hooks.session.loaded(found, scope, state)
        return [nested_memory(path, found)], list[Effect](seeds(found))

    def _skills(self, path: Path, state: SessionState) -> tuple[list[str], list[Effect]]:
        if not self._library.commands:
            return [], []
        nested = self._nested_skills(path)
        self._library.add_skills(nested)
        awake = skills.awakened_skills(places_of(self._library.files), path, self._library.skills)
        fresh = [s for s in (*nested, *awake) if s.listed and s.path not in state.shown]
        if not fresh or not self._tell_skills:
            return [], []
        lines = skill_lines([s._replace(paths=()) for s in fresh], FALLBACK_BUDGET, {})
        return [nested_skills(path, lines)], [Shown(tuple(skill.path for skill in fresh))]

    def _nested_skills(self, path: Path) -> tuple[Skill, ...]:
        places, known = places_of(self._library.files), self._library.skills
        return skills.nested_skills(places, path, known, [])

    def _within_limit(self, result: ToolResult, touched: Iterable[Path]) -> ToolResult:
        """A memory index that is too long is an error for the model, though it was written."""
        folder = self._library.memory_folder
        index = real_path(folder / INDEX) if folder is not None else None
        if index is None or index not in touched:
            return result
        text = read_text(index)
        if not isinstance(text, str) or not over_limit(text):
            return result
        content = result.content
        complaint = memory_over_limit(index)
        if isinstance(content, str):
            return result._replace(content=f"{content}\n\n{complaint}", failed=True)
        added: JsonObject = {"type": "text", "text": complaint}
        return result._replace(content=[*content, added], failed=True)


def _is_below(path: Path, cwd: Path) -> bool:
    return path.is_relative_to(cwd) and path.parent != cwd
