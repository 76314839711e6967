"""The environment of a hook's process."""

import os
import shlex

from hames.hooks.context import HookContext, HookSession
from hames.hooks.event_table import ENV_FILE_EVENTS
from hames.hooks.spec import HookSpec, Plugin
from hames.system.environment import inherited
from hames.system.types import JsonObject, is_object

_LONGEST = 100_000
"""Bytes of one value; the system refuses to start a program with values above 128 KiB."""


def hook_environment(
    spec: HookSpec, given: JsonObject, session: HookSession, context: HookContext
) -> dict[str, str]:
    """What the process inherits plus what hook scripts look for; `given` is its stdin."""
    own = {
        "CLAUDE_PROJECT_DIR": str(session.project_dir),
        "CLAUDECODE": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_CODE_SESSION_ID": session.session_id,
        "CLAUDE_PID": str(os.getpid()),
        "CLAUDE_HOOK_EVENT_NAME": spec.event,
        "CLAUDE_SESSION_ID": session.session_id,
        "CLAUDE_TRANSCRIPT_PATH": str(session.transcript_path),
        **_of_tool(given),
    }
    if context.effort is not None:
        own["CLAUDE_EFFORT"] = context.effort
    agent = given.get("agent_type")
    if isinstance(agent, str):
        own["CLAUDE_AGENT_NAME"] = agent
    if session.env_file is not None and spec.event in ENV_FILE_EVENTS:
        own["CLAUDE_ENV_FILE"] = str(session.env_file)
    if spec.source.plugin is not None:
        own.update(_of_plugin(spec.source.plugin))
    usable = {key: value for key, value in own.items() if _fits(value)}
    return {**inherited(session.env), **usable}


def _of_tool(given: JsonObject) -> dict[str, str]:
    """Variables outside the documentation that many scripts use instead of reading stdin."""
    told: dict[str, str] = {}
    name, tool_input = given.get("tool_name"), given.get("tool_input")
    if isinstance(name, str):
        told["CLAUDE_TOOL_NAME"] = name
    fields = tool_input if is_object(tool_input) else given
    path = fields.get("file_path") or fields.get("notebook_path")
    if isinstance(path, str):
        told["CLAUDE_TOOL_FILE_PATH"] = path
        told["CLAUDE_FILE_PATHS"] = shlex.quote(path)
    command = fields.get("command")
    if isinstance(command, str):
        told["CLAUDE_TOOL_COMMAND"] = command
    return told


def _of_plugin(plugin: Plugin) -> dict[str, str]:
    options = {option_variable(key): value for key, value in plugin.options.items()}
    return {
        "CLAUDE_PLUGIN_ROOT": str(plugin.root),
        "CLAUDE_PLUGIN_DATA": str(plugin.data),
        **options,
    }


def option_variable(key: str) -> str:
    """The variable that holds a plugin's option."""
    name = "".join(char if char.isascii() and char.isalnum() else "_" for char in key)
    return f"CLAUDE_PLUGIN_OPTION_{name.upper()}"


def _fits(value: str) -> bool:
    try:
        return len(os.fsencode(value)) <= _LONGEST and "\0" not in value
    except UnicodeEncodeError:
        return False
