"""Before the session: is the folder trusted, and which session goes on?"""

from collections.abc import Mapping
from pathlib import Path

from hames.cli.repl.desk import Desk
from hames.cli.repl.dialogs import trust_dialog
from hames.cli.repl.past import past_sessions, sessions_dialog
from hames.harness.run_config import RunConfig
from hames.harness.sessions import SessionFiles
from hames.settings import paths
from hames.settings.repository import find_repository
from hames.settings.trust import recorded_trust
from hames.settings.trust_question import record_trust, trust_question

NO_SESSIONS = "There is no earlier session in this folder."


async def opened(
    config: RunConfig, env: Mapping[str, str], home: Path, desk: Desk, *, pick: bool
) -> RunConfig | None:
    """The run after trust and choice; None when the user does not trust the folder.

    Raises ConfigError when the answer cannot be stored.
    """
    trusted = await _trusted(config, env, home, desk)
    if trusted is None or not pick:
        return trusted
    found = past_sessions(SessionFiles(env, home, config.cwd).listed())
    if not found:
        desk.say(NO_SESSIONS)
        return trusted
    key = await desk.choose(lambda answered: sessions_dialog(found, desk.paint, answered))
    return trusted._replace(resume=found[int(key) - 1].session_id) if key.isdigit() else trusted


async def _trusted(
    config: RunConfig, env: Mapping[str, str], home: Path, desk: Desk
) -> RunConfig | None:
    cwd = paths.real(config.cwd)
    repository = find_repository(cwd)
    file = paths.global_config_file(env, home)
    recorded, _ = recorded_trust(file, cwd, repository, home)
    if recorded:
        return config
    question = trust_question(cwd, home)
    key = await desk.choose(lambda answered: trust_dialog(question, desk.paint, answered))
    if key != "y":
        return None
    stored = record_trust(file, cwd, repository, home)
    return config if stored else config._replace(session_trust=True)
