"""`--settings`: a JSON text or a regular file of at most 2 MiB; anything else is an error."""

from collections.abc import Mapping
from pathlib import Path

from hames.settings.check import Entry
from hames.settings.layers import Loaded, make_layer
from hames.settings.parse import FLAG_LIMIT, Document, Unreadable, parse_text, read_document
from hames.system.errors import ConfigError


def read_flag_settings(value: str, cwd: Path, catalog: Mapping[str, Entry]) -> Loaded:
    """The layer of `--settings`; raises ConfigError, because the user asked for it just now."""
    if value.lstrip().startswith(("{", "[")):
        try:
            return make_layer("flag", None, cwd, parse_text(value), catalog)
        except Unreadable as error:
            raise ConfigError(f"--settings is not a JSON object: {error}") from error
    path = cwd / Path(value).expanduser()
    return make_layer("flag", path, path.parent, _file(path), catalog)


def _file(path: Path) -> Document:
    try:
        _refuse_large(path)
        document = read_document(path, FLAG_LIMIT)
    except Unreadable as error:
        raise ConfigError(_text(str(error), path)) from error
    if document is None:
        raise ConfigError(f"Settings file not found: {path}")
    return document


def _refuse_large(path: Path) -> None:
    try:
        large = path.is_file() and path.stat().st_size > FLAG_LIMIT
    except OSError:
        return
    if large:
        raise ConfigError(f"Settings file exceeds the 2MiB limit: {path}")


def _text(reason: str, path: Path) -> str:
    if "not a regular file" in reason:
        return f"Cannot use settings file (Not a regular file (device, FIFO, or socket)): {path}"
    return f"Cannot use settings file {path}: {reason}"
