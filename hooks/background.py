"""Hooks that run beside the session: `async` and `asyncRewake`."""

import json
from dataclasses import dataclass

from hames.hooks.output import BLOCKING_EXIT
from hames.hooks.ports import RawOutput
from hames.hooks.result import HookRun
from hames.hooks.spec import Command
from hames.system.types import is_object


@dataclass(frozen=True, slots=True)
class BackgroundResult:
    """What a background hook said when it ended, for the model's next turn.

    `wake` is the text that wakes the model at once.
    """

    run: HookRun
    context: str = ""
    system_message: str = ""
    wake: str = ""


def background_result(handler: Command, raw: RawOutput, run: HookRun) -> BackgroundResult:
    """Decisions and members of a wrong type count for nothing here."""
    try:
        said: object = json.loads(raw.stdout)
    except (ValueError, RecursionError):
        said = None
    top = said if is_object(said) else {}
    specific = top.get("hookSpecificOutput")
    context = specific.get("additionalContext") if is_object(specific) else None
    message = top.get("systemMessage")
    wakes = handler.rewake and raw.exit_code == BLOCKING_EXIT
    return BackgroundResult(
        run,
        context if isinstance(context, str) else "",
        message if isinstance(message, str) else "",
        (raw.stderr.strip() or raw.stdout.strip()) if wakes else "",
    )
