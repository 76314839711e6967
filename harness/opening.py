"""Renders the start of a conversation from files, flags and facts of the machine."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from hames.harness.conversation import Rendered
from hames.harness.environment import read_environment
from hames.harness.git_snapshot import GitSnapshot, git_section
from hames.harness.prompt import PromptRequest, build_system, moved_sections, project_context
from hames.harness.start import Start
from hames.harness.state import SessionState
from hames.settings import paths
from hames.settings.memory import load_memory
from hames.settings.memory_files import MemoryFile, MemoryRequest


@dataclass(frozen=True, slots=True)
class FileOpening:
    """The opening of the main agent.

    `git` is the snapshot under way, None outside a repository or when it is not wanted. `added`
    are the working directories beside the primary one.
    """

    start: Start
    git: GitSnapshot | None
    added: tuple[Path, ...]

    async def render(self, state: SessionState) -> Rendered:
        """System blocks and reminders; reads files, waits for git only within its budget."""
        files = self._memory()
        request = await self._request(state)
        system = tuple({"type": "text", "text": text} for text in build_system(request))
        today = date.today().isoformat()
        return Rendered(system, (project_context(files, today, moved_sections(request)),))

    async def _request(self, state: SessionState) -> PromptRequest:
        start, flags = self.start, self.start.config.system
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
            git=git_section(facts),
            git_instructions=start.snapshot.value("includeGitInstructions") is not False,
            replacement=flags.system or None,
            append=flags.append or "",
        )

    def _memory(self) -> tuple[MemoryFile, ...]:
        start = self.start
        if start.config.bare:
            return ()
        sources = start.config.setting_sources
        request = MemoryRequest(
            cwd=start.cwd,
            home=start.home,
            config_dir=paths.config_home(start.env, start.home),
            managed_dir=start.request.managed_dir,
            managed_text=start.snapshot.text("claudeMd") or "",
            repository=start.repository,
            added=self.added,
            sources=frozenset(("user", "project", "local") if sources is None else sources),
            excludes=start.snapshot.strings("claudeMdExcludes") or (),
            instructions=start.snapshot.strings("hames.instructions"),
            env=start.env,
        )
        return load_memory(request).files
