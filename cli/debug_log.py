"""The debug log: what hames noticed, in a private file. Without it log records go nowhere."""

import logging
import os
from pathlib import Path

from hames.harness.errors import HamesError, UsageError
from hames.harness.ops import new_id
from hames.harness.run_config import RunConfig
from hames.settings.paths import config_home
from hames.system.files import ensure_private

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def with_debug_log(config: RunConfig, words: str | None, file: str | None) -> RunConfig:
    """Open the log of a run; a new session gets its id here, because the file is named after it.

    `words` are parts of module names, `!part` leaves their records out. Raises UsageError when
    the file cannot be written.
    """
    resumed = config.resume is not None or config.resume_last
    session_id = config.session_id or new_id()
    home = config_home(os.environ, Path.home())
    path = Path(file).expanduser() if file else home / "debug" / f"{session_id}.txt"
    _open(path, words or "*")
    return config if resumed else config._replace(session_id=session_id)


def _open(path: Path, words: str) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        if not path.parent.is_dir():
            ensure_private(path.parent)
        fd = os.open(path, flags, 0o600)
    except (OSError, HamesError) as error:
        raise UsageError(f"the debug log {path} cannot be written: {error}") from None
    handler = logging.StreamHandler(os.fdopen(fd, "a", encoding="utf-8", errors="replace"))
    handler.setFormatter(logging.Formatter(FORMAT))
    handler.addFilter(Words(words))
    root = logging.getLogger("hames")
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)


class Words(logging.Filter):
    """Passes records of modules whose names hold one of the words, and none of the `!` ones."""

    def __init__(self, words: str) -> None:
        super().__init__()
        given = [word.strip() for word in words.split(",") if word.strip() not in ("", "*")]
        self._without = [word[1:] for word in given if word.startswith("!")]
        self._only = [word for word in given if not word.startswith("!")]

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        name = record.name
        if any(word in name for word in self._without):
            return False
        return not self._only or any(word in name for word in self._only)
