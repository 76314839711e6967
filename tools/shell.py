"""The user's shell: which one, its aliases and functions, and the script around a command."""

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from hames.system.environment import inherited
from hames.system.files import ensure_private, write_private
from hames.system.process import Command, run

SNAPSHOT_SECONDS = 2.0
"""A start-up file that takes longer is left out."""

_SNAPSHOT_BYTES = 4 << 20
_LONGEST_ARGUMENT = 100_000
_MARK = "hames-shell-snapshot"

_CAPTURE = {
    "bash": (
        "before=$(shopt -p; set +o); . {rc} >/dev/null 2>&1 </dev/null; "
        "printf '%s\\n{mark}\\n' \"$before\"; shopt -p; set +o; echo {mark}; "
        "declare -f; alias -p; echo {mark}"
    ),
    "zsh": (
        "before=$(setopt); . {rc} >/dev/null 2>&1 </dev/null; "
        "printf '%s\\n{mark}\\n' \"$before\"; setopt; echo {mark}; "
        "functions; alias -L; echo {mark}"
    ),
}
_START_FILES = {"bash": (".bashrc", ".profile"), "zsh": (".zshrc", ".profile")}
_QUIET = {
    "CLAUDECODE": "1",
    "CLAUDE_CODE_CHILD_SESSION": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "DEBIAN_FRONTEND": "noninteractive",
    "SSH_ASKPASS_REQUIRE": "never",
}


class Shell(NamedTuple):
    """A shell's absolute path; `kind` is `bash`, `zsh` or `sh`."""

    path: str
    kind: str


def choose_shell(env: Mapping[str, str]) -> Shell:
    """CLAUDE_CODE_SHELL, else SHELL when it is bash or zsh, else zsh, bash or sh on PATH."""
    for wanted in (env.get("CLAUDE_CODE_SHELL"), env.get("SHELL"), "zsh", "bash"):
        kind = Path(wanted).name if wanted else ""
        path = shutil.which(wanted, path=env.get("PATH")) if wanted else None
        if path and kind in _CAPTURE:
            return Shell(path, kind)
    return Shell("/bin/sh", "sh")


def shell_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What a command inherits: nothing in it can open a prompt or an editor."""
    return {**inherited(env), **_QUIET}


async def capture_snapshot(shell: Shell, env: Mapping[str, str], folder: Path) -> Path | None:
    """A private file with the aliases, functions and options of the user's start-up file.

    None without such a file, or when it fails, ends the shell or takes too long.
    """
    home = Path(env.get("HOME") or "/")
    names = _START_FILES.get(shell.kind, ())
    found = next((home / name for name in names if (home / name).is_file()), None)
    if found is None:
        return None
    script = _CAPTURE[shell.kind].format(rc=shlex.quote(str(found)), mark=_MARK)
    command = Command((shell.path, "-c", script), home, shell_environment(env))
    try:
        finished = await run(command, timeout=SNAPSHOT_SECONDS, limit=_SNAPSHOT_BYTES, grace=0.2)
        text = _snapshot_text(finished.stdout.decode("utf-8", "surrogateescape"), shell.kind)
        if finished.timed_out or finished.truncated or not text:
            return None
        ensure_private(folder)
        path = folder / f"shell-snapshot-{shell.kind}.sh"
        write_private(path, text.encode("utf-8", "surrogateescape"))
    except OSError:
        return None
    return path


def _snapshot_text(captured: str, kind: str) -> str:
    sections = captured.split(f"{_MARK}\n")
    if len(sections) != 4:
        return ""
    before, after, definitions, _ = sections
    known = set(before.splitlines())
    changed = [line for line in after.splitlines() if line not in known]
    if kind == "zsh":
        changed = [f"setopt {line}" for line in changed]
    elif "alias " in definitions:
        changed.append("shopt -s expand_aliases")
    return "\n".join([*changed, definitions]) if changed or definitions.strip() else ""


def shell_command(
    shell: Shell,
    command: str,
    *,
    cwd: Path,
    env: Mapping[str, str],
    snapshot: Path | None,
    cwd_file: Path,
) -> Command:
    """The process for a command line; it leaves its last directory in `cwd_file`.

    Raises OSError when the script is too long for an argument and cannot be written.
    """
    env_file = env.get("CLAUDE_ENV_FILE")
    script = _script(command, snapshot, env_file, cwd_file)
    if len(script.encode("utf-8", "surrogateescape")) > _LONGEST_ARGUMENT:
        path = script_path(cwd_file)
        write_private(path, command.encode("utf-8", "surrogateescape"))
        script = _script(f". {shlex.quote(str(path))}", snapshot, env_file, cwd_file)
    prefix = env.get("CLAUDE_CODE_SHELL_PREFIX")
    if prefix:
        script = f"{prefix} {shlex.quote(script)}"
    return Command((shell.path, "-c", script), cwd, shell_environment(env))


def script_path(cwd_file: Path) -> Path:
    """Where a command that is too long for an argument is written."""
    return cwd_file.with_suffix(".sh")


def _script(command: str, snapshot: Path | None, env_file: str | None, cwd_file: Path) -> str:
    """One line before the command, so that the shell's line numbers stay those of the command."""
    steps: list[str] = []
    if snapshot is not None:
        steps.append(f". {shlex.quote(str(snapshot))} 2>/dev/null")
    if env_file and Path(env_file).is_file():
        steps.append(f". {shlex.quote(env_file)}")
    record = f"command pwd -P 2>/dev/null >| {shlex.quote(str(cwd_file))}"
    steps.append(f"trap {shlex.quote(record)} EXIT")
    steps.append(f"eval {shlex.quote(command)}")
    return "; ".join(steps)
