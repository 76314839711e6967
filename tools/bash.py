"""Bash: one command in a fresh shell that starts where the last one ended."""

import asyncio
import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from hames.system.files import ensure_private, read_bounded
from hames.system.output import FileOutput
from hames.system.process import Child, Command, start
from hames.tools.base import Tool, ToolError, ToolResult
from hames.tools.bash_aftermath import aftermath
from hames.tools.bash_reads import unchanged
from hames.tools.bash_result import (
    Ending,
    content,
    ending_of,
    positive_number,
    readable,
    show_output,
    structured,
)
from hames.tools.context import ToolContext
from hames.tools.effects import SetCwd
from hames.tools.parallel import parallel_command
from hames.tools.pkill_guard import pkill_problem
from hames.tools.shell import Shell, capture_snapshot, choose_shell, script_path, shell_command

_DEFAULT_MS = 120_000
_CEILING_MS = 600_000
_PROGRESS_SECONDS = 1.0
_PROGRESS_BYTES = 4_000
_LONGEST_PATH = 8_192


class BashInput(BaseModel):
    """The input of Bash."""

    model_config = ConfigDict(extra="forbid")

    command: str = Field(description="The command line to run", min_length=1)
    timeout: float | None = Field(
        default=None, description="Milliseconds after which it is stopped (default 120000)"
    )
    description: str | None = Field(
        default=None, description="What the command does, in 5 to 10 words, shown to the user"
    )


class Bash(Tool[BashInput]):
    """Runs command lines. `parallel_commands` is `readOnly` or `all`."""

    name = "Bash"
    input_model = BashInput

    def __init__(self, parallel_commands: str = "readOnly") -> None:
        self._policy = parallel_commands
        self._snapshots: dict[Shell, asyncio.Task[Path | None]] = {}

    def parallel_safe(self, args: BashInput) -> bool:
        return parallel_command(args.command, self._policy)

    def timeout(self, args: BashInput) -> float | None:
        return None

    def summary(self, args: BashInput) -> str:
        return args.command

    async def run(self, args: BashInput, ctx: ToolContext) -> ToolResult:
        if "\0" in args.command:
            raise ToolError("The command holds a NUL byte, which no shell accepts.")
        problem = pkill_problem(args.command)
        if problem is not None:
            raise ToolError(problem)
        if not ctx.cwd.is_dir():
            return _lost_cwd(ctx)
        files = _Files.named(ctx.spill, f"bash-{os.urandom(6).hex()}")
        known = unchanged(ctx.reads)
        try:
            ensure_private(ctx.spill)
            command = await self._command(args.command, ctx, files)
            child = await start(command, FileOutput(files.output))
        except OSError as error:
            raise ToolError(f"The shell could not be started: {error}") from error
        keep = False
        try:
            ending = await _ending(child, args, ctx)
            shown = show_output(child.output, ctx.env, failed=ending.failed)
            keep = shown.path is not None
            after = aftermath(args.command, ending, shown, known, files.last_cwd(), ctx=ctx)
        finally:
            files.remove(keep_output=keep)
        return ToolResult(
            content(shown, ending, after.notices),
            {**structured(args.command, shown, ending, after.notices), **after.hints},
            effects=after.effects,
            failed=ending.failed,
        )

    async def _command(self, command: str, ctx: ToolContext, files: "_Files") -> Command:
        shell = choose_shell(ctx.env)
        capture = self._snapshots.get(shell)
        if capture is None:
            capture = asyncio.create_task(capture_snapshot(shell, ctx.env, ctx.spill))
            self._snapshots[shell] = capture
        snapshot = await asyncio.shield(capture)
        return shell_command(
            shell, command, cwd=ctx.cwd, env=ctx.env, snapshot=snapshot, cwd_file=files.cwd
        )


class _Files(NamedTuple):
    """The private files of one command."""

    output: Path
    cwd: Path
    script: Path

    @classmethod
    def named(cls, folder: Path, name: str) -> "_Files":
        cwd = folder / f"{name}.cwd"
        return cls(folder / f"{name}.txt", cwd, script_path(cwd))

    def last_cwd(self) -> Path | None:
        """Where the shell ended, as far as it could say."""
        try:
            text = os.fsdecode(read_bounded(self.cwd, _LONGEST_PATH)).removesuffix("\n")
        except OSError:
            return None
        return Path(text) if text.startswith("/") else None

    def remove(self, *, keep_output: bool) -> None:
        for path in (self.cwd, self.script, *(() if keep_output else (self.output,))):
            with contextlib.suppress(OSError):
                path.unlink()


async def _ending(child: Child, args: BashInput, ctx: ToolContext) -> Ending:
    """Await the command, telling its newest output every second; stop it at its timeout."""
    timeout = timeout_seconds(args.timeout, ctx.env)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout
    while (left := deadline - loop.time()) > 0:
        ended = await child.wait(min(left, _PROGRESS_SECONDS))
        if ended is not None:
            return ending_of(args.command, ended, None)
        ctx.ports.progress(readable(child.output.tail(_PROGRESS_BYTES)))
    return ending_of(args.command, await child.stop(), timeout)


def timeout_seconds(given: float | None, env: Mapping[str, str]) -> float:
    """The limit in seconds: `given` milliseconds or the default, at most the ceiling."""
    default = positive_number(env.get("BASH_DEFAULT_TIMEOUT_MS"), _DEFAULT_MS)
    ceiling = max(positive_number(env.get("BASH_MAX_TIMEOUT_MS"), _CEILING_MS), default)
    wanted = given if given is not None and given > 0 else default
    return min(wanted, ceiling) / 1000


def _lost_cwd(ctx: ToolContext) -> ToolResult:
    text = (
        f"The working directory {ctx.cwd} no longer exists, so the command was not run.\n"
        f"Shell cwd was reset to {ctx.root}"
    )
    return ToolResult(text, text, effects=(SetCwd(ctx.root),), failed=True)
