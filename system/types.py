"""Shared type names for JSON at the borders; API blocks stay raw JSON everywhere."""

from typing import Any, TypeGuard

JsonObject = dict[str, Any]
"""A JSON object whose members are not checked here."""


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a decoded JSON value is an object; both type checkers then know it."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a decoded JSON value is a list."""
    return isinstance(value, list)
