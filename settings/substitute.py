"""Skill and command bodies made into prompts: arguments, variables, injections, file mentions.

Injections and mentions are found in the body's own text before arguments go in, so that what a
user or a model passes as an argument can start no command and read no file.
"""

import re
import shlex
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from hames.settings.memory_text import mentions

SHELL_OFF = "[shell commands of skills are switched off by `disableSkillShellExecution`]"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What stood behind the name: `raw` text; `names` are the declared positionals."""

    raw: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Injection:
    """A command to run before the model sees the text; `start` and `end` lie in `Rendered.text`."""

    command: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Rendered:
    """A body with its arguments filled in and its commands still to run.

    `files` are the `@path` mentions of the body's own text, each with and without trailing
    punctuation.
    """

    text: str
    shell: tuple[Injection, ...] = ()
    files: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: Literal["text", "command"]
    source: str


@dataclass(slots=True)
class _Filling:
    arguments: Arguments
    positions: Sequence[str]
    variables: Mapping[str, str]
    token: re.Pattern[str]
    used: bool = False


_BLOCK = r"^```!(?:[^\n`]*)\n(?P<block>.*?)^```[ \t]*$"
_INLINE = r"(?:^|(?<=\s))!`(?P<inline>[^`\n]+)`"
_INJECTION = re.compile(f"{_BLOCK}|{_INLINE}", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_TOKENS = (
    r"(?P<escape>(?:(?<!\\)\\)?)"
    r"\$(?:ARGUMENTS\[(?P<index>\d{1,4})\]|(?P<all>ARGUMENTS)\b|(?P<number>\d{1,4})(?!\w)"
    r"|\{(?P<variable>[A-Za-z_][\w.]*)\}|(?P<name>%s)(?!\w))"
)
"""Completed by the declared names of arguments, which may hold hyphens."""


def render(body: str, arguments: Arguments, variables: Mapping[str, str]) -> Rendered:
    """Fill in arguments and `${NAME}` variables; collect the commands and files to fetch.

    Arguments that the body nowhere uses are appended as `ARGUMENTS: ...`.
    """
    names = sorted(filter(None, arguments.names), key=len, reverse=True)
    token = re.compile(_TOKENS % ("|".join(map(re.escape, names)) or "(?!)"))
    filling = _Filling(arguments, split_arguments(arguments.raw), variables, token)
    text = ""
    shell: list[Injection] = []
    files: dict[tuple[str, ...], None] = {}
    for piece in _pieces(body):
        filled = _fill(piece.source, filling)
        if piece.kind == "command":
            shell.append(Injection(filled.strip(), len(text), len(text) + len(filled)))
        else:
            files |= dict.fromkeys(mentions(piece.source))
        text += filled
    if arguments.raw.strip() and not filling.used:
        text = f"{text.rstrip()}\n\nARGUMENTS: {arguments.raw.strip()}"
    return Rendered(text, tuple(shell), tuple(files))


def insert_outputs(rendered: Rendered, outputs: Sequence[str]) -> str:
    """The text with each command replaced by its output; outputs are not looked at again."""
    if len(outputs) != len(rendered.shell):
        raise ValueError("one output per injection is needed")
    parts: list[str] = []
    at = 0
    for injection, output in zip(rendered.shell, outputs, strict=True):
        parts += [rendered.text[at : injection.start], output.rstrip("\n")]
        at = injection.end
    return "".join([*parts, rendered.text[at:]])


def fill_variables(text: str, variables: Mapping[str, str]) -> str:
    """Only `${NAME}`: for `allowed-tools` rules, plugin hooks and servers."""
    return re.sub(r"\$\{([A-Za-z_][\w.]*)\}", lambda match: variables.get(match[1], match[0]), text)


def split_arguments(raw: str) -> list[str]:
    """Words as a shell splits them; unbalanced quotes split at white space only."""
    try:
        return shlex.split(raw)
    except ValueError:
        return raw.split()


def _pieces(body: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    fences = [match.start() for match in _FENCE.finditer(body)]
    at = 0
    for match in _INJECTION.finditer(body):
        source = match["block"] if match["block"] is not None else match["inline"]
        # An open code block shows an injection as an example.
        if not source.strip() or bisect_left(fences, match.start()) % 2 == 1:
            continue
        pieces += [_Piece("text", body[at : match.start()]), _Piece("command", source)]
        at = match.end()
    return [*pieces, _Piece("text", body[at:])]


def _fill(source: str, filling: _Filling) -> str:
    return filling.token.sub(lambda match: _value(match, filling), source)


def _value(match: "re.Match[str]", filling: _Filling) -> str:
    if match["variable"] is not None:
        value = filling.variables.get(match["variable"])
        return match[0] if value is None else match["escape"] + value
    found = _argument(match, filling)
    if found is None:
        return match[0]
    if match["escape"]:
        return match[0][1:]
    filling.used = True
    return found


def _argument(match: "re.Match[str]", filling: _Filling) -> str | None:
    """The value of an argument token; None when it is none and stays as it is."""
    if match["all"] is not None:
        return filling.arguments.raw
    if match["name"] is not None:
        place = filling.arguments.names.index(match["name"])
        return filling.positions[place] if place < len(filling.positions) else ""
    place = int(match["index"] or match["number"])
    return filling.positions[place] if place < len(filling.positions) else None
