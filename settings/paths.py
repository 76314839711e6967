"""Where things lie: config home, managed files, settings of a folder, sessions of a project."""

import os
import re
import sys
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from hames.settings.repository import Repository

MANAGED_DIRECTORY = Path(
    "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
)
SETTINGS_FILE = Path(".claude", "settings.json")
LOCAL_FILE = Path(".claude", "settings.local.json")

_KEY_LENGTH = 200
_OWN_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def real(path: Path) -> Path:
    """The real path in NFC; a path that cannot be resolved stays absolute as it is."""
    try:
        text = os.path.realpath(path)
    except OSError:
        text = os.path.abspath(path)  # noqa: PTH100 - no symlinks to follow any more
    return Path(unicodedata.normalize("NFC", text))


def config_home(env: Mapping[str, str], home: Path) -> Path:
    """`$CLAUDE_CONFIG_DIR` or `~/.claude`, NFC."""
    chosen = env.get("CLAUDE_CONFIG_DIR", "")
    if not chosen:
        return home / ".claude"
    if chosen == "~" or chosen.startswith("~/"):
        chosen = f"{home}{chosen[1:]}"
    return Path(unicodedata.normalize("NFC", os.path.abspath(chosen)))  # noqa: PTH100 - no links


def global_config_file(env: Mapping[str, str], home: Path) -> Path:
    """`.claude.json` with trust records and user servers; inside the config home if that is set."""
    folder = config_home(env, home) if env.get("CLAUDE_CONFIG_DIR") else home
    return folder / ".claude.json"


def user_settings_file(env: Mapping[str, str], home: Path) -> Path:
    """The settings of the user for every project."""
    return config_home(env, home) / "settings.json"


def project_root(cwd: Path, repository: Repository | None) -> Path:
    """The folder that trust and memory belong to: main checkout, else the start directory."""
    return cwd if repository is None else repository.main


def local_settings_file(cwd: Path, repository: Repository | None, home: Path) -> Path:
    """The local file that is written: at the main checkout, else in the start directory.

    A checkout that is the home directory, or where root, `.git` or `.claude` belong to somebody
    else, does not hold it: another user could plant settings there.
    """
    if repository is None or repository.main == real(home):
        return cwd / LOCAL_FILE
    root = repository.main
    own = all(_own(root / name) for name in ("", ".git", ".claude"))
    return (root if own else cwd) / LOCAL_FILE


def _own(path: Path) -> bool:
    try:
        return path.stat().st_uid == os.geteuid()
    except OSError:
        return True


def project_key(path: Path) -> str:
    """The folder name below `projects/` for a real, NFC working directory."""
    text = str(path)
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in text)
    if len(name) <= _KEY_LENGTH:
        return name
    return f"{name[:_KEY_LENGTH]}-{path_hash(text)}"


def path_hash(text: str) -> str:
    """h*31 + UTF-16 unit, wrapped to signed 32 bit, its absolute value in base 36."""
    value = 0
    data = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(data), 2):
        value = (value * 31 + data[at] + data[at + 1] * 256) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >> 31 else value)
    digits = ""
    while value:
        value, digit = divmod(value, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"


def project_directory(env: Mapping[str, str], home: Path, cwd: Path) -> Path:
    """The folder of a project's sessions; readers fall back with `project_directories`."""
    own = env.get("CLAUDE_CODE_PROJECT_DIR_NAME", "")
    if env.get("CLAUDE_CONFIG_DIR") and _OWN_KEY.fullmatch(own):
        key = own
    else:
        key = project_key(real(cwd))
    return config_home(env, home) / "projects" / key


def project_directories(env: Mapping[str, str], home: Path, cwd: Path) -> tuple[Path, ...]:
    """Existing folders to read sessions from; other programs hash long paths in other ways."""
    first = project_directory(env, home, cwd)
    found = [first] if first.is_dir() else []
    if len(first.name) > _KEY_LENGTH and first.parent.is_dir():
        stem = first.name[: _KEY_LENGTH + 1]
        found += sorted(p for p in first.parent.iterdir() if p.name.startswith(stem) and p != first)
    return tuple(found)


def session_file(project: Path, session_id: str) -> Path:
    """The main transcript of a session."""
    return project / f"{session_id}.jsonl"


def subagent_file(project: Path, session_id: str, agent_id: str) -> Path:
    """The transcript of a subagent; its sidecar has the suffix `.meta.json`."""
    return project / session_id / "subagents" / f"agent-{agent_id}.jsonl"


def tool_results_directory(project: Path, session_id: str) -> Path:
    """Where large results of one session are spilled to."""
    return project / session_id / "tool-results"
