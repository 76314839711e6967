"""Bash and Monitor: every command is asked for, unless a rule denies the whole tool."""

from hames.settings.permissions.facts import Mode
from hames.settings.permissions.judge import Finding, NameJudge


class ShellJudge(NameJudge):
    """A shell command."""

    def always(self) -> Finding | None:
        """Nothing here reads commands, so nothing may run unasked."""
        return Finding("shell commands need a confirmation", "unreadable")

    def writes(self) -> bool:
        """Any command may."""
        return True

    def approved(self, mode: Mode) -> Finding | None:
        """Never."""
        del mode
        return None
