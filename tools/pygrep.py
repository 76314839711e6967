"""A small stand-in for ripgrep, run as a program where there is none: same options, same output.

It knows the options that `tools/glob.py` and `tools/grep.py` use. A process of its own, so that
a pattern that takes for ever can be ended.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from hames.tools.pygrep_globs import TYPES, BadGlobError, Globs

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_PROBE = 1 << 16
_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
_SWITCHES = (
    "count", "crlf", "files", "files-with-matches", "heading", "hidden", "ignore-case",
    "line-number", "max-columns-preview", "multiline", "multiline-dotall", "no-config",
    "no-hidden", "no-ignore", "no-messages", "no-require-git", "null", "only-matching",
    "with-filename",
)  # fmt: skip
_POSIX_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "punct": r"!-/:-@\[-`{-~", "word": r"\w", "xdigit": "0-9a-fA-F",
}  # fmt: skip


class Ignored:
    """The ignore files above and inside the tree; the nearest that has an opinion decides."""

    def __init__(self, root: Path) -> None:
        self._specs: list[tuple[Path, GitIgnoreSpec]] = []
        above: list[Path] = []
        for folder in root.parents if not (root / ".git").exists() else ():
            above.append(folder)
            if (folder / ".git").exists():
                break
        for folder in reversed(above):
            self.enter(folder)

    def enter(self, folder: Path) -> int:
        """Read the ignore files of `folder`; how many there were, for `leave`."""
        from pathspec import GitIgnoreSpec

        before = len(self._specs)
        for name in (".git/info/exclude", *_IGNORE_FILES):
            try:
                lines = (folder / name).read_text("utf-8", "replace").splitlines()
            except OSError:
                continue
            self._specs.append((folder, GitIgnoreSpec.from_lines(lines)))
        return len(self._specs) - before

    def leave(self, count: int) -> None:
        """Forget the newest `count` ignore files."""
        del self._specs[len(self._specs) - count :]

    def covers(self, path: Path, *, folder: bool) -> bool:
        """Whether the path is left out."""
        for base, spec in reversed(self._specs):
            name = path.relative_to(base).as_posix() + ("/" if folder else "")
            include = spec.check_file(name).include
            if include is not None:
                return include
        return False


def walk(root: Path, options: argparse.Namespace, globs: Globs) -> Iterator[str]:
    """Files below `root`, relative; links are not followed."""
    ignored = None if options.no_ignore else Ignored(root)
    yield from _walk(root, "", options, globs, ignored)


def _walk(
    root: Path, prefix: str, options: argparse.Namespace, globs: Globs, ignored: Ignored | None
) -> Iterator[str]:
    folder = root / prefix
    entered = ignored.enter(folder) if ignored else 0
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError:
        entries = []
    for entry in entries:
        name = f"{prefix}{entry.name}"
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name.startswith(".") and (options.no_hidden or not options.hidden):
            continue
        if globs.leave_out(name, folder=is_folder):
            continue
        if ignored and ignored.covers(root / name, folder=is_folder):
            continue
        if is_folder:
            yield from _walk(root, f"{name}/", options, globs, ignored)
        elif entry.is_file(follow_symlinks=False):
            yield name
    if ignored:
        ignored.leave(entered)


def translated(pattern: str) -> str:
    """The pattern in the spelling of Python's `re`."""
    pattern = re.sub(r"\[:(\w+):\]", lambda m: _POSIX_CLASSES.get(m[1], m[0]), pattern)
    return re.sub(r"(?<!\\)((?:\\\\)*)\\z", r"\1\\Z", pattern)


def decoded(data: bytes) -> str | None:
    """The text of a file; None when it is binary."""
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return None if b"\0" in data else data.decode("utf-8", "surrogateescape")


def read(path: Path) -> bytes:
    """The file, or only its first bytes when they show that it is binary."""
    with path.open("rb") as file:
        start = file.read(_PROBE)
        if b"\0" in start and decoded(start) is None:
            return start
        return start + file.read()


class Hit(NamedTuple):
    """One line to print: its number (1-based), whether it matched, its text."""

    number: int
    matched: bool
    text: str


def lines_of(text: str) -> list[str]:
    """The lines without their ends."""
    lines = text.replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def hits(text: str, pattern: re.Pattern[str], options: argparse.Namespace) -> list[Hit]:
    """The matching lines, or the matches themselves with `-o`, without context."""
    lines = lines_of(text)
    if options.multiline:
        return _multiline_hits(text, lines, pattern, options)
    if options.only_matching:
        found = ((n, m) for n, line in enumerate(lines, 1) for m in pattern.finditer(line))
        return [Hit(n, True, m.group()) for n, m in found if m.group()]
    return [Hit(n, True, line) for n, line in enumerate(lines, 1) if pattern.search(line)]


def _multiline_hits(
    text: str, lines: list[str], pattern: re.Pattern[str], options: argparse.Namespace
) -> list[Hit]:
    found: dict[int, Hit] = {}
    pieces: list[Hit] = []
    number, position = 1, 0
    for match in pattern.finditer(text):
        number += text.count("\n", position, match.start())
        position = match.start()
        for offset, piece in enumerate(match.group().split("\n")):
            at = number + offset
            if at <= len(lines):
                found[at] = Hit(at, True, lines[at - 1])
            if piece:
                pieces.append(Hit(at, True, piece))
    return pieces if options.only_matching else [found[at] for at in sorted(found)]


def with_context(found: Sequence[Hit], lines: list[str], before: int, after: int) -> Iterator[Hit]:
    """The hits with the lines around them, in order and once each."""
    matched = {hit.number: hit for hit in found}
    wanted = {
        n
        for hit in found
        for n in range(max(hit.number - before, 1), min(hit.number + after, len(lines)) + 1)
    }
    for number in sorted(wanted):
        yield matched.get(number) or Hit(number, False, lines[number - 1])


def shortened(text: str, limit: int) -> str:
    """A long line cut as ripgrep cuts it."""
    return text if len(text) <= limit else text[:limit] + " [... omitted end of long line]"


class Printer:
    """Writes results; `matched` tells whether there were any."""

    def __init__(self, out: BinaryIO, options: argparse.Namespace) -> None:
        self.matched = False
        self._out = out
        self._options = options

    def show(self, name: str, text: str, found: list[Hit]) -> None:
        """What the chosen output mode prints of a file with hits."""
        options = self._options
        if options.files_with_matches:
            self._write(f"{name}\0")
        elif options.count:
            self._write(f"{name}\0{len({hit.number for hit in found})}\n")
        else:
            self._write("\n" * self.matched + f"{name}\0")
            last = 0
            lines = lines_of(text)
            plain = options.only_matching
            around = found if plain else with_context(found, lines, options.before, options.after)
            for hit in around:
                if last and hit.number > last + 1 and options.before + options.after:
                    self._write("--\n")
                last = hit.number
                mark = ":" if hit.matched else "-"
                self._write(f"{hit.number}{mark}{shortened(hit.text, options.max_columns)}\n")
        self.matched = True

    def show_binary(self, name: str) -> None:
        """A match in a binary file that was named."""
        self._write("\n" * self.matched + f"{name}: binary file matches\n")
        self.matched = True

    def _write(self, text: str) -> None:
        self._out.write(text.encode("utf-8", "surrogateescape"))


def search(
    names: Iterable[str], root: Path, pattern: re.Pattern[str], options: argparse.Namespace
) -> bool:
    """Print the results of all files; whether anything matched."""
    printer = Printer(sys.stdout.buffer, options)
    named = root.joinpath(options.path).is_file()
    for name in names:
        try:
            data = read(root / name)
        except OSError:
            continue
        text = decoded(data)
        if text is None:
            if named and pattern.search(data.decode("utf-8", "replace")):
                printer.show_binary(f"./{name}")
            continue
        found = hits(text, pattern, options)
        if found:
            printer.show(f"./{name}", text, found)
    return printer.matched


def arguments() -> argparse.ArgumentParser:
    """The options of ripgrep that are understood."""
    parser = argparse.ArgumentParser("pygrep", allow_abbrev=False)
    for name in _SWITCHES:
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--color")
    parser.add_argument("--max-columns", type=int, default=sys.maxsize)
    parser.add_argument("--before-context", dest="before", type=int, default=0)
    parser.add_argument("--after-context", dest="after", type=int, default=0)
    parser.add_argument("--glob", action="append", default=[])
    parser.add_argument("--type", action="append", default=[])
    parser.add_argument("--regexp", default="")
    parser.add_argument("path")
    return parser


def main() -> int:
    """Exit code 0 with results, 1 without, 2 for an error, as ripgrep has it."""
    options = arguments().parse_args()
    root = Path.cwd()
    flags = re.IGNORECASE if options.ignore_case else re.NOFLAG
    flags |= re.MULTILINE | re.DOTALL if options.multiline else re.NOFLAG
    try:
        globs = Globs(options.glob, _type_globs(options.type))
        pattern = re.compile(translated(options.regexp), flags)
    except BadGlobError as error:
        return _complain(str(error))
    except re.error as error:
        return _complain(f"regex parse error:\n    {options.regexp}\nerror: {error}")
    if not options.multiline and "\n" in options.regexp.replace("\\n", "\n"):
        return _complain('the literal "\\n" is not allowed in a regex without multiline')
    path = root / options.path
    names = [path.name] if path.is_file() else walk(root, options, globs)
    if not options.files:
        return 0 if search(names, root, pattern, options) else 1
    found = False
    for name in names:
        found = True
        sys.stdout.buffer.write(os.fsencode(f"./{name}\0"))
    return 0 if found else 1


def _type_globs(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in TYPES:
            raise BadGlobError(f"unrecognized file type: {name}")
    return [glob for name in names for glob in TYPES[name].split()]


def _complain(text: str) -> int:
    sys.stderr.write(f"pygrep: {text}\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
