"""Keeps the local settings file out of commits: one line in the user's global git excludes."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from hames.settings.parse import Unreadable, read_bytes
from hames.settings.repository import Repository
from hames.system.errors import ConfigError
from hames.system.update import update_json_file

PATTERN = "**/.claude/settings.local.json"
_LIMIT = 1 << 20


def exclude_local_file(
    path: Path, repository: Repository | None, env: Mapping[str, str], home: Path
) -> Path | None:
    """Before the first write of a local file: the excludes file that got the line, or None."""
    if repository is None or path.exists() or not path.is_relative_to(repository.main):
        return None
    excludes = excludes_file(env, home)
    if _ignored(path, repository, excludes):
        return None
    excludes.parent.mkdir(parents=True, exist_ok=True)
    try:
        update_json_file(excludes, _with_pattern, new_mode=0o666)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{excludes} was not changed: {error}") from error
    return excludes


def excludes_file(env: Mapping[str, str], home: Path) -> Path:
    """`core.excludesFile` when absolute or below `~`, else git's default place."""
    config = Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    own = env.get("GIT_CONFIG_GLOBAL")
    for file in [Path(own)] if own else [home / ".gitconfig", config / "config"]:
        value = _core_excludes(_lines(file))
        if value.startswith("~/"):
            return home / value[2:]
        if value.startswith("/"):
            return Path(value)
    return config / "ignore"


def _core_excludes(lines: Iterable[str]) -> str:
    """The last `excludesFile` of the `[core]` section in a git config."""
    section, value = "", ""
    for line in lines:
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0].strip("[ ").lower()
        elif section == "core":
            name, _, given = text.partition("=")
            if name.strip().lower() == "excludesfile":
                value = given.strip().strip('"')
    return value


def _ignored(path: Path, repository: Repository, excludes: Path) -> bool:
    """Whether git ignores the file already; later files win as in git."""
    import pathspec

    root = repository.main
    sources = (excludes, repository.common_dir / "info" / "exclude", root / ".gitignore")
    lines = [line for source in sources for line in _lines(source)]
    folder = [f"/.claude/{line.lstrip('/')}" for line in _lines(path.parent / ".gitignore")]
    try:
        spec = pathspec.GitIgnoreSpec.from_lines([*lines, *folder])
    except ValueError:
        return False
    return spec.match_file(str(path.relative_to(root)))


def _lines(path: Path) -> list[str]:
    try:
        data = read_bytes(path, _LIMIT)
    except Unreadable:
        return []
    return data.decode("utf-8", "replace").splitlines() if data else []


def _with_pattern(text: str) -> str:
    if PATTERN in text.splitlines():
        return text
    gap = "" if not text or text.endswith("\n") else os.linesep
    return f"{text}{gap}{PATTERN}\n"
