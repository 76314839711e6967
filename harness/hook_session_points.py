"""Where hooks join in around the turns: start and end, settings, files, folders, models."""

from collections.abc import Iterable

from hames.harness.errors import UsageError
from hames.harness.events import Scope
from hames.harness.hook_attention import Attention
from hames.harness.hook_files import FileWatch
from hames.harness.hook_firing import HookFiring, contexts_of
from hames.harness.hook_values import Told
from hames.harness.reminders import hook_context
from hames.harness.state import SessionState
from hames.hooks import events, session_events
from hames.hooks.events import HookEvent
from hames.hooks.result import Outcome
from hames.settings.memory_files import Kind, MemoryFile

_MEMORY_TYPES: dict[Kind, str] = {
    "managed": "Managed",
    "user": "User",
    "project": "Project",
    "local": "Local",
    "auto": "Project",
}


class SessionPoints:
    """Fires the events that belong to the session and to no tool call."""

    def __init__(self, firing: HookFiring, files: FileWatch, attention: Attention) -> None:
        self._firing = firing
        self._files = files
        self.attention = attention

    async def tell(self, event: HookEvent, scope: Scope, state: SessionState) -> Outcome:
        """Any event: what its hooks say is the caller's to use."""
        if not self._firing.engine.concerns(event.name):
            return Outcome()
        outcome = await self._firing.fire(event, scope, state)
        self._files.look_at(outcome.watch_paths, state.cwd)
        return outcome

    async def start(
        self,
        source: str,
        scope: Scope,
        state: SessionState,
        *,
        model: str | None = None,
        title: str | None = None,
    ) -> Told:
        """SessionStart: `source` is startup, resume, clear, compact or fork."""
        event = events.session_start(source, model, session_title=title)
        outcome = await self.tell(event, scope, state)
        self._files.look_at(None, state.cwd)
        first = None if self._firing.host.interactive else outcome.initial_user_message
        return Told(contexts_of(outcome), first, outcome.session_title)

    async def setup(self, trigger: str, scope: Scope, state: SessionState) -> tuple[str, ...]:
        """Setup: `trigger` is init or maintenance; what it adds for the model."""
        return contexts_of(await self.tell(events.setup(trigger), scope, state))

    async def end(self, reason: str, scope: Scope, state: SessionState) -> None:
        """SessionEnd: `reason` is clear, resume, logout, prompt_input_exit or other."""
        await self.tell(session_events.session_end(reason), scope, state)

    async def moved(self, old: str, scope: Scope, state: SessionState) -> None:
        """CwdChanged: a call moved the working directory from `old`."""
        await self.tell(session_events.cwd_changed(old, str(state.cwd)), scope, state)
        self._files.look_at(None, state.cwd)

    def added(self, directory: str, scope: Scope, state: SessionState) -> None:
        """DirectoryAdded, in the background: its system messages go to the model too."""

        async def told() -> None:
            event = session_events.directory_added(directory, "slash_command")
            outcome = await self.tell(event, scope, state)
            reminders = self._firing.host.reminders
            reminders += [hook_context(event.label, text) for text in outcome.system_messages]

        self._firing.beside(told())

    def loaded(self, files: Iterable[MemoryFile], scope: Scope, state: SessionState) -> None:
        """InstructionsLoaded for each file, in the background."""
        if not self._firing.engine.concerns("InstructionsLoaded"):
            return
        for file in files:
            event = events.instructions_loaded(
                str(file.path),
                _MEMORY_TYPES[file.kind],
                file.reason,
                globs=file.globs or None,
                parent_file_path=str(file.parent) if file.parent is not None else None,
            )
            self._firing.beside(self.tell(event, scope, state))

    async def allows_change(
        self, source: str, path: str, scope: Scope, state: SessionState
    ) -> bool:
        """ConfigChange: whether the change may be applied; one of a policy always is."""
        outcome = await self.tell(session_events.config_change(source, path), scope, state)
        return source == "policy_settings" or not outcome.blocked

    async def before_switch(self, old: str, new: str, scope: Scope, state: SessionState) -> None:
        """PreModelSwitch. Raises UsageError with the reason when a hook objects."""
        event = session_events.model_switch("PreModelSwitch", old, new)
        outcome = await self.tell(event, scope, state)
        said = outcome.permission
        if outcome.blocked or (said is not None and said.behavior in ("deny", "ask")):
            reason = (said.reason if said is not None else "") or outcome.reason
            raise UsageError(reason or f"A hook does not allow the switch to {new}.")

    async def after_switch(self, old: str, new: str, scope: Scope, state: SessionState) -> None:
        """PostModelSwitch: what it adds joins the next request."""
        event = session_events.model_switch("PostModelSwitch", old, new)
        outcome = await self.tell(event, scope, state)
        self._firing.host.reminders += contexts_of(outcome)

    async def failed(self, kind: str, text: str, scope: Scope, state: SessionState) -> None:
        """StopFailure: the turn ended by an API error; `text` is what people were told."""
        event = events.stop_failure(kind, text, text)
        await self.tell(event, scope, state)

    def refresh(self, state: SessionState) -> None:
        """Hooks came or went: watch the files that they name now."""
        self._files.look_at(None, state.cwd)

    def stop(self) -> None:
        """Watch and remind no more."""
        self._files.stop()
        self.attention.stop()
