"""`hames context`: how much of the window a session that starts here uses, and by what."""

import asyncio
import json
from typing import Any

import click

from hames.cli.first_turn import described, first_turn_command

HELP = """Show what fills the context window of a session that starts here, or of one that is
resumed. Takes the flags of a run."""


def show(as_json: bool, **given: Any) -> int:
    """Print the layers with their tokens."""
    found = asyncio.run(described(given, "layers"))
    click.echo(json.dumps(found["report"], indent=2) if as_json else found["chart"])
    return 0


command = first_turn_command("context", HELP, show)
