"""`hames [flags] [prompt]`: the flags, checked and turned into a run."""

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from hames.cli.argv import split_commas, split_rules
from hames.cli.flags import IGNORED, SILENT
from hames.cli.print_mode import Front, PrintOptions, prompt_front, run_print, tell_failure
from hames.cli.stdin import prompt_from
from hames.harness.caps import Caps
from hames.harness.errors import UsageError
from hames.harness.resume_point import REJECTED
from hames.harness.run_config import RunConfig, SystemFlags
from hames.system.types import JsonObject, is_object

WITHOUT_PROMPT = "send the prompt as a message on stdin, not as an argument"
NEEDS_VERBOSE = "When using --print, --output-format=stream-json requires --verbose"
NO_TERMINAL_INPUT = "stdin is no terminal; use hames -p to answer one prompt"
CLIENT_MODE = "hames.cli.client_mode"
"""Imported only for programs that talk to the session."""

MAX_PROMPT_FILE = 2 << 20


def run(**given: Any) -> int:
    """Run what the flags ask for; the exit code."""
    if not _is_headless(given):
        return _run_repl(given)
    try:
        options = _print_options(given)
        config = _logged(given, run_config(given))
        front = _front(given, options)
    except UsageError as error:
        tell_failure(str(error), given["output_format"], sys.stdout.write, given["session_id"])
        raise
    return run_print(config, front, options)


def _logged(given: dict[str, Any], config: RunConfig) -> RunConfig:
    """The run with its debug log open, when one was asked for."""
    words, file = given["debug"], given["debug_file"]
    if words is None and file is None:
        return config
    opened: RunConfig = import_module("hames.cli.debug_log").with_debug_log(config, words, file)
    return opened


def _front(given: dict[str, Any], options: PrintOptions) -> Front:
    """Where the run gets its messages from: the client on stdin, or one prompt."""
    words: tuple[str, ...] = given["prompt"]
    if options.input_format == "stream-json":
        if words:
            raise UsageError(f"--input-format=stream-json: {WITHOUT_PROMPT}")
        make: Callable[[PrintOptions], Front] = import_module(CLIENT_MODE).client_front
        return make(options)
    if given["init_only"]:
        return prompt_front(None, options)
    resumes = given["continue_"] or given["resume"] is not None
    text = prompt_from(" ".join(words) if words else None, required=not resumes)
    return prompt_front(text, options)


def _run_repl(given: dict[str, Any]) -> int:
    """The interactive program; its libraries are loaded on this path only."""
    if not sys.stdin.isatty():
        raise UsageError(NO_TERMINAL_INPUT)
    words: tuple[str, ...] = given["prompt"]
    prompt = " ".join(words) if words else None
    run_repl: Callable[..., int] = import_module("hames.cli.repl.app").run_repl
    return run_repl(_logged(given, run_config(given)), prompt, pick=given["resume"] == "")


def _is_headless(given: dict[str, Any]) -> bool:
    asked = given["print_"] or given["init_only"] or given["input_format"] == "stream-json"
    return asked or given["output_format"] is not None or not sys.stdout.isatty()


def _print_options(given: dict[str, Any]) -> PrintOptions:
    """How print mode reads and writes. Raises UsageError for combinations that cannot work."""
    output, input_ = given["output_format"] or "text", given["input_format"] or "text"
    if input_ == "stream-json" and output != "stream-json":
        raise UsageError("--input-format=stream-json requires --output-format=stream-json")
    if given["print_"] and output == "stream-json" and not given["verbose"]:
        raise UsageError(NEEDS_VERBOSE)
    for flag, name in (
        ("include_partial_messages", "--include-partial-messages"),
        ("include_hook_events", "--include-hook-events"),
        ("replay_user_messages", "--replay-user-messages"),
    ):
        if given[flag] and output != "stream-json":
            raise UsageError(f"{name} requires --output-format=stream-json")
    return PrintOptions(
        output_format=output,
        input_format=input_,
        verbose=given["verbose"],
        partial=given["include_partial_messages"],
        hook_events=given["include_hook_events"],
        replay=given["replay_user_messages"],
        asks_client=given["permission_prompt_tool"] == "stdio",
    )


def run_config(given: dict[str, Any]) -> RunConfig:
    """The run that the flags describe. Raises UsageError that names the flag."""
    _check_resume(given)
    sources = given["setting_sources"]
    return RunConfig(
        cwd=_cwd(),
        model=given["model"],
        fallback_models=split_commas([given["fallback_model"] or ""]),
        effort=given["effort"],
        thinking=given["thinking"],
        thinking_display=given["thinking_display"],
        max_thinking_tokens=given["max_thinking_tokens"],
        task_budget=given["task_budget"],
        betas=split_commas(given["betas"]),
        permission_mode=given["permission_mode"],
        skip_permissions=given["dangerously_skip_permissions"],
        allow_skip_permissions=given["allow_dangerously_skip_permissions"],
        allowed_tools=split_rules(given["allowedtools"]),
        disallowed_tools=split_rules(given["disallowedtools"]),
        tools=split_commas(given["tools"]) if given["tools"] else None,
        add_dirs=_directories(given["add_dir"]),
        system=_system_flags(given),
        settings=given["settings"],
        setting_sources=None if sources is None else _sources(sources),
        session_id=given["session_id"],
        resume=given["resume"] or None,
        resume_last=given["continue_"],
        resume_at=given["resume_session_at"],
        resume_drops=given["resume_drops_turn"],
        fork=given["fork_session"],
        persist=_persists(given),
        mirror=given["session_mirror"],
        caps=_caps(given),
        answerable=_answerable(given),
        entrypoint=os.environ.get("CLAUDE_CODE_ENTRYPOINT") or "cli",
        setup=_setup(given),
        bare=given["bare"] or os.environ.get("CLAUDE_CODE_SIMPLE", "") in ("1", "true"),
        safe=given["safe_mode"],
        agents=_agents(given["agents"]),
        agent=given["agent"],
        plugin_dirs=tuple(Path(path).expanduser() for path in given["plugin_dir"]),
        slash_commands=not given["disable_slash_commands"],
        notices=_without_effect(given),
    )


def _without_effect(given: dict[str, Any]) -> tuple[str, ...]:
    """One line per flag that is read and does nothing yet. Raises UsageError for those whose
    absence would make the result of the run wrong."""
    if given["json_schema"] is not None:
        raise UsageError("--json-schema is not supported yet")
    tool = given["permission_prompt_tool"]
    if tool not in (None, "stdio"):
        raise UsageError(
            f"MCP tool {tool} (passed via --permission-prompt-tool) not found. "
            "Available MCP tools: none"
        )
    names = [name for name in IGNORED if given[name.strip("-").replace("-", "_")]]
    notices = [f"{name} has no effect in hames." for name in names if name not in SILENT]
    if given["mcp_config"] or given["strict_mcp_config"]:
        notices.append("--mcp-config has no effect yet: hames does not connect to MCP servers.")
    return tuple(notices)


def _check_resume(given: dict[str, Any]) -> None:
    """Raises UsageError for flags of resuming that do not fit together."""
    at, drops = given["resume_session_at"], given["resume_drops_turn"]
    if given["continue_"] and given["resume"] is not None:
        raise UsageError("--continue and --resume exclude each other")
    if given["resume"] == "" and _is_headless(given):
        raise UsageError("--resume needs a session id or title in print mode")
    if at is not None and not (given["resume"] or given["continue_"]):
        raise UsageError("--resume-session-at requires --resume")
    if drops == "":
        raise UsageError(f"{REJECTED} its value is empty; it must be the uuid of a prompt")
    if drops is not None and not at:
        raise UsageError("--resume-drops-turn requires --resume-session-at")


def _answerable(given: dict[str, Any]) -> frozenset[str]:
    """The questions that a program on stdin answers from the start; its hooks add theirs."""
    client = given["input_format"] == "stream-json"
    asked = client and given["permission_prompt_tool"] == "stdio"
    return frozenset({"permission"} if asked else ())


def _agents(text: str | None) -> JsonObject | None:
    """The object of `--agents`: name to definition."""
    if text is None:
        return None
    try:
        given: Any = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--agents is not valid JSON: {error}") from None
    if not is_object(given) or not all(is_object(each) for each in given.values()):
        raise UsageError('--agents must be an object like {"name": {"description": "..."}}')
    return given


def _setup(given: dict[str, Any]) -> str | None:
    """The trigger of the Setup hooks, if they are to run."""
    if given["init"] or given["init_only"]:
        return "init"
    return "maintenance" if given["maintenance"] else None


def _cwd() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise UsageError("The current working directory no longer exists") from None


def _persists(given: dict[str, Any]) -> bool:
    skipped = os.environ.get("CLAUDE_CODE_SKIP_PROMPT_HISTORY", "") in ("1", "true")
    return not (given["no_session_persistence"] or skipped)


def _sources(text: str) -> tuple[str, ...]:
    names = split_commas([text])
    unknown = [name for name in names if name not in ("user", "project", "local")]
    if unknown:
        raise UsageError(
            f"--setting-sources: {unknown[0]!r} is unknown; choose from user, project, local"
        )
    return names


def _directories(values: tuple[str, ...]) -> tuple[Path, ...]:
    paths = [Path(value).expanduser() for value in split_commas(values)]
    for path in paths:
        if not path.is_dir():
            raise UsageError(f"--add-dir: {path} is not a directory")
    return tuple(path.absolute() for path in paths)


def _system_flags(given: dict[str, Any]) -> SystemFlags:
    system, system_file = given["system_prompt"], given["system_prompt_file"]
    if system is not None and system_file is not None:
        raise UsageError("--system-prompt and --system-prompt-file exclude each other")
    if system_file is not None:
        system = _file_text("--system-prompt-file", system_file)
    append = [given["append_system_prompt"]]
    if given["append_system_prompt_file"] is not None:
        append.append(_file_text("--append-system-prompt-file", given["append_system_prompt_file"]))
    added = "\n\n".join(text for text in append if text)
    moved = given["exclude_dynamic_system_prompt_sections"]
    return SystemFlags(system, added or None, moved)


def _file_text(flag: str, path: str) -> str:
    try:
        file = Path(path).expanduser()
        if not file.is_file() or file.stat().st_size > MAX_PROMPT_FILE:
            raise UsageError(f"{flag}: {path} is not a regular file of at most 2 MiB")
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{flag}: {path} is not UTF-8 text") from None
    except OSError as error:
        raise UsageError(f"{flag}: cannot read {path}: {error.strerror}") from None


def _caps(given: dict[str, Any]) -> Caps:
    turns = given["max_turns"]
    variable = os.environ.get("CLAUDE_CODE_MAX_TURNS")
    if turns is None and variable:
        if not variable.isdigit() or int(variable) < 1:
            raise UsageError("CLAUDE_CODE_MAX_TURNS must be a positive whole number")
        turns = int(variable)
    caps = Caps(turns, given["max_budget_usd"], given["max_seconds"], given["max_total_tokens"])
    for name in ("max_turns", "max_budget_usd", "max_seconds", "max_total_tokens"):
        value = getattr(caps, name)
        if value is not None and not value > 0:
            raise UsageError(f"--{name.replace('_', '-')} must be greater than 0")
    return caps
