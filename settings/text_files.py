"""Reading the small text files people write for an agent; a bad one is a named problem."""

import codecs
import os
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_BYTES = 4 << 20
"""Larger memory and definition files are skipped."""

MAX_DIRECTORIES = 1000
"""Directories looked at below one rules, commands or agents folder."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file that was skipped or only partly used; `line` is 1-based."""

    path: Path
    text: str
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line is not None else str(self.path)
        return f"{place}: {self.text}"


def read_text(path: Path, limit: int = MAX_BYTES) -> str | Problem | None:
    """The text with plain newlines and without BOM; None when there is no such file.

    Devices, pipes, files over `limit` bytes and binary files are problems. Bytes that are not
    UTF-8 become replacement characters.
    """
    try:
        # A named pipe must not block the start, so open without waiting and look first.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        return Problem(path, f"cannot be read ({_reason(error)})")
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            return Problem(path, "is a directory, a text file was expected")
        if not stat.S_ISREG(mode):
            return Problem(path, "is not a regular file")
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(limit + 1)
    except OSError as error:
        return Problem(path, f"cannot be read ({_reason(error)})")
    finally:
        os.close(descriptor)
    if len(data) > limit:
        return Problem(path, f"is larger than {limit >> 20} MiB and was skipped")
    if b"\0" in data[:8192]:
        return Problem(path, "is a binary file and was skipped")
    text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_optional(path: Path, problems: list[Problem]) -> str | None:
    """As `read_text`, with a problem put into `problems`; None when there is no text."""
    found = read_text(path)
    if isinstance(found, Problem):
        problems.append(found)
        return None
    return found


def real_path(path: Path) -> Path:
    """The real path; the path itself when links run in a circle."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def is_file(path: Path) -> bool:
    """Whether there is a file; False, not an error, where one may not look."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def component_files(place: Path, problems: list[Problem]) -> list[Path]:
    """The file itself, or all Markdown files of a folder."""
    return [place] if is_file(place) else markdown_files(place, problems)


def markdown_files(folder: Path, problems: list[Problem]) -> list[Path]:
    """All `*.md` below `folder`, sorted by path; links are followed, each directory once.

    Looks at no more than 1,000 directories: a link to a whole disk must not stop the start.
    """
    found: list[Path] = []
    waiting = [folder]
    seen: set[str] = set()
    while waiting:
        directory = waiting.pop()
        real = os.path.realpath(directory)
        if real in seen:
            continue
        if len(seen) == MAX_DIRECTORIES:
            problems.append(Problem(folder, f"holds more than {MAX_DIRECTORIES} directories"))
            break
        seen.add(real)
        entries = directory_entries(directory, problems)
        found += [e for e, is_dir in entries if not is_dir and e.name.lower().endswith(".md")]
        waiting += reversed([e for e, is_dir in entries if is_dir])
    return sorted(found)


def directory_entries(folder: Path, problems: list[Problem]) -> list[tuple[Path, bool]]:
    """Entries with whether each is a directory (links followed), sorted; [] when missing."""
    try:
        with os.scandir(folder) as entries:
            return sorted((folder / entry.name, _is_directory(entry)) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError) as error:
        problems.append(Problem(folder, f"cannot be read ({_reason(error)})"))
        return []


def _is_directory(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
