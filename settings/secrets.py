"""Masks what looks like a credential before a setting is shown."""

import re
from typing import Any

from hames.settings.env_policy import is_credential
from hames.system.types import is_list, is_object

MASK = "****"

_PATTERNS = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}|\bgh[pousr]_[A-Za-z0-9]{16,}|\bxox[abprs]-[\w-]{10,}"
    r"|\bAKIA[0-9A-Z]{12,}|\beyJ[\w-]{10,}\.[\w-]+\.[\w-]*"
    r"|(?<=://)[^/\s@]+(?=@)"
    r"|(?<=Bearer )[^\s'\"]+"
    r"|(?i:(?<=token[=: ])|(?<=secret[=: ])|(?<=password[=: ])|(?<=api-key[=: ])"
    r"|(?<=api_key[=: ])|(?<=apikey[=: ]))[^\s'\"]+"
)
_HEADERS = "headers"


def masked(value: Any, name: str = "") -> Any:
    """A copy of a JSON value without credentials; `name` is the key it stands under."""
    if is_object(value):
        inside = name.lower() == _HEADERS
        return {key: MASK if inside else masked(item, key) for key, item in value.items()}
    if is_list(value):
        return [masked(item, name) for item in value]
    if not isinstance(value, str):
        return value
    if value and is_credential(name):
        return MASK
    return _PATTERNS.sub(MASK, value)
