"""Removals that nothing approves: the root, home, the working directory, unknown folders."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hames.settings.permissions.bash_flow import Place, Places, locate
from hames.settings.permissions.bash_parse import parse
from hames.settings.permissions.bash_script import Part
from hames.settings.permissions.bash_table import command_table
from hames.settings.permissions.bash_tree import Command, Unreadable, commands_of
from hames.settings.permissions.bash_word import Piece, Word, plain_word
from hames.settings.permissions.bash_wrappers import base_name, inner_starts
from hames.settings.permissions.overlap import Tokens, glob_segments, segments_meet

_MAX_NESTED = 4
_MAX_PRINTED = 500
_DEFAULT = re.compile(r"\$\{[A-Za-z_0-9]+:?[-=](.*)\}", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]*[^\\/]*[\\/]*")
_WILD = re.compile(r"[*?.\[\]!]+")
_GLOB = re.compile(r"[*?\[]")
_GLOB_CHARS = re.compile(r"[*?\[\]\\]")

Variables = Mapping[str, str | None]
"""Variables that the command line sets itself; None when a substitution gives the value."""


class Surroundings(NamedTuple):
    """The folders whose removal is critical."""

    home: str
    cwd: str
    directories: tuple[str, ...]


def critical_removal(parts: Sequence[Part], around: Surroundings) -> str | None:
    """What a command line removes that must not go; None when there is nothing."""
    located = [(part.command, part.places) for part in parts]
    return _search(located, around, _MAX_NESTED)


def _search(
    located: Sequence[tuple[Command, Places]], around: Surroundings, depth: int
) -> str | None:
    variables = {"PWD": around.cwd} | _variables((c for c, _ in located), around.home)
    printed = tuple(word for command, _ in located for word in _printed(command))
    for command, places in located:
        for start in inner_starts(command.words):
            words = command.words[start:]
            if base_name(words[0]) in ("rm", "rmdir"):
                piped = any(base_name(word) == "xargs" for word in command.words[:start])
                operands = (*words, *printed) if piped else words
                found = _removal(operands, places, around, variables)
            else:
                found = _script(command, words, places, around, depth)
            if found is not None:
                return found
    return None


def _printed(command: Command) -> Iterator[Word]:
    """The words that a command line itself may hand to xargs."""
    if command.words and base_name(command.words[0]) in ("echo", "printf"):
        yield from command.words[1:]
    if command.stdin is not None:
        yield from (plain_word(text) for text in command.stdin.split()[:_MAX_PRINTED])


def _variables(commands: Iterator[Command], home: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for command in commands:
        for assignment in command.assignments:
            value = assignment.value
            if value is None:
                found[assignment.name] = ""
            elif (known := value.value(home)) is not None:
                found[assignment.name] = known
            elif "sub" in value.kinds and not _makes_folder(command):
                found[assignment.name] = None
    return found


def _makes_folder(command: Command) -> bool:
    """`$(mktemp -d)` prints a folder that is meant to go."""
    names = [c.words[0].literal for step in command.nested for c in commands_of(step) if c.words]
    return names == ["mktemp"]


def _script(
    command: Command, words: Sequence[Word], places: Places, around: Surroundings, depth: int
) -> str | None:
    """Removals in the text that a shell is given."""
    if depth == 0:
        return None
    for text in _inline_scripts(command, words):
        tree = parse(text)
        if isinstance(tree, Unreadable):
            continue
        where = places or (Place(around.cwd),)
        located = [
            (item.command, item.places)
            for place in where
            for item in locate(tree, place.path, around.home)
        ]
        found = _search(located, around, depth - 1)
        if found is not None:
            return found
    return None


def _inline_scripts(command: Command, words: Sequence[Word]) -> Iterator[str]:
    name = base_name(words[0])
    if name == "eval":
        yield " ".join(word.spelled for word in words[1:])
    if name not in command_table().shells:
        return
    if command.stdin is not None:
        yield command.stdin
    for index, word in enumerate(words[1:-1], 1):
        text = word.spelled
        if text.startswith("-") and not text.startswith("--") and text.endswith("c"):
            yield words[index + 1].spelled
            return


def _removal(
    words: Sequence[Word], places: Places, around: Surroundings, variables: Variables
) -> str | None:
    operands: list[Word] = []
    recursive = ended = False
    for word in words[1:]:
        text = word.spelled
        if not ended and text == "--":
            ended = True
        elif not ended and text.startswith("-") and len(text) > 1:
            short = not text.startswith("--") and bool(set(text) & set("rR"))
            recursive = recursive or short or text.startswith("--r")
        else:
            operands.append(word)
    for word in operands:
        if _is_critical(word, places, around, variables, recursive=recursive):
            return word.raw
    return None


def _is_critical(
    word: Word,
    places: Places,
    around: Surroundings,
    variables: Variables,
    *,
    recursive: bool,
) -> bool:
    if recursive and _only_printed_folder(word, variables):
        return True
    if _DRIVE.fullmatch(word.spelled):
        return True
    if word.raw.strip("\\\"'") == "" and "\\" in word.raw:
        return True
    for text in _readings(word, around.home, variables):
        if _critical_text(text, places, around):
            return True
    return False


def _only_printed_folder(word: Word, variables: Variables) -> bool:
    """Nothing but a substitution, or a variable that one was just assigned to."""
    pieces = [piece for piece in word.pieces if piece.text or piece.kind != "quoted"]
    if not pieces:
        return False
    return all(
        piece.kind == "sub"
        or (piece.kind == "var" and piece.text in variables and variables[piece.text] is None)
        for piece in pieces
    )


def _readings(word: Word, home: str, variables: Variables) -> Iterator[str]:
    """The texts that the word may stand for when its unknown parts are empty."""
    for spelled in _expanded(word):
        yield _reading(spelled, home, variables, default=False)
        if any(piece.kind == "var" and _DEFAULT.fullmatch(piece.text) for piece in spelled):
            yield _reading(spelled, home, variables, default=True)


def _expanded(word: Word) -> list[tuple[Piece, ...]]:
    """The word, once per alternative of its brace expansions."""
    found: list[tuple[Piece, ...]] = [()]
    for piece in word.pieces:
        options: tuple[Piece, ...] = (piece,)
        if piece.kind == "brace":
            texts = piece.text[1:-1].split(",")
            options = tuple(Piece("glob" if _GLOB.search(text) else "text", text) for text in texts)
        found = [(*head, option) for head in found for option in options][:64]
    return found


def _reading(pieces: Sequence[Piece], home: str, variables: Variables, *, default: bool) -> str:
    found: list[str] = []
    for piece in pieces:
        if piece.kind == "tilde" or (piece.kind == "var" and piece.text == "HOME"):
            found.append(home)
        elif piece.kind == "quoted":
            found.append("".join("\\" + c if c in "*?[\\" else c for c in piece.text))
        elif piece.kind in ("text", "glob"):
            found.append(piece.text)
        elif piece.kind in ("guard", "number"):
            found.append("x")
        elif piece.text.startswith("~") and piece.kind == "var":
            found.append(str(variables["PWD"]) if piece.text == "~+" else home)
        elif piece.kind == "var":
            assumed = _DEFAULT.fullmatch(piece.text) if default else None
            found.append(assumed[1] if assumed else variables.get(piece.text) or "")
    return "".join(found)


def _critical_text(text: str, places: Places, around: Surroundings) -> bool:
    if text == "":
        return False
    where = places if places is not None else (Place(around.cwd, moved=True),)
    names = text.split("/")
    globs = [index for index, name in enumerate(names) if _GLOB.search(name.replace("\\*", ""))]
    for place in where:
        if not globs:
            if _critical_path(posixpath.join(place.path, text.replace("\\", "")), around):
                return True
            continue
        if globs[0] < len(names) - 1 and (len(globs) > 1 or names[-1] == ""):
            return True
        folder = posixpath.join(place.path, "/".join(names[: globs[0]]) or ".")
        if text.startswith("/"):
            folder = "/".join(names[: globs[0]]) or "/"
        if place.moved and not text.startswith("/"):
            return True
        if _critical_glob(posixpath.normpath(folder), names[globs[0] :], around):
            return True
    return False


def _critical_glob(folder: str, rest: Sequence[str], around: Surroundings) -> bool:
    """Whether a glob below a folder takes what is in a critical one, or a critical one itself."""
    for directory in around.directories:
        if directory != around.cwd and (directory + "/").startswith(folder.rstrip("/") + "/"):
            return True
    if _WILD.fullmatch(rest[0]) and _critical_path(folder, around):
        return True
    above = [_GLOB_CHARS.sub(r"\\\g<0>", name) for name in folder.split("/") if name]
    pattern = glob_segments([*above, *rest])
    return len(pattern) == 1 or any(_meets(pattern, kept) for kept in _kept(around))


def _meets(pattern: Sequence[Tokens], path: str) -> bool:
    """Whether a glob can expand to the path or to a folder above it."""
    names = glob_segments([_GLOB_CHARS.sub(r"\\\g<0>", name) for name in path.split("/") if name])
    return len(pattern) <= len(names) and all(map(segments_meet, pattern, names))


def _kept(around: Surroundings) -> tuple[str, ...]:
    return (around.home, around.cwd, *around.directories)


def _critical_path(path: str, around: Surroundings) -> bool:
    path = posixpath.normpath(path)
    if path.startswith("//"):
        path = path[1:]
    if path == "/" or path.count("/") == 1:
        return True
    return any((folder + "/").startswith(path + "/") for folder in _kept(around))
