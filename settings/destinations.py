"""Where "don't ask again" and other answers are stored: user, project or local settings."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from hames.settings.git_excludes import exclude_local_file
from hames.settings.paths import SETTINGS_FILE, local_settings_file, real, user_settings_file
from hames.settings.permissions.rule_text import Behavior
from hames.settings.repository import Repository, find_repository
from hames.settings.write import (
    SHARED_FILE,
    add_rules,
    add_values,
    remove_rules,
    remove_values,
    replace_rules,
    write_value,
)

Destination = Literal["userSettings", "projectSettings", "localSettings"]
"""As permission updates of clients and hooks name it; `session` is not stored."""

_DIRECTORIES = ("permissions", "additionalDirectories")


class SettingsWriter(NamedTuple):
    """Stores answers of one session. Every method is blocking, and raises ConfigError."""

    cwd: Path
    env: Mapping[str, str]
    home: Path

    def file(self, destination: Destination) -> Path:
        """The file behind a destination; it may not exist yet."""
        if destination == "userSettings":
            return user_settings_file(self.env, self.home)
        if destination == "projectSettings":
            return real(self.cwd) / SETTINGS_FILE
        return local_settings_file(real(self.cwd), self._repository(), self.home)

    def add_rules(self, destination: Destination, behavior: Behavior, rules: Iterable[str]) -> Path:
        """Add rules; the file that holds them now."""
        path = self._ready(destination)
        add_rules(path, behavior, rules, new_mode=_mode(destination))
        return path

    def replace_rules(
        self, destination: Destination, behavior: Behavior, rules: Iterable[str]
    ) -> Path:
        """Set all rules of one behaviour; the file that holds them now."""
        path = self._ready(destination)
        replace_rules(path, behavior, rules, new_mode=_mode(destination))
        return path

    def remove_rules(
        self, destination: Destination, behavior: Behavior, rules: Iterable[str]
    ) -> Path:
        """Remove rules by their exact text; a missing file stays missing."""
        path = self.file(destination)
        if path.exists():
            remove_rules(path, behavior, rules)
        return path

    def add_directories(self, destination: Destination, directories: Iterable[str]) -> Path:
        """Add working directories; the file that holds them now."""
        path = self._ready(destination)
        add_values(path, _DIRECTORIES, directories, new_mode=_mode(destination))
        return path

    def remove_directories(self, destination: Destination, directories: Iterable[str]) -> Path:
        """Remove working directories; a missing file stays missing."""
        path = self.file(destination)
        if path.exists():
            remove_values(path, _DIRECTORIES, directories)
        return path

    def set_value(self, destination: Destination, key: Sequence[str], value: object) -> Path:
        """Set any key, given as a path of object keys."""
        path = self._ready(destination)
        write_value(path, key, value, new_mode=_mode(destination))
        return path

    def _ready(self, destination: Destination) -> Path:
        path = self.file(destination)
        if destination == "localSettings":
            exclude_local_file(path, self._repository(), self.env, self.home)
        return path

    def _repository(self) -> Repository | None:
        return find_repository(real(self.cwd))


def _mode(destination: Destination) -> int:
    return SHARED_FILE if destination == "projectSettings" else 0o600
