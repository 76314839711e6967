"""Which arguments of a command are files, and whether they are read or written."""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from hames.settings.permissions.bash_options import Arguments, read_arguments
from hames.settings.permissions.bash_table import CommandSpec, spec_of
from hames.settings.permissions.bash_tree import Redirect
from hames.settings.permissions.bash_word import Word, plain_word
from hames.settings.permissions.bash_wrappers import base_name

FileAccess = Literal["read", "write", "mention"]
"""A mention may be a file: it is tested against deny rules and nothing else."""

_SEARCHERS = ("grep", "egrep", "fgrep", "rg")
_DEVICES = frozenset({"/dev/null"})
_DESCRIPTOR = re.compile(r"[0-9]+-?|-")
_LEAVES = re.compile(r"/|~|(.*/)?\.\.(/.*)?")
_FIND_FILE = re.compile(r"-(a|c)?newer(..)?|-samefile|-files0-from")


class FileWord(NamedTuple):
    """A word that names a file. `redirect` when the shell itself opens it.

    `deep`: everything below a folder is read too, hidden files included or not.
    """

    word: Word
    access: FileAccess
    redirect: bool = False
    deep: Literal["", "all", "visible"] = ""


def file_words(words: Sequence[Word]) -> tuple[FileWord, ...]:
    """The files among the arguments of one command (its name included, nothing stripped)."""
    if not words:
        return ()
    name = base_name(words[0])
    spec = spec_of(name)
    args = _brace_expanded(words[1:])
    if name == "find":
        found = list(_find_files(args))
    elif name == "git":
        found = list(_git_files(args))
    elif spec.operands == "mention":
        found = list(_mentions(args))
    else:
        arguments = read_arguments(args, spec)
        found = [*_option_files(arguments, spec), *_operands(name, arguments, spec)]
        deep = _depth(name, arguments)
        if deep:
            found = _deepened(found, deep, reads_here=name in _SEARCHERS)
    return tuple(found)


def _depth(name: str, arguments: Arguments) -> Literal["", "all", "visible"]:
    options = {option.name for option in arguments.options}
    if name == "rg":
        return "all" if options & {"-.", "--hidden", "-u", "--unrestricted"} else "visible"
    recursive = options & {"-r", "-R", "-a", "--recursive", "--archive", "--dereference-recursive"}
    walks = name in ("cp", "diff", *_SEARCHERS)
    return "all" if recursive and walks and not (name in _SEARCHERS and recursive == {"-a"}) else ""


def _deepened(
    files: Sequence[FileWord], deep: Literal["all", "visible"], *, reads_here: bool
) -> list[FileWord]:
    """The files, those that are read marked; a search without a folder reads the current one."""
    found = [f._replace(deep=deep) if f.access == "read" else f for f in files]
    if reads_here and not any(file.access == "read" for file in files):
        found.append(FileWord(plain_word("."), "read", deep=deep))
    return found


def _brace_expanded(words: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    for word in words:
        options = word.alternatives() if "brace" in word.kinds else None
        found.extend([word] if options is None else [plain_word(text) for text in options])
    return found


def _option_files(arguments: Arguments, spec: CommandSpec) -> Iterator[FileWord]:
    for option in arguments.options:
        if option.value is None or option.name in spec.values:
            continue
        if option.name in spec.writes:
            yield FileWord(option.value, "write")
        elif option.name in spec.reads or _LEAVES.match(option.value.spelled):
            yield FileWord(option.value, "read")
        else:
            yield FileWord(option.value, "mention")


def _operands(name: str, arguments: Arguments, spec: CommandSpec) -> Iterator[FileWord]:
    operands = list(arguments.operands)
    kind = spec.operands
    if kind in ("text", "none"):
        return
    if kind == "skip1":
        operands, kind = operands[1:], "write"
    if kind == "pattern":
        given = any(option.name in spec.instead for option in arguments.options)
        operands, kind = (operands if given else operands[1:]), "read"
        if name == "sed" and any(o.name.startswith(("-i", "--in")) for o in arguments.options):
            kind = "write"
    targeted = any(option.name in spec.writes for option in arguments.options)
    for index, word in enumerate(operands):
        if word.literal == "-" and kind == "read":
            continue
        access: FileAccess = "write" if kind == "write" else "read"
        if kind == "copy" and index == len(operands) - 1 and index > 0 and not targeted:
            access = "write"
        yield FileWord(word, access)


def _find_files(args: Sequence[Word]) -> Iterator[FileWord]:
    starting = True
    for index, word in enumerate(args):
        text = word.spelled
        if text.startswith("-") or text in ("(", "!", "\\("):
            starting = starting and text in ("-L", "-P", "-H")
        elif starting or re.fullmatch(
            r"-(a|c)?newer(..)?|-samefile|-files0-from", args[index - 1].spelled
        ):
            yield FileWord(word, "read")


def _git_files(args: Sequence[Word]) -> Iterator[FileWord]:
    """Operands may be revisions; behind `--`, and where they leave the folder, they are files."""
    texts = [word.spelled for word in args]
    certain = "--no-index" in texts
    for word, text in zip(args, texts, strict=True):
        if text == "--":
            certain = True
        elif text.startswith("-") and not certain:
            yield from _mentions([word])
        elif not text.startswith("-"):
            if certain or _LEAVES.fullmatch(text) or text.startswith(("/", "~")):
                yield FileWord(word, "read")
            yield from _mentions([word])


def _mentions(words: Sequence[Word]) -> Iterator[FileWord]:
    """Everything in the words that could name a file."""
    for word in words:
        text = word.literal
        if text is None:
            if "glob" in word.kinds or "tilde" in word.kinds or "var" in word.kinds:
                yield FileWord(word, "mention")
            continue
        for part in dict.fromkeys(_mentioned(text)):
            if part and len(part) < 1024:
                yield FileWord(plain_word(part), "mention")


def _mentioned(text: str) -> Iterator[str]:
    if not text.startswith("-"):
        yield text
    elif len(text) > 2 and not text.startswith("--"):
        yield text[2:]
    for mark in "=:@,":
        if mark in text:
            yield text.split(mark, 1)[1]
            yield text.rsplit(mark, 1)[1]
    if text.startswith("file://"):
        yield text[7:]


def redirect_words(redirects: Sequence[Redirect]) -> Iterator[FileWord]:
    """The files that the shell opens; descriptors and /dev/null are none."""
    for redirect in redirects:
        literal = redirect.target.literal
        if literal in _DEVICES:
            continue
        duplicates = redirect.operator in (">&", "<&")
        if duplicates and literal is not None and _DESCRIPTOR.fullmatch(literal):
            continue
        reads = redirect.operator in ("<", "<&")
        yield FileWord(redirect.target, "read" if reads else "write", redirect=True)
