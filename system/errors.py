"""Errors that are told to the user in one line, never with a traceback.

HamesError
├── UsageError    a flag or an argument is wrong
└── ConfigError   a configuration file cannot be used
"""


class HamesError(Exception):
    """One line for the user; `main` prints it and exits with `exit_code`."""

    exit_code = 1


class UsageError(HamesError):
    """A flag, an argument or a value on the command line is wrong."""


class ConfigError(HamesError):
    """A configuration file cannot be used and going on without it would be wrong."""
