"""The texts and the output object of a finished command."""

import re
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hames.system.output import OutputFile
from hames.system.process import Exit
from hames.system.spill import EDGE
from hames.system.text import head_tail, settle_progress, visible
from hames.system.types import JsonObject
from hames.tools.exit_codes import meaning_of_one
from hames.tools.simple_commands import simple_commands

SUCCESS_CHARS = 30_000
FAILURE_CHARS = 10_000
_WIDEST = 4
"""Bytes of the longest UTF-8 character."""

_COLOURS = re.compile(r"\x1b\[[0-9;:]*[mK]")
_SILENT = frozenset(
    ("cd", "chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "rmdir", "set", "touch")
)


class Shown(NamedTuple):
    """Output as the model sees it; `path` and `size` (bytes) when it is not all of it."""

    text: str
    path: Path | None = None
    size: int | None = None


class Ending(NamedTuple):
    """How a command ended. `meaning` explains an exit code 1 that is no failure.

    `timeout` is the limit in seconds that it exceeded.
    """

    exit: Exit
    meaning: str | None
    timeout: float | None

    @property
    def failed(self) -> bool:
        """Whether the result is an error."""
        return self.exit.code != 0 and self.meaning is None


def ending_of(command: str, exit: Exit, timeout: float | None) -> Ending:
    """The judgement on an exit; `timeout` when the command was stopped for it."""
    plain = exit.code == 1 and timeout is None
    return Ending(exit, meaning_of_one(command) if plain else None, timeout)


def show_output(output: OutputFile, env: Mapping[str, str], *, failed: bool) -> Shown:
    """All of the output within the inline caps, else its two ends and where the whole lies."""
    cap = FAILURE_CHARS if failed else SUCCESS_CHARS
    cap = min(cap, positive_number(env.get("BASH_MAX_OUTPUT_LENGTH"), cap))
    written = output.written
    if written <= max(cap * _WIDEST, 1 << 16):
        text = readable(output.head(written))
        if len(text) <= cap:
            return Shown(text)
    else:
        head, tail = output.head(cap * _WIDEST), output.tail(cap * _WIDEST)
        text = f"{readable(head)}\n{readable(tail)}"
    edges = cap if failed else min(cap, 2 * EDGE)
    where = "" if output.path is None else f"; the whole output is in {output.path}"
    note = f"[... the middle of {written} bytes is left out here{where} ...]"
    return Shown(head_tail(text, edges, note), output.path, written)


def readable(data: bytes) -> str:
    """Bytes of a program as text without colours, redrawn lines and control characters."""
    text = _COLOURS.sub("", data.decode("utf-8", "replace"))
    return visible(settle_progress(text.replace("\r\n", "\n"))).rstrip("\n")


def content(shown: Shown, ending: Ending, notices: Sequence[str]) -> str:
    """What the model reads; a failure starts with `Exit code N`."""
    parts: list[str] = []
    if ending.failed:
        parts.append(f"Exit code {_shell_code(ending.exit.code)}")
        parts += _reasons(ending)
    if shown.text:
        parts.append(shown.text)
    elif ending.meaning is None and not ending.failed:
        parts.append("(no output)")
    if ending.meaning is not None:
        parts.append(f"({ending.meaning})")
    return "\n".join([*parts, *notices])


def structured(command: str, shown: Shown, ending: Ending, notices: Sequence[str]) -> JsonObject:
    """The public output object."""
    found: JsonObject = {
        "stdout": shown.text,
        "stderr": "\n".join(notices),
        "interrupted": ending.timeout is not None,
        "isImage": False,
        "noOutputExpected": _is_silent(command),
    }
    if ending.meaning is not None:
        found["returnCodeInterpretation"] = ending.meaning
    if shown.path is not None:
        found["persistedOutputPath"] = str(shown.path)
        found["persistedOutputSize"] = shown.size
    return found


def _reasons(ending: Ending) -> list[str]:
    if ending.timeout is not None:
        return [f"The command did not end within its timeout of {ending.timeout:g} s: stopped."]
    if ending.exit.overflowed:
        return ["The command wrote more output than is allowed: stopped."]
    if ending.exit.code < 0:
        return [f"The command was killed by {_signal_name(-ending.exit.code)}."]
    return []


def _shell_code(code: int) -> int:
    return code if code >= 0 else 128 - code


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _is_silent(command: str) -> bool:
    parts = simple_commands(command)
    return bool(parts) and all(part.words[0] in _SILENT for part in parts or ())


def positive_number(text: str | None, default: int) -> int:
    """A whole number above zero from an environment variable, else `default`."""
    try:
        value = int(text or "")
    except ValueError:
        return default
    return value if value > 0 else default
