"""Telling JSON values apart."""

from typing import TypeGuard

from hames.system.types import is_list


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
