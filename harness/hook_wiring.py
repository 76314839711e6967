"""Makes the hook points of a session from its settings; imported only when there are hooks."""

from pathlib import Path

from hames.harness.events import Notice, Scope
from hames.harness.hook_points import HookPoints
from hames.harness.services import Services
from hames.harness.start import Start
from hames.hooks.context import HookSession
from hames.hooks.engine import HookEngine
from hames.hooks.from_settings import hook_policy, settings_hooks
from hames.settings import paths


def settings_hook_points(services: Services, start: Start, session_id: str) -> HookPoints:
    """The points with the hooks of the settings registered; problems become notices."""
    points = empty_hook_points(services, start, session_id)
    found = settings_hooks(start.snapshot)
    points.engine.register("settings", found.specs)
    for problem in found.problems:
        services.emit(Notice(Scope(session_id), "warning", str(problem)))
    return points


def empty_hook_points(services: Services, start: Start, session_id: str) -> HookPoints:
    """The points without any hook yet; a client may bring some."""
    project = paths.project_directory(start.env, start.home, start.cwd)
    session = HookSession(
        session_id=session_id,
        transcript_path=paths.session_file(project, session_id),
        project_dir=start.cwd,
        env=services.env,
        spill=paths.tool_results_directory(project, session_id),
        env_file=_env_file(services),
    )
    return HookPoints(services.emit, HookEngine(session, hook_policy(start.snapshot)))


def _env_file(services: Services) -> Path | None:
    named = services.env.get("CLAUDE_ENV_FILE")
    return Path(named) if named else None
