"""Errors that end a run: one line for the user and an exit code.

HamesError (hames.system.errors)
 ├─ UsageError    a flag or argument is wrong
 │   └─ NoConversation   there is no such session
 ├─ ConfigError   a setting, variable or file cannot be used as it is
 ├─ AuthError     there is no credential, or the service refused it
 └─ ModelError    the model gave no usable answer
"""

from typing import ClassVar

from hames.system.errors import ConfigError, HamesError, UsageError

__all__ = ["AuthError", "ConfigError", "HamesError", "ModelError", "NoConversation", "UsageError"]


class NoConversation(UsageError):
    """There is no such session; the text is a public one and is printed without a prefix."""

    prefix: ClassVar[str] = ""


class AuthError(HamesError):
    """There is no credential, or the service refused it."""


class ModelError(HamesError):
    """The model gave no usable answer."""
