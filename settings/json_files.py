"""Small JSON files and the narrowing of their values."""

import json
from pathlib import Path
from typing import Any

from hames.settings.text_files import Problem, read_optional
from hames.system.types import JsonObject, is_list, is_object


def read_json(path: Path, problems: list[Problem]) -> JsonObject | None:
    """The JSON object in a file; None when missing, or with a problem when it is none."""
    text = read_optional(path, problems)
    if text is None:
        return None
    try:
        found = as_object(json.loads(text))
    except RecursionError:
        problems.append(Problem(path, "is nested too deeply"))
        return None
    except ValueError as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        problems.append(Problem(path, "is not valid JSON", line))
        return None
    if found is None:
        problems.append(Problem(path, "must hold a JSON object"))
    return found


def as_object(value: object) -> JsonObject | None:
    """The value if it is a JSON object."""
    return value if is_object(value) else None


def as_list(value: object) -> list[Any] | None:
    """The value if it is a JSON array."""
    return value if is_list(value) else None
