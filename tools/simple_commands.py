"""A command line cut into simple commands, for hints and never for permissions."""

import shlex
from typing import NamedTuple

_OPERATORS = ";|&\n()<>"


class Simple(NamedTuple):
    """The words of one simple command and the operator before it (`""` for the first)."""

    operator: str
    words: tuple[str, ...]


def simple_commands(command: str) -> list[Simple] | None:
    """The parts of a list or pipeline, redirections dropped; None for anything beyond that."""
    if "<<" in command or "`" in command or "$(" in command:
        return None
    tokens = _tokens(command)
    if tokens is None:
        return None
    parts: list[Simple] = []
    words: list[str] = []
    operator = ""
    redirected = False
    for token in (*tokens, ";"):
        if not set(token) <= set(_OPERATORS):
            if not redirected:
                words.append(token)
            redirected = False
        elif "(" in token or ")" in token:
            return None
        elif "<" in token or ">" in token:
            redirected = True
            if words and words[-1].isdigit():
                words.pop()
        else:
            if words:
                parts.append(Simple(operator, tuple(words)))
                operator = ""
            words = []
            operator = token.strip("\n") or operator or ";"
    return parts


def _tokens(command: str) -> list[str] | None:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return None
