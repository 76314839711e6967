"""The rules in force: settings, flags and what was granted in this session."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hames.harness.live_settings import LiveSettings
from hames.harness.modes import as_mode
from hames.harness.permission_updates import Updates, session_rules
from hames.harness.record import Record
from hames.harness.state import SessionState
from hames.settings.effective_policy import effective_policy
from hames.settings.permissions.facts import Facts, Mode, facts_of
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.rule_text import RuleSource, RuleText
from hames.settings.permissions.suggest import suggestions
from hames.settings.permissions.trace import Decision
from hames.settings.permissions.update import update_json
from hames.system.types import JsonObject


class Grants:
    """Compiles the policy of the moment; compiled again only when something of it changed.

    `own` is what the model may write unasked: the plan, Markdown in the folder of memory.
    """

    def __init__(
        self,
        live: LiveSettings,
        env: Mapping[str, str],
        home: Path,
        updates: Updates,
        own: tuple[Path, ...] = (),
    ) -> None:
        self._live = live
        self._env = env
        self._root = live.snapshot.cwd
        self._home = home
        self._updates = updates
        self._readable: tuple[Path, ...] = ()
        self._writable = own
        self._base: tuple[int, Policy] | None = None
        self._granted: tuple[object, Policy] | None = None
        self._told: frozenset[str] = frozenset()

    def policy(self, state: SessionState) -> Policy:
        """The policy for a call made in `state`."""
        base = self._settings_policy()
        key = (
            id(base),
            state.session_rules,
            state.turn_rules,
            state.turn.denied,
            state.directories,
            self._readable,
        )
        if self._granted is None or self._granted[0] != key:
            self._granted = (key, self._with_grants(base, state))
        return self._granted[1]

    def new_problems(self) -> list[str]:
        """What is wrong with the rules of the settings; each line is given once in a session."""
        found = [text for text in self._settings_policy().problems if text not in self._told]
        self._told = self._told.union(found)
        return found

    def _settings_policy(self) -> Policy:
        live = self._live
        if self._base is None or self._base[0] != live.revision:
            policy = effective_policy(live.snapshot, self._env, self._home)
            self._base = (live.revision, policy)
        return self._base[1]

    def _with_grants(self, base: Policy, state: SessionState) -> Policy:
        session = session_rules(state.session_rules, self._root)
        source = RuleSource("turn", self._root)
        turn = [RuleText("allow", rule, source) for rule in state.turn_rules]
        turn += [RuleText("deny", rule, source) for rule in state.turn.denied]
        granted = base.with_grants([*session, *turn]).with_directories(state.directories)
        return granted.with_own_files(self._readable, self._writable)

    def allow_reading(self, folder: Path) -> None:
        """Let the model read what hames itself stored in `folder` for it."""
        if folder not in self._readable:
            self._readable = (*self._readable, folder)

    def facts(
        self, tool: str, given: Mapping[str, Any], state: SessionState, *, read_only: bool
    ) -> Facts:
        """What a decision needs to know of a call."""
        return facts_of(self.policy(state), tool, given, state.cwd, read_only=read_only)

    def mode(self, state: SessionState) -> Mode:
        """The permission mode in force; a file that nobody can read takes loose modes out."""
        mode = as_mode(state.mode)
        loose = mode in ("acceptEdits", "bypassPermissions")
        return "default" if loose and self._live.snapshot.locked else mode

    def directories(self, state: SessionState) -> tuple[Path, ...]:
        """The working directories beside the primary one."""
        return (*self._live.snapshot.directories, *state.directories)

    def suggestions(
        self, tool: str, given: JsonObject, verdict: Decision, state: SessionState
    ) -> list[JsonObject]:
        """Permission updates that would allow calls like this one without a question."""
        facts = self.facts(tool, given, state, read_only=False)
        found = suggestions(self.policy(state), facts, self.mode(state), verdict)
        return [update_json(update) for update in found]

    async def apply(self, updates: Sequence[JsonObject], record: Record) -> str | None:
        """Apply permission updates, all or none; a problem for people, if there is one."""
        return await self._updates.apply(updates, record, self._live.snapshot)
