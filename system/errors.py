"""Errors that are told to the user in one line, never with a traceback.

HamesError
 ├─ UsageError    a flag or argument is wrong
 └─ ConfigError   a setting, variable or file cannot be used as it is
"""

from typing import ClassVar


class HamesError(Exception):
    """The text is shown to the user as it is: it names the cause and what to do, never a secret."""

    exit_code: ClassVar[int] = 1
    prefix: ClassVar[str] = "Error: "


class UsageError(HamesError):
    """A flag or argument is wrong."""


class ConfigError(HamesError):
    """A setting, variable or file cannot be used as it is."""
