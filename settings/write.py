"""Changes of settings files: only the place that changes, under a lock, kept whole by a rename."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from hames.settings.parse import Unreadable, check_kind
from hames.settings.permissions.rule_text import Behavior
from hames.settings.splice import add_items, remove_items, remove_key, set_value
from hames.system.errors import ConfigError
from hames.system.update import update_json_file

SHARED_FILE = 0o666
"""Mode, less the umask, of a new file that belongs to a project; others are private."""

LOCK_WAIT = 30.0
"""Seconds; twenty sessions that end at once write one after the other."""

_FOLDER = 0o700


def add_rules(
    path: Path, behavior: Behavior, rules: Iterable[str], *, new_mode: int = 0o600
) -> bool:
    """Add permission rules that are not there yet; True when the file changed."""
    texts = list(rules)
    return change(path, lambda text: add_items(text, ("permissions", behavior), texts), new_mode)


def remove_rules(path: Path, behavior: Behavior, rules: Iterable[str]) -> bool:
    """Remove permission rules by their exact text; True when the file changed."""
    texts = list(rules)
    return change(path, lambda text: remove_items(text, ("permissions", behavior), texts))


def replace_rules(
    path: Path, behavior: Behavior, rules: Iterable[str], *, new_mode: int = 0o600
) -> bool:
    """Set the whole list of one behaviour; True when the file changed."""
    texts = list(rules)
    return change(path, lambda text: set_value(text, ("permissions", behavior), texts), new_mode)


def add_values(
    path: Path, key: Sequence[str], values: Iterable[object], *, new_mode: int = 0o600
) -> bool:
    """Add entries to any list; True when the file changed."""
    items = list(values)
    return change(path, lambda text: add_items(text, key, items), new_mode)


def remove_values(path: Path, key: Sequence[str], values: Iterable[object]) -> bool:
    """Remove entries of any list; True when the file changed."""
    items = list(values)
    return change(path, lambda text: remove_items(text, key, items))


def write_value(path: Path, key: Sequence[str], value: object, *, new_mode: int = 0o600) -> bool:
    """Set one key, given as a path of object keys; True when the file changed."""
    return change(path, lambda text: set_value(text, key, value), new_mode)


def remove_value(path: Path, key: Sequence[str]) -> bool:
    """Remove one key; True when the file changed."""
    return change(path, lambda text: remove_key(text, key))


def change(path: Path, splice: Callable[[str], str], new_mode: int = 0o600) -> bool:
    """Apply a splice; raises ConfigError when the file is left alone, saying why."""
    try:
        _refuse_special(path)
        _make_folder(path.parent, private=new_mode != SHARED_FILE)
        return update_json_file(path, splice, timeout=LOCK_WAIT, new_mode=new_mode)
    except Unreadable as error:
        raise ConfigError(f"{path} was not changed: {error}") from error
    except ValueError as error:
        raise ConfigError(str(error)) from error
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        raise ConfigError(f"{path} was not changed: {reason}") from error


def _refuse_special(path: Path) -> None:
    """Opening a pipe would wait for ever."""
    if path.exists():
        check_kind(path.stat().st_mode)


def _make_folder(folder: Path, *, private: bool) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True, mode=_FOLDER if private else 0o777)
