"""Telling JSON values apart."""

from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """A JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """A JSON array."""
    return isinstance(value, list)


def is_texts(value: object) -> TypeGuard[list[str]]:
    """A JSON array of strings."""
    return is_list(value) and all(isinstance(item, str) for item in value)


def named(value: object) -> str:
    """The type of a JSON value in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return "a number"
