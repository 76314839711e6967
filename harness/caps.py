"""Limits of a run: turns, money, time and tokens. One clear end state each."""

from typing import NamedTuple

from hames.harness.steps import End
from hames.harness.turn import Turn
from hames.harness.usage import UsageLedger


class Caps(NamedTuple):
    """None means no limit. Turns are tool round trips of one turn; the others count the run."""

    max_turns: int | None = None
    max_budget_usd: float | None = None
    max_seconds: float | None = None
    max_total_tokens: int | None = None

    def check(self, turn: Turn, ledger: UsageLedger, seconds: float) -> End | None:
        """Why no further request may be sent; None while one may. `seconds` since the start."""
        if self.max_turns is not None and turn.num_turns >= self.max_turns:
            text = f"Reached maximum number of turns ({self.max_turns})"
            return End("max_turns", "error_max_turns", text)
        if self.max_budget_usd is not None and ledger.total_usd >= self.max_budget_usd:
            text = f"Reached maximum budget (${self.max_budget_usd:g})"
            return End("budget_exhausted", "error_max_budget_usd", text)
        late = self.late(seconds)
        if late is not None:
            return late
        if self.max_total_tokens is not None and ledger.total_tokens >= self.max_total_tokens:
            text = f"Reached maximum number of tokens ({self.max_total_tokens})"
            return End("budget_exhausted", "error_during_execution", text)
        return None

    def seconds_left(self, seconds: float) -> float | None:
        """How long the run may go on; None without a limit."""
        return None if self.max_seconds is None else max(self.max_seconds - seconds, 0.0)

    def late(self, seconds: float) -> End | None:
        """The end of a run that has lasted too long; None while it has not."""
        if self.max_seconds is None or seconds < self.max_seconds:
            return None
        text = f"Reached maximum run time ({self.max_seconds:g} s)"
        return End("budget_exhausted", "error_during_execution", text)
