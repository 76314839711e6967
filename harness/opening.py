"""Renders the start of a conversation from files, flags and facts of the machine."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hames.harness.conversation import Rendered
from hames.harness.effects import encode_effect
from hames.harness.environment import read_environment
from hames.harness.git_snapshot import GitSnapshot, git_section
from hames.harness.library import Library
from hames.harness.prompt import PromptRequest, build_system, moved_sections, project_context
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.tools.effects import Effect, Told

if TYPE_CHECKING:  # imported only where there is something to read
    from hames.settings.definitions import Style
    from hames.settings.memory_files import MemoryFile

DEFAULT_STYLE = "default"


class FileOpening(NamedTuple):
    """The opening of the main agent.

    `git` is the snapshot under way, None outside a repository or when it is not wanted. `added`
    are the working directories beside the primary one, `tools` the names of the offered tools.
    `warn` tells people of a problem, `loaded` hears of the files with instructions.
    """

    start: Start
    git: GitSnapshot | None
    added: tuple[Path, ...]
    library: Library
    tools: Iterable[str]
    warn: Callable[[str], None]
    loaded: "Callable[[tuple[MemoryFile, ...]], None]"

    async def render(self, state: SessionState) -> Rendered:
        """System blocks and reminders; reads files, waits for git only within its budget."""
        files = self._shown()
        self.loaded(files)
        request = await self._request(state)
        system = tuple({"type": "text", "text": text} for text in build_system(request))
        today = date.today().isoformat()
        context = project_context(files, today, moved_sections(request))
        reminders = [context]
        effects: list[Effect] = [Told("date", today)]
        if files:
            effects += self.library.readers().seeds(files)
        if self.library.definitions is not None:
            listings, told = self._listings(state)
            reminders += listings
            effects += told
        return Rendered(system, tuple(reminders), tuple(map(encode_effect, effects)))

    def _listings(self, state: SessionState) -> tuple[list[str], list[Told]]:
        model = state.model or self.start.model
        return self.library.readers().listings(self.library, state, model, self.tools)

    async def _request(self, state: SessionState) -> PromptRequest:
        start, flags = self.start, self.start.config.system
        agent = self.library.main_agent
        facts = await self.git.facts() if self.git is not None else None
        repository = start.repository
        environment = read_environment(
            state.cwd,
            start.env,
            added=self.added,
            is_repository=repository is not None,
            is_worktree=repository is not None and repository.main != repository.root,
        )
        return PromptRequest(
            kind="minimal" if start.config.bare or flags.system == "" else "full",
            environment=environment,
            memory_directory=self.library.memory_folder,
            style=self._style(),
            git=git_section(facts),
            git_instructions=start.snapshot.value("includeGitInstructions") is not False,
            language=start.snapshot.text("language") or "",
            agent=agent.prompt if agent is not None else "",
            replacement=flags.system or None,
            append=flags.append or "",
            moved=flags.exclude_dynamic,
        )

    def _style(self) -> "Style | None":
        """The style that the settings or a plugin choose; a name that nobody knows is told."""
        wanted = self.start.snapshot.text("outputStyle") or DEFAULT_STYLE
        plain = wanted.lower() == DEFAULT_STYLE
        if self.library.off or (plain and not self.library.styles):
            return None
        style = self.library.readers().chosen_style(self.library, wanted)
        if style is None:
            self.warn(f"The output style {wanted!r} does not exist; the default one is used.")
        return style

    def _shown(self) -> "tuple[MemoryFile, ...]":
        """The instructions and the memory index; problems with them are told to people."""
        memory = self.library.read_memory()
        index, problem = self.library.read_index()
        if problem is not None:
            self.warn(problem)
        if memory is not None:
            for each in memory.problems:
                self.warn(str(each))
            for asked in memory.imports:
                self.warn(
                    f"{asked.parent} imports {asked.path}, which lies outside of the project. "
                    "It is not loaded until that was agreed to."
                )
        files = memory.files if memory is not None else ()
        return (*files, index) if index is not None else files
