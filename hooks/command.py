"""Runs a command hook: shell text, or a program with its arguments."""

import json
import re
import shlex
from pathlib import Path

from hames.hooks.context import HookContext, HookSession
from hames.hooks.environment import hook_environment, option_variable
from hames.hooks.event_table import ENV_FILE_EVENTS
from hames.hooks.ports import RawOutput
from hames.hooks.spec import Command, HookSource, HookSpec
from hames.system import process
from hames.system.files import ensure_private
from hames.system.types import JsonObject

OUTPUT_LIMIT = 4 << 20
"""Bytes kept of each stream; a hook may print more, and what is left out is not JSON any more."""

_GRACE = 1.0
_PLACEHOLDER = re.compile(r"\$\{(CLAUDE_[A-Z_]+|user_config\.[\w.\-]+)\}")


async def run_command(
    spec: HookSpec,
    handler: Command,
    given: JsonObject,
    session: HookSession,
    context: HookContext,
    *,
    timeout: float,
) -> RawOutput:
    """Run the hook with `given` on its stdin; after `timeout` seconds its processes are killed."""
    env = hook_environment(spec, given, session, context)
    stdin = json.dumps(given, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    argv = command_line(handler, spec.source, session)
    command = process.Command(argv, _folder(session, context), env, stdin)
    try:
        if spec.event in ENV_FILE_EVENTS and session.env_file is not None:
            ensure_private(session.env_file.parent)
        ended = await process.run(
            command, timeout=timeout, limit=OUTPUT_LIMIT, grace=_GRACE, end_writers=True
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        return RawOutput(exit_code=None, failure=f"could not start {argv[0]}: {why}")
    if ended.timed_out or ended.exit is None:
        return RawOutput(exit_code=None, failure=f"timed out after {timeout:g} s", timed_out=True)
    return RawOutput(_decoded(ended.stdout), _decoded(ended.stderr), ended.exit.code)


def command_line(handler: Command, source: HookSource, session: HookSession) -> tuple[str, ...]:
    """The program and its arguments."""
    if handler.args is not None:
        return tuple(_filled(part, source, session) for part in (handler.text, *handler.args))
    text = _with_option_variables(handler.text)
    prefix = session.env.get("CLAUDE_CODE_SHELL_PREFIX")
    if prefix:
        text = f"{prefix} {shlex.quote(text)}"
    if handler.shell == "powershell":
        return ("pwsh", "-NoProfile", "-NonInteractive", "-Command", text)
    return ("bash" if handler.shell == "bash" else "sh", "-c", text)


def _filled(text: str, source: HookSource, session: HookSession) -> str:
    """Placeholders as plain strings; unknown ones stay as they are."""
    values = {"CLAUDE_PROJECT_DIR": str(session.project_dir)}
    if source.plugin is not None:
        values["CLAUDE_PLUGIN_ROOT"] = str(source.plugin.root)
        values["CLAUDE_PLUGIN_DATA"] = str(source.plugin.data)
        values |= {f"user_config.{key}": value for key, value in source.plugin.options.items()}
    return _PLACEHOLDER.sub(lambda found: values.get(found.group(1), found.group()), text)


def _with_option_variables(text: str) -> str:
    """`${user_config.key}` as a variable, so that no option's value is read as shell text."""

    def variable(found: re.Match[str]) -> str:
        name = found.group(1)
        if not name.startswith("user_config."):
            return found.group()
        return f"${{{option_variable(name.removeprefix('user_config.'))}}}"

    return _PLACEHOLDER.sub(variable, text)


def _folder(session: HookSession, context: HookContext) -> Path:
    """The working directory, or the nearest that still exists."""
    for folder in (context.cwd, session.project_dir, *session.project_dir.parents):
        if folder.is_dir():
            return folder
    return Path("/")


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")
