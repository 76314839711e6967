"""Follows `cd` through a command line: in which folders each simple command may run."""

import posixpath
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hames.settings.permissions.bash_tree import Command, Group, Step, commands_of
from hames.settings.permissions.bash_word import Word
from hames.settings.permissions.bash_wrappers import strip

_MAX_PLACES = 6
_MOVERS = frozenset({"cd", "pushd", "popd", "source", ".", "eval", "exec"})


class Place(NamedTuple):
    """A folder that a command may run in; `moved` when a `cd` to another folder led there."""

    path: str
    moved: bool = False


Places = tuple[Place, ...] | None
"""All the folders a command may run in; None when they cannot be told."""


class Located(NamedTuple):
    """A simple command and where it runs; `inner` inside a substitution."""

    command: Command
    places: Places
    inner: bool


def locate(step: Step, cwd: str, home: str) -> tuple[Located, ...]:
    """Every simple command, in order, with the folders it may run in."""
    walk = _Walk(home)
    walk.run(step, (Place(cwd),), inner=False)
    return tuple(walk.found)


def cd_target(words: Sequence[Word], home: str) -> str | None:
    """Where a `cd` goes, as it is written; None when that cannot be told."""
    operands: list[Word] = []
    for index, word in enumerate(words[1:], 1):
        text = word.literal or ""
        if text == "--":
            operands.extend(words[index + 1 :])
            break
        if text.startswith("-") and text != "-" and set(text[1:]) <= set("LPe@"):
            continue
        operands.append(word)
    if not operands:
        return home
    target = operands[0].value(home)
    if len(operands) > 1 or target is None or target.startswith("-"):
        return None
    return target


class _Walk:
    """One pass; every step yields the folders after success and after failure."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.found: list[Located] = []

    def run(self, step: Step, places: Places, *, inner: bool) -> tuple[Places, Places]:
        if isinstance(step, Command):
            return self._command(step, places, inner=inner)
        if step.kind == "apart":
            self._sequence(step.items, places, inner=inner)
            return places, places
        if step.kind == "and":
            return self._list(step, places, inner=inner)
        if step.kind == "or":
            failed, succeeded = self._list(step, places, inner=inner)
            return succeeded, failed
        if step.kind == "loop" and _moves(step):
            self._sequence(step.items, None, inner=inner)
            return None, None
        if step.kind == "seq":
            return self._sequence(step.items, places, inner=inner)
        after = self._branches(step.items, places, inner=inner)
        return after, after

    def _list(self, step: Group, places: Places, *, inner: bool) -> tuple[Places, Places]:
        """Places after the last item was reached, and after the list was left before it."""
        carried: Places = places
        left: Places = ()
        for item in step.items:
            succeeded, failed = self.run(item, carried, inner=inner)
            carried, other = (succeeded, failed) if step.kind == "and" else (failed, succeeded)
            left = _union(left, other)
        return carried, left

    def _sequence(
        self, items: Iterable[Step], places: Places, *, inner: bool
    ) -> tuple[Places, Places]:
        outcome: tuple[Places, Places] = (places, places)
        for item in items:
            outcome = self.run(item, _union(*outcome), inner=inner)
        return outcome

    def _branches(self, items: Iterable[Step], places: Places, *, inner: bool) -> Places:
        for item in items:
            places = _union(places, _union(*self.run(item, places, inner=inner)))
        return places

    def _command(self, command: Command, places: Places, *, inner: bool) -> tuple[Places, Places]:
        for step in command.nested:
            self.run(step, places, inner=True)
        self.found.append(Located(command, places, inner))
        core = strip(command).core
        name = core[0].literal if core else None
        if name is None or name not in _MOVERS:
            return (None, None) if core and name is None else (places, places)
        if name != "cd" or places is None:
            return None, None
        target = cd_target(core, self.home)
        if target is None:
            return None, places
        return _moved(places, target), places


def _moved(places: tuple[Place, ...], target: str) -> Places:
    found: dict[Place, None] = {}
    for place in places:
        path = posixpath.normpath(posixpath.join(place.path, target))
        found[Place(path, place.moved or path != place.path)] = None
    return tuple(found)


def _union(left: Places, right: Places) -> Places:
    if left is None or right is None:
        return None
    both = tuple(dict.fromkeys((*left, *right)))
    return both if len(both) <= _MAX_PLACES else None


def _moves(step: Step) -> bool:
    for command in commands_of(step):
        core = strip(command).core
        if core and (core[0].literal is None or core[0].literal in _MOVERS):
            return True
    return False
