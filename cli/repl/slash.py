"""Commands that the REPL answers itself; all others go to the engine as messages."""

import difflib
from collections.abc import Mapping, Sequence

from hames.cli.paint import Paint
from hames.cli.repl.status import MODE_NAMES
from hames.cli.repl.view import View
from hames.harness.commands import split_command

OWN: Mapping[str, str] = {
    "exit": "leave hames",
    "quit": "leave hames",
    "help": "keys and commands",
    "resume": "go on with another session",
    "continue": "go on with another session",
    "mode": "show or change the permission mode",
    "status": "this session at a glance",
    "model": "show or change the model",
    "effort": "show or change how hard the model thinks",
    "cost": "what this session has cost",
    "usage": "what this session has cost",
}
"""Name and one line of each; they work at any time, also while a turn runs."""

ENGINE: Mapping[str, str] = {
    "clear": "start a new conversation",
    "new": "start a new conversation",
    "reset": "start a new conversation",
}

KEYS: Sequence[tuple[str, str]] = (
    ("Enter", "send; while hames works, queue"),
    ("Ctrl-J, Alt-Enter, \\ Enter", "new line"),
    ("Up", "take queued messages back; earlier messages"),
    ("Esc", "interrupt; queued messages go on"),
    ("Ctrl-C", "interrupt; when idle clear, twice leave"),
    ("Ctrl-D", "leave"),
    ("Shift-Tab", "next permission mode"),
    ("Ctrl-Z", "suspend"),
)


def own_command(text: str) -> tuple[str, str] | None:
    """Name and arguments of a command of the REPL; None for everything else."""
    command = split_command(text) if text.startswith("/") else None
    return command if command is not None and command[0] in OWN else None


def unknown_command(text: str, known: Sequence[str]) -> str | None:
    """What to say about a command that nobody knows; None when there is nothing to say."""
    command = split_command(text) if text.startswith("/") else None
    if command is None or command[0] in known or command[0] in OWN or not known:
        return None
    near = difflib.get_close_matches(command[0], [*OWN, *known], n=1)
    hint = f". Did you mean /{near[0]}?" if near else ""
    return f"Unknown command: /{command[0]}{hint}"


def completions(view: View) -> list[tuple[str, str]]:
    """Every command with a line about it, by name."""
    names = {name: "" for name in view.commands} | dict(ENGINE) | dict(OWN)
    return sorted(names.items())


def help_rows(view: View, paint: Paint) -> list[str]:
    """Keys and commands."""
    rows = [paint("bold", "Keys")]
    rows += [f"  {key:<28}{paint('dim', about)}" for key, about in KEYS]
    rows += ["", paint("bold", "Commands")]
    rows += [f"  /{name:<27}{paint('dim', about)}" for name, about in completions(view)]
    return rows


def status_text(view: View) -> str:
    """This session at a glance."""
    rows = {
        "session": view.session_id,
        "file": view.transcript or "not stored",
        "folder": view.cwd,
        "model": view.model,
        "mode": f"{view.mode} ({MODE_NAMES.get(view.mode, view.mode)})",
        "cost": f"${view.cost:.4f}",
        "queued": str(len(view.queued)),
    }
    return "\n".join(f"{name:<9}{value}" for name, value in rows.items())
