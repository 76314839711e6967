"""Slash commands that hames answers itself, in every front end."""

from collections.abc import Mapping

from hames.harness.commands import BuiltIn
from hames.harness.reports import Reports
from hames.harness.runner import Runner
from hames.harness.seats import Seats


def builtin_commands(runner: Runner, seats: Seats, reports: Reports) -> Mapping[str, BuiltIn]:
    """The built-in commands by name, aliases included."""

    async def clear(arguments: str) -> str:
        del arguments
        value = await seats.clear(runner)
        return f"New session: {value['session_id']}"

    async def model(arguments: str) -> str:
        if not arguments:
            return f"Model: {runner.agent.conversation.models[0]}"
        chosen = None if arguments == "default" else arguments
        value = await seats.choose_model(runner, chosen)
        return f"Model: {value['model']}"

    async def effort(arguments: str) -> str:
        chosen = arguments if arguments not in ("", "default", "auto") else None
        await seats.choose_effort(runner, chosen)
        return f"Effort: {chosen or 'the default of the model'}"

    async def cost(arguments: str) -> str:
        del arguments
        return reports.cost_text(runner)

    return {
        "clear": clear,
        "reset": clear,
        "new": clear,
        "model": model,
        "effort": effort,
        "cost": cost,
        "usage": cost,
    }
