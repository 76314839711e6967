"""Subcommands that look at the first turn of a session without asking the model."""

import os
from collections.abc import Callable, Sequence
from typing import Any

import click

from hames.cli.argv import normalise
from hames.cli.flags import FLAGS
from hames.cli.run import run_config
from hames.harness.build import build_session
from hames.harness.errors import UsageError
from hames.harness.events import Notice, OpDone, OpFailed, PromptTaken
from hames.harness.ops import Close, Describe, UserInput
from hames.system.types import JsonObject

PROMPT = "(your prompt)"
JSON_FLAG = click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")


class RunFlags(click.Command):
    """A command that takes the flags of a run, in all the ways in which a run takes them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does, after what click cannot read was normalised."""
        return super().parse_args(ctx, normalise(args))


def first_turn_command(name: str, help: str, show: Callable[..., int]) -> click.Command:
    """The command; `show` gets every flag of a run by its name, and `as_json`."""
    return RunFlags(name, params=[JSON_FLAG, *FLAGS], callback=show, help=help)


async def described(given: dict[str, Any], what: str) -> JsonObject:
    """What `Describe(what)` tells of a session that these flags start, after its first prompt.

    Nothing is stored and no model is asked. Raises UsageError.
    """
    config = run_config(given)._replace(persist=False)
    words: Sequence[str] = given["prompt"]
    session = await build_session(config, os.environ)
    session.start()
    session.submit(UserInput(content=" ".join(words) or PROMPT, query=False))
    asked: str | None = None
    found: JsonObject = {}
    try:
        async for event in session.events():
            if isinstance(event, OpFailed):
                raise UsageError(event.text)
            if isinstance(event, PromptTaken):
                asked = session.submit(Describe(what))
            if isinstance(event, Notice):
                click.echo(event.text, err=True)
            if isinstance(event, OpDone) and event.op_id == asked:
                found = event.value
                session.submit(Close())
    finally:
        await session.aclose()
    return found
