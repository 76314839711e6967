"""The interactive program: events of the session in, what the user does out."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

from hames.cli.repl.driver import Repl
from hames.cli.repl.terminal import Terminal
from hames.harness.ops import Close
from hames.harness.run_config import RunConfig

CLOSE_SECONDS = 30.0
"""How long everything may take to end after the terminal was given back."""

GONE = 128 + signal.SIGHUP
"""The exit code when the terminal has gone away."""

SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def run_repl(config: RunConfig, prompt: str | None, *, pick: bool) -> int:
    """Run until the user leaves; the exit code. `pick` asks first which session goes on."""
    env: Mapping[str, str] = os.environ
    terminal = Terminal(env)
    config = config._replace(
        interactive=True,
        answerable=frozenset({"permission"}),
        persist=config.persist and not _is_child(env),
    )
    try:
        return asyncio.run(_run(config, prompt, terminal, env, pick=pick))
    finally:
        terminal.restore()
        terminal.release()


def _is_child(env: Mapping[str, str]) -> bool:
    """Whether another session started this one; it then leaves no transcript of its own."""
    forced = env.get("CLAUDE_CODE_FORCE_SESSION_PERSISTENCE", "") in ("1", "true")
    return env.get("CLAUDE_CODE_CHILD_SESSION", "") in ("1", "true") and not forced


async def _run(
    config: RunConfig, prompt: str | None, terminal: Terminal, env: Mapping[str, str], *, pick: bool
) -> int:
    repl = Repl(config, env)
    loop = asyncio.get_running_loop()
    bugs: list[BaseException] = []
    loop.set_exception_handler(lambda _, context: _failed(repl, context, bugs))
    for number in SIGNALS:
        loop.add_signal_handler(number, repl.stop, 128 + number)
    working = asyncio.create_task(repl.work(prompt, pick=pick))
    try:
        await _drawn(repl)
        terminal.restore()
        with contextlib.suppress(OSError):
            repl.console.finish()
        if repl.engine.session is None:
            working.cancel()
        else:
            repl.engine.session.submit(Close())
        await asyncio.wait({working}, timeout=CLOSE_SECONDS)
    finally:
        working.cancel()
        if repl.engine.session is not None:
            await repl.engine.session.aclose()
    if working.done() and not working.cancelled() and (error := working.exception()) is not None:
        raise error
    if bugs:
        raise bugs[0]
    _say_goodbye(repl)
    return repl.exit_code


def _failed(repl: Repl, context: dict[str, Any], bugs: list[BaseException]) -> None:
    """An exception in a callback, such as of a key or of drawing, ends the program."""
    error = context.get("exception")
    if isinstance(error, OSError):
        repl.stop(GONE)
    elif isinstance(error, BaseException):
        bugs.append(error)
        repl.stop(1)


async def _drawn(repl: Repl) -> None:
    """Draw until the end; a terminal that is gone counts as a hang-up."""
    try:
        await repl.console.run()
    except EOFError:
        pass
    except OSError:
        repl.exit_code = repl.exit_code or GONE


def _say_goodbye(repl: Repl) -> None:
    hint = repl.resume_hint()
    if hint:
        with contextlib.suppress(OSError):
            sys.stdout.write(f"{hint}\n")
            sys.stdout.flush()
