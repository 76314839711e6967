"""Every flag of a run, in the groups in which `--help` shows them."""

from collections.abc import Callable
from typing import Any

import click

from hames.cli.commands.registry import COMMANDS

EFFORTS = ("low", "medium", "high", "xhigh", "max", "ultracode")
MODES = ("default", "manual", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions")
IGNORED = (
    "--ide",
    "--chrome",
    "--no-chrome",
    "--ax-screen-reader",
    "--prompt-suggestions",
    "--enable-auto-mode",
    "--mcp-debug",
    "--debug-to-stderr",
)
"""Accepted by name for programs that pass them; they have no effect here."""

SILENT = ("--debug-to-stderr", "--mcp-debug")
"""Those among them that nobody misses."""


def _flag(*names: str, help: str = "", hidden: bool = False) -> click.Option:
    return click.Option(names, is_flag=True, help=help, hidden=hidden)


def _value(*names: str, metavar: str, help: str = "", **more: Any) -> click.Option:
    return click.Option(names, metavar=metavar, help=help, **more)


def _list(*names: str, metavar: str, help: str) -> click.Option:
    return click.Option(names, metavar=metavar, help=help, multiple=True)


def _choice(name: str, options: tuple[str, ...], help: str, **more: Any) -> click.Option:
    return click.Option([name], type=click.Choice(options), help=help, **more)


PRINTING: list[click.Parameter] = [
    _flag("-p", "--print", "print_", help="Answer one prompt and exit; for scripts and CI."),
    _choice("--output-format", ("text", "json", "stream-json"), "What print mode writes."),
    _choice("--input-format", ("text", "stream-json"), "What print mode reads."),
    _flag("--include-partial-messages", help="Stream the raw events of the model too."),
    _flag("--include-hook-events", help="Stream every hook run."),
    _flag("--replay-user-messages", help="Send consumed messages back with their uuid."),
    _flag("--verbose", help="Show the whole turn; stream-json output with -p needs it."),
    _value("--json-schema", metavar="JSON", help="Not supported yet.", hidden=True),
]

MODEL: list[click.Parameter] = [
    _value("--model", metavar="NAME", help="sonnet, opus, haiku, fable, best or a full id."),
    _value("--fallback-model", metavar="LIST", help="Models to try when one is overloaded."),
    _choice("--effort", EFFORTS, "How hard the model thinks."),
    _choice("--thinking", ("adaptive", "disabled"), "", hidden=True),
    _value("--max-thinking-tokens", metavar="N", type=click.IntRange(min=0), hidden=True),
    _choice("--thinking-display", ("summarized", "omitted"), "", hidden=True),
    _value("--task-budget", metavar="N", type=click.IntRange(min=1), hidden=True),
    _list("--betas", metavar="LIST", help="Beta headers to send."),
]

LIMITS: list[click.Parameter] = [
    _value("--max-turns", metavar="N", type=int, help="Tool round trips per turn."),
    _value("--max-budget-usd", metavar="X", type=float, help="Stop at this cost."),
    _value("--max-seconds", metavar="X", type=float, help="Stop after this time."),
    _value("--max-total-tokens", metavar="N", type=int, help="Stop after this many tokens."),
]

PERMISSIONS: list[click.Parameter] = [
    _choice("--permission-mode", MODES, "The mode that the session starts in."),
    _flag("--dangerously-skip-permissions", help="Same as bypassPermissions."),
    _flag("--allow-dangerously-skip-permissions", help="Let the mode be chosen later."),
    _list("--allowedTools", "--allowed-tools", metavar="RULES", help="Rules to allow."),
    _list("--disallowedTools", "--disallowed-tools", metavar="RULES", help="Rules to deny."),
    _list("--tools", metavar="NAMES", help='Tools to offer: "" none, default all, or a list.'),
    _list("--add-dir", metavar="DIRS", help="Further directories that tools may use."),
    _value("--permission-prompt-tool", metavar="NAME", hidden=True),
]

SESSION: list[click.Parameter] = [
    _flag("-c", "--continue", "continue_", help="Go on with the newest session here."),
    _value("-r", "--resume", metavar="[ID]", help="Go on with a session by id or title."),
    _flag("--fork-session", help="Go on in a copy with an id of its own."),
    _value("--session-id", metavar="UUID", help="The id of the new session."),
    _value("--resume-session-at", metavar="UUID", hidden=True),
    _value("--resume-drops-turn", metavar="UUID", hidden=True),
    _value("-n", "--name", metavar="TEXT", help="A name for the session.", hidden=True),
    _flag("--no-session-persistence", help="Write no transcript (print mode)."),
    _flag("--session-mirror", hidden=True),
    _flag("--init", help="Run the Setup hooks for init first."),
    _flag("--init-only", help="Run the Setup and SessionStart hooks and exit."),
    _flag("--maintenance", help="Run the Setup hooks for maintenance first."),
]

PROMPT: list[click.Parameter] = [
    _value("--system-prompt", metavar="TEXT", help="Replace the system prompt."),
    _value("--system-prompt-file", metavar="PATH", help="Replace it by a file."),
    _value("--append-system-prompt", metavar="TEXT", help="Add to the system prompt."),
    _value("--append-system-prompt-file", metavar="PATH", help="Add a file to it."),
    _value("--settings", metavar="FILE|JSON", help="Settings of this run."),
    _value("--setting-sources", metavar="LIST", help="user, project, local; empty for none."),
    _flag("--disable-slash-commands", help="No skills and no commands."),
    _flag("--bare", help="No hooks, skills, memory or CLAUDE.md; Bash, Read and Edit only."),
    _flag("--safe-mode", help="Leave out all customisations; policy and permissions hold."),
    _flag(
        "--exclude-dynamic-system-prompt-sections",
        help="Move what differs per session out of the system prompt.",
    ),
    _value("--agents", metavar="JSON", help="Agents of this run by name."),
    _value("--agent", metavar="NAME", help="Run the session as this agent."),
    _list("--plugin-dir", metavar="DIR", help="A local plugin for this run."),
    _list("--mcp-config", metavar="FILES", help="MCP servers of this run (not supported yet)."),
    _flag("--strict-mcp-config", hidden=True),
    _flag("--forward-subagent-text", hidden=True),
    _value("--debug", metavar="[=FILTER]", help="Write a debug log.", hidden=True),
    _value("--debug-file", metavar="PATH", hidden=True),
    *(_flag(name, hidden=True) for name in IGNORED),
]

FLAGS: list[click.Parameter] = [
    *PRINTING,
    *MODEL,
    *LIMITS,
    *PERMISSIONS,
    *SESSION,
    *PROMPT,
    click.Argument(["prompt"], nargs=-1),
]


def command(run: Callable[..., int]) -> click.Command:
    """The command without a name; `run` gets every flag by its name."""
    return click.Command(
        "hames",
        params=FLAGS,
        callback=run,
        help="Run a coding agent in the current directory.",
        epilog=_epilog(),
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )


def _epilog() -> str:
    rows = "\n".join(f"  {name:<12} {text}" for name, text in COMMANDS.items())
    return f"\b\nCommands:\n{rows}"
