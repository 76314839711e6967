"""A parsed command line: simple commands, and how they hang together."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from hames.settings.permissions.bash_word import Word

GroupKind = Literal["seq", "and", "or", "apart", "loop", "branch"]
"""`apart` runs in a shell of its own: a subshell, a pipeline part, a background job."""


class Assignment(NamedTuple):
    """`NAME=value` before a command or alone; `plain` is false for arrays and subscripts."""

    name: str
    value: Word | None
    plain: bool = True


class Redirect(NamedTuple):
    """A redirection to or from a file; `operator` is its spelling without the descriptor."""

    operator: str
    target: Word


class Command(NamedTuple):
    """One simple command.

    `nested` are the commands of its substitutions. `odd` names what makes it code that no
    prefix rule covers. `stdin` is text it is fed (here-documents and here-strings).
    """

    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    nested: tuple["Step", ...] = ()
    odd: tuple[str, ...] = ()
    stdin: str | None = None
    loop_variable: str | None = None


class Group(NamedTuple):
    """Steps that belong together."""

    kind: GroupKind
    items: tuple["Step", ...]


Step = Command | Group


class Unclear(Exception):
    """A construct that is not understood; the text says which."""


class Unreadable(NamedTuple):
    """A command line that cannot be judged, and why; `pieces` is its raw text cut up."""

    reason: str
    pieces: tuple[str, ...] = ()


def commands_of(step: Step) -> Iterator[Command]:
    """Every simple command below a step, substitutions included."""
    if isinstance(step, Command):
        yield step
        for inner in step.nested:
            yield from commands_of(inner)
    else:
        for item in step.items:
            yield from commands_of(item)
