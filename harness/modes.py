"""Permission modes by name, and which of them may be chosen when."""

from typing import Literal

from hames.settings.snapshot import Snapshot

Mode = Literal["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]

MODES: tuple[Mode, ...] = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")


def as_mode(name: str) -> Mode:
    """The mode of a name; anything unknown is the strict default."""
    known: dict[str, Mode] = {mode: mode for mode in MODES}
    return known.get(name, "default")


def refuses_mode(mode: str, snapshot: Snapshot, *, may_bypass: bool) -> str | None:
    """Why a mode cannot be chosen now; None when it can."""
    if mode != "bypassPermissions":
        return None
    if snapshot.bypass_disabled:
        return "bypassPermissions is disabled by the settings"
    if not may_bypass:
        return (
            "bypassPermissions must be enabled when the session starts "
            "(--allow-dangerously-skip-permissions)"
        )
    return None
