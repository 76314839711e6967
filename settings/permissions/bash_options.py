"""Arguments split into options and operands, the way getopt_long does."""

from collections.abc import Sequence
from typing import NamedTuple

from hames.settings.permissions.bash_table import CommandSpec
from hames.settings.permissions.bash_word import Word, plain_word


class Option(NamedTuple):
    """One option as `-x` or `--name`, with its value when it has one."""

    name: str
    value: Word | None = None


class Arguments(NamedTuple):
    """The arguments of a command. `literal` is false when some word has no known value."""

    options: tuple[Option, ...]
    operands: tuple[Word, ...]
    literal: bool


def read_arguments(words: Sequence[Word], spec: CommandSpec) -> Arguments:
    """Split the arguments (without the command name) by the options of the table."""
    options: list[Option] = []
    operands: list[Word] = []
    at, ended = 0, False
    while at < len(words):
        word = words[at]
        at += 1
        text = word.literal
        if ended or text is None or not text.startswith("-") or text == "-":
            operands.append(word)
        elif text == "--":
            ended = True
        else:
            found, open_option = _read_option(text, spec)
            options.extend(found)
            if open_option is not None:
                at += open_option in spec.pairs
                value = words[at] if at < len(words) else None
                options.append(Option(open_option, value))
                at += 1
    literal = all(word.literal is not None for word in words)
    return Arguments(tuple(options), tuple(operands), literal)


def _read_option(text: str, spec: CommandSpec) -> tuple[list[Option], str | None]:
    """The options of one word, and the one that takes the next word as its value."""
    if text.startswith("--"):
        name, equals, value = text.partition("=")
        if equals:
            return [Option(name, plain_word(value))], None
        return ([], name) if name in spec.takes_value else ([Option(name)], None)
    found: list[Option] = []
    for index in range(1, len(text)):
        name = "-" + text[index]
        if name in spec.takes_value:
            rest = text[index + 1 :]
            if rest:
                found.append(Option(name, plain_word(rest)))
                return found, None
            return found, name
        found.append(Option(name))
    return found, None


def refused(arguments: Arguments, spec: CommandSpec) -> str | None:
    """An option that takes the command out of the read-only set, abbreviations included."""
    known = spec.takes_value
    for option in arguments.options:
        if option.name in spec.refuse:
            return option.name
        if option.name.startswith("--") and option.name not in known:
            for name in spec.refuse:
                if name.startswith(option.name):
                    return option.name
    return None
