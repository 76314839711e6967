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


def as_object(value: object) -> JsonObject | None:
    """A decoded JSON value as an object; None when it is something else."""
    return value if is_object(value) else None


def as_list(value: object) -> list[Any]:
    """A decoded JSON value as a list; empty when it is something else."""
    return value if is_list(value) else []
