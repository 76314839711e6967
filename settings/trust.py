"""Whether the user has trusted a folder: the record in the global config file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hames.settings.parse import Unreadable, parse_bytes, read_bytes
from hames.settings.paths import project_root, real
from hames.settings.repository import Repository
from hames.settings.warnings import SettingsWarning
from hames.system.types import is_object

ACCEPTED = "hasTrustDialogAccepted"
_INDEX_LIMIT = 256 << 20
_SMALL = 1 << 20
"""Bytes of a config file that is always checked."""


def recorded_trust(
    config: Path, cwd: Path, repository: Repository | None, home: Path
) -> tuple[bool, list[SettingsWarning]]:
    """Whether a record covers `cwd` (a real path); a config file that is broken trusts nobody."""
    try:
        data = read_bytes(config)
        # Other programs keep much in this file; a large one is parsed only when it can matter.
        if data is None or (len(data) > _SMALL and ACCEPTED.encode() not in data):
            return False, []
        document = parse_bytes(data)
    except Unreadable as error:
        text = f"{error}; no folder counts as trusted until it is fixed"
        return False, [SettingsWarning("invalid", text, config)]
    found: Any = document.values.get("projects")
    projects = found if is_object(found) else {}
    notices = [SettingsWarning("notice", text, config) for text in document.notices]
    return any(_accepted(projects, key) for key in covering(cwd, repository, home)), notices


def covering(cwd: Path, repository: Repository | None, home: Path) -> list[Path]:
    """The folders whose record covers `cwd`: up to the repository's root, else all above it.

    A nested repository is not covered by what lies around it, and a record for the home
    directory or above would cover every download, so it does not count.
    """
    if repository is None:
        found = [cwd, *cwd.parents]
    else:
        inside = [p for p in (cwd, *cwd.parents) if p.is_relative_to(repository.root)]
        found = [*inside, repository.main]
    whole = real(home)
    return [folder for folder in dict.fromkeys(found) if not whole.is_relative_to(folder)]


def trust_key(cwd: Path, repository: Repository | None) -> str:
    """The key below `projects` that a record for `cwd` is written to."""
    return str(project_root(cwd, repository))


def from_repository(path: Path, repository: Repository | None) -> bool:
    """Whether a local settings file came with the folder: tracked by git, or in a linked folder."""
    if path.parent.is_symlink() or path.is_symlink():
        return True
    if repository is None:
        return False
    for folder in (repository.root, repository.main):
        if path.is_relative_to(folder):
            git_dir = repository.common_dir if folder == repository.main else repository.git_dir
            if _tracked(git_dir, path.relative_to(folder)):
                return True
    return False


def _tracked(git_dir: Path, name: Path) -> bool:
    """Whether the index names a file; an index that cannot be searched counts as a yes."""
    if any(git_dir.glob("sharedindex.*")):
        return True
    try:
        index = read_bytes(git_dir / "index", _INDEX_LIMIT)
    except Unreadable:
        return True
    if index is None:
        return False
    version = int.from_bytes(index[4:8], "big")
    # Version 4 stores only the differences between neighbouring names.
    return version not in (2, 3) or str(name).encode() + b"\0" in index


def _accepted(projects: Mapping[str, Any], folder: Path) -> bool:
    record = projects.get(str(folder))
    return is_object(record) and record.get(ACCEPTED) is True
