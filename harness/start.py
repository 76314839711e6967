"""What a run starts from: settings, environment, mode and model, checked before anything runs."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hames.harness.errors import UsageError
from hames.harness.models import catalog
from hames.harness.modes import MODES
from hames.harness.run_config import RunConfig
from hames.settings.collect import apply_env
from hames.settings.load import LoadRequest, load_settings
from hames.settings.repository import Repository, find_repository
from hames.settings.snapshot import Snapshot
from hames.settings.warnings import SettingsWarning
from hames.system.reap import marked

BYPASS_AS_ROOT = (
    "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons"
)


class Start(NamedTuple):
    """The checked facts of a run. `env` is the process environment with that of the settings.

    `cwd` is the real working directory; `notices` are pairs of level and line:
    what a program must know of the run is a warning, faults of the settings are notices.
    """

    config: RunConfig
    cwd: Path
    home: Path
    env: Mapping[str, str]
    request: LoadRequest
    snapshot: Snapshot
    repository: Repository | None
    mode: str
    model: str
    notices: tuple[tuple[str, str], ...] = ()

    @property
    def may_bypass(self) -> bool:
        """Whether bypass mode was enabled at the start, so that it may be chosen later."""
        config = self.config
        asked = config.skip_permissions or config.allow_skip_permissions
        return asked or self.mode == "bypassPermissions"


def prepare(config: RunConfig, environ: Mapping[str, str]) -> Start:
    """Read settings and decide mode and model. Raises UsageError and ConfigError."""
    home = Path(environ.get("HOME") or Path.home())
    request = LoadRequest(
        cwd=config.cwd,
        env=environ,
        home=home,
        flag_settings=config.settings,
        setting_sources=config.setting_sources,
        interactive=config.interactive,
        session_trust=config.session_trust,
        cli_allow=config.allowed_tools,
        cli_deny=config.disallowed_tools,
        add_dirs=config.add_dirs,
        bare=config.bare,
        safe_mode=config.safe,
    )
    snapshot = load_settings(request)
    env = apply_env(environ, snapshot.env)
    mode, notices = _mode(config, snapshot)
    if mode == "bypassPermissions":
        _check_bypass(env)
    model = catalog.choose_name(config.model, env, snapshot.model)
    return Start(
        config=config,
        cwd=snapshot.cwd,
        home=home,
        env=env,
        request=request,
        snapshot=snapshot,
        repository=find_repository(snapshot.cwd),
        mode=mode,
        model=model,
        notices=(
            *(("notice", text) for text in config.notices),
            *(("warning", text) for text in notices),
            *map(_notice, snapshot.warnings),
        ),
    )


def children_env(
    environ: Mapping[str, str], snapshot: Snapshot, session_id: str
) -> Mapping[str, str]:
    """What commands and hooks of a session inherit."""
    env = {**apply_env(environ, snapshot.env), "CLAUDE_CODE_SESSION_ID": session_id}
    return marked(env, session_id)


def _notice(warning: SettingsWarning) -> tuple[str, str]:
    return "notice" if warning.kind in ("notice", "invalid") else "warning", str(warning)


def _mode(config: RunConfig, snapshot: Snapshot) -> tuple[str, list[str]]:
    asked = "bypassPermissions" if config.skip_permissions else config.permission_mode
    asked = "default" if asked == "manual" else asked
    if asked == "auto":
        return "default", ["auto mode needs a classifier; this session starts in default mode."]
    if asked is not None and asked not in MODES:
        raise UsageError(
            f"--permission-mode {asked!r} is unknown; choose one of: {', '.join(MODES)}"
        )
    if asked == "bypassPermissions" and snapshot.bypass_disabled:
        raise UsageError("bypassPermissions is disabled by the settings")
    if asked is not None and snapshot.locked and asked not in ("default", "plan"):
        text = f"A settings file cannot be read, so {asked} is not used until it is fixed."
        return "default", [text]
    return asked or snapshot.default_mode, []


def _check_bypass(env: Mapping[str, str]) -> None:
    """Root may bypass only in a recognised sandbox."""
    sandboxed = env.get("IS_SANDBOX") == "1" or _in_container()
    if os.geteuid() == 0 and not sandboxed:
        raise UsageError(BYPASS_AS_ROOT)


def _in_container() -> bool:
    return any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))
