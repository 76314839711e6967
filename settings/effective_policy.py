"""The permission policy that the loaded settings of a session give."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from hames.settings import paths
from hames.settings.permissions.policy import Locks, Policy, compile_policy
from hames.settings.permissions.rule_text import RuleText
from hames.settings.snapshot import Snapshot


def effective_policy(
    snapshot: Snapshot, env: Mapping[str, str], home: Path, extra: Iterable[RuleText] = ()
) -> Policy:
    """Compile the rules of a snapshot, plus `extra` ones of the command line or the session."""
    return compile_policy(
        (*snapshot.rules, *extra),
        root=snapshot.cwd,
        home=home,
        directories=snapshot.directories,
        locks=Locks(
            block_reads_outside=snapshot.flag("permissions.blockReadsOutsideWorkingDirectories"),
            block_writes_outside=snapshot.flag("permissions.blockWritesOutsideWorkingDirectories"),
            deny_instead_of_prompting=snapshot.flag("permissions.denyInsteadOfPrompting"),
            unreadable_settings=snapshot.locked,
        ),
        settings_dir=paths.config_home(env, home),
    )
