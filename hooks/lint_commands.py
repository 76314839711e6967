"""Whether the program of a command hook is there and can be started."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from hames.hooks.spec import Command, HookSource

_INTERPRETERS = frozenset(
    {"bash", "sh", "zsh", "dash", "python", "python3", "node", "bun", "deno", "ruby", "perl"}
)
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.+\-]+")
_SHELL_WORDS = """
! [ [[ { ( . : alias bg case cd command echo eval exec exit export false fg for function if jobs
kill local printf pwd read return set shift source test time trap true type ulimit umask unset
until wait while
"""


def command_faults(handler: Command, source: HookSource, project_dir: Path) -> Iterator[str]:
    """Files that are missing or cannot be run; shell text too clever to follow has none."""
    if handler.shell == "powershell":
        if shutil.which("pwsh") is None:
            yield "pwsh (PowerShell) is not installed"
        return
    known = _known_variables(source, project_dir)
    if handler.args is not None:
        words = [handler.text, *handler.args]
    else:
        words = _first_command(handler.text)
    resolved = [_resolved(word, known) for word in words]
    if resolved and resolved[0] is not None:
        yield from _program_faults(resolved[0], resolved[1:], project_dir, handler.args is None)


def _known_variables(source: HookSource, project_dir: Path) -> dict[str, str]:
    known = {"CLAUDE_PROJECT_DIR": str(project_dir), "HOME": str(Path.home())}
    if source.plugin is not None:
        known["CLAUDE_PLUGIN_ROOT"] = str(source.plugin.root)
        known["CLAUDE_PLUGIN_DATA"] = str(source.plugin.data)
    return known


def _first_command(text: str) -> list[str]:
    """The words of the first simple command; empty when quotes do not close."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if set(word) <= set(";&|<>()\n"):
                break
            if words or not _ASSIGNMENT.fullmatch(word):
                words.append(word)
    except ValueError:
        return []
    return words


def _resolved(word: str, known: dict[str, str]) -> str | None:
    """The word with known variables filled in; None when the shell would do more with it."""
    missing = False

    def value(found: re.Match[str]) -> str:
        nonlocal missing
        name = found.group(1) or found.group(2)
        missing = missing or name not in known
        return known.get(name, "")

    text = _VARIABLE.sub(value, word)
    if missing or re.search(r"[$`*?\[]", text):
        return None
    return str(Path.home()) + text[1:] if text.startswith("~/") else text


def _program_faults(
    program: str, rest: list[str | None], project_dir: Path, shell: bool
) -> Iterator[str]:
    if "/" in program:
        yield from _file_faults(program, project_dir, run=True)
        return
    if shell and program in _SHELL_WORDS.split():
        return
    if _PLAIN_NAME.fullmatch(program) and shutil.which(program) is None:
        yield f"{program} is not installed (not found on PATH)"
    script = next((word for word in rest if word is None or not word.startswith("-")), None)
    inline = any(word in ("-c", "-e", "-m") for word in rest)
    if program in _INTERPRETERS and not inline and script is not None and "/" in script:
        yield from _file_faults(script, project_dir, run=False)


def _file_faults(name: str, project_dir: Path, *, run: bool) -> Iterator[str]:
    path = Path(name)
    if not path.is_absolute():
        yield f'{name} is looked up in the working directory: write "$CLAUDE_PROJECT_DIR"/{name}'
        path = project_dir / path
    if not path.exists():
        yield f"{path} does not exist"
    elif path.is_dir():
        yield f"{path} is a directory"
    elif run and not os.access(path, os.X_OK):
        yield f"{path} is not executable: chmod +x it"
    elif run and _has_carriage_return(path):
        yield f"{path} has Windows line ends, so the system does not find its interpreter"


def _has_carriage_return(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            line = file.readline(256)
    except OSError:
        return False
    return line.startswith(b"#!") and line.endswith(b"\r\n")
