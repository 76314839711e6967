"""Errors that end a run: one line for the user and an exit code.

HamesError
 ├─ UsageError    a flag or argument is wrong
 ├─ ConfigError   a setting, variable or file cannot be used as it is
 ├─ AuthError     there is no credential, or the service refused it
 └─ ModelError    the model gave no usable answer
"""

from typing import ClassVar


class HamesError(Exception):
    """The text is shown to the user as it is: it names the cause and what to do, never a secret."""

    exit_code: ClassVar[int] = 1


class UsageError(HamesError):
    """A flag or argument is wrong."""


class ConfigError(HamesError):
    """A setting, variable or file cannot be used as it is."""


class AuthError(HamesError):
    """There is no credential, or the service refused it."""


class ModelError(HamesError):
    """The model gave no usable answer."""
