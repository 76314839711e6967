"""Which shell commands may run beside their neighbours in one message."""

import os
import re

from hames.settings.permissions.bash_parse import parse
from hames.settings.permissions.bash_readonly import read_only_problem
from hames.settings.permissions.bash_tree import Command, Redirect, Unreadable, commands_of
from hames.settings.permissions.bash_wrappers import safe_assignment, special_variable, strip

_ALL = "all"
_HARMLESS_TARGETS = frozenset({"/dev/null"})
_DURATION = re.compile(r"[0-9]+(\.[0-9]+)?[smhd]?")
_MOVES = frozenset({"cd", "pushd", "popd"})
"""Commands that may change where the next call starts."""


def parallel_command(command: str, policy: str) -> bool:
    """Whether the command may share its place; `policy` is `readOnly` or `all`.

    `readOnly`: `sleep` and what the permission engine knows to read only.
    """
    if policy == _ALL:
        return True
    tree = parse(command)
    if isinstance(tree, Unreadable):
        return False
    commands = list(commands_of(tree))
    return bool(commands) and all(map(_only_reads, commands))


def _only_reads(command: Command) -> bool:
    if command.odd or not all(map(_harmless, command.redirects)):
        return False
    if not all(map(safe_assignment, command.assignments)):
        return False
    if not command.words:
        return special_variable(command) is None
    stripped = strip(command)
    if stripped.name in _MOVES:
        return False
    if stripped.name == "sleep" and not stripped.piped:
        return all(_DURATION.fullmatch(word.literal or "") for word in stripped.core[1:])
    home = os.environ.get("HOME", "/")
    return read_only_problem(stripped.core, home, piped=stripped.piped) is None


def _harmless(redirect: Redirect) -> bool:
    return redirect.operator == "<" or redirect.target.literal in _HARMLESS_TARGETS
