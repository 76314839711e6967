"""The rules in force: settings, flags and what was granted in this session."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hames.harness.live_settings import LiveSettings
from hames.harness.modes import as_mode
from hames.harness.permission_updates import Updates, session_rules
from hames.harness.record import Record
from hames.harness.state import SessionState
from hames.settings.permissions.facts import Facts, Mode, facts_of
from hames.settings.permissions.policy import Locks, Policy, compile_policy
from hames.settings.permissions.rule_text import RuleSource, RuleText
from hames.settings.permissions.suggest import suggestions
from hames.settings.permissions.trace import Decision
from hames.settings.permissions.update import update_json
from hames.settings.snapshot import Snapshot
from hames.system.types import JsonObject


class Grants:
    """Compiles the policy of the moment; compiled again only when something of it changed."""

    def __init__(self, live: LiveSettings, root: Path, home: Path, updates: Updates) -> None:
        self._live = live
        self._root = root
        self._home = home
        self._updates = updates
        self._base: tuple[int, Policy] | None = None
        self._granted: tuple[object, Policy] | None = None

    def policy(self, state: SessionState) -> Policy:
        """The policy for a call made in `state`."""
        base = self._settings_policy()
        key = (id(base), state.session_rules, state.turn_rules, state.directories)
        if self._granted is None or self._granted[0] != key:
            self._granted = (key, self._with_grants(base, state))
        return self._granted[1]

    def _settings_policy(self) -> Policy:
        live = self._live
        if self._base is None or self._base[0] != live.revision:
            snapshot = live.snapshot
            policy = compile_policy(
                _rules(snapshot),
                root=self._root,
                home=self._home,
                directories=snapshot.directories,
                locks=_locks(snapshot),
            )
            self._base = (live.revision, policy)
        return self._base[1]

    def _with_grants(self, base: Policy, state: SessionState) -> Policy:
        session = session_rules(state.session_rules, self._root)
        turn = [
            RuleText("allow", rule, RuleSource("turn", self._root)) for rule in state.turn_rules
        ]
        return base.with_grants([*session, *turn]).with_directories(state.directories)

    def facts(
        self, tool: str, given: Mapping[str, Any], state: SessionState, *, read_only: bool
    ) -> Facts:
        """What a decision needs to know of a call."""
        return facts_of(self.policy(state), tool, given, state.cwd, read_only=read_only)

    def mode(self, state: SessionState) -> Mode:
        """The permission mode in force."""
        return as_mode(state.mode)

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


def _rules(snapshot: Snapshot) -> list[RuleText]:
    """The rules that count; a file that nobody can read takes every allow rule out of force."""
    return [rule for rule in snapshot.rules if not (snapshot.locked and rule.behavior == "allow")]


def _locks(snapshot: Snapshot) -> Locks:
    return Locks(
        block_reads_outside=snapshot.flag("permissions.blockReadsOutsideWorkingDirectories"),
        block_writes_outside=snapshot.flag("permissions.blockWritesOutsideWorkingDirectories"),
        deny_instead_of_prompting=snapshot.flag("permissions.denyInsteadOfPrompting"),
    )
