"""Errors that end a run: one line for the user and an exit code.

HamesError (hames.system.errors)
 ├─ UsageError    a flag or argument is wrong
 ├─ ConfigError   a setting, variable or file cannot be used as it is
 ├─ AuthError     there is no credential, or the service refused it
 └─ ModelError    the model gave no usable answer
"""

from hames.system.errors import ConfigError, HamesError, UsageError

__all__ = ["AuthError", "ConfigError", "HamesError", "ModelError", "UsageError"]


class AuthError(HamesError):
    """There is no credential, or the service refused it."""


class ModelError(HamesError):
    """The model gave no usable answer."""
