"""The output of a search read as it comes: bounded, without denied files, in path order."""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MOST_NAMES = 16 << 20
"""Bytes of paths kept in memory; a search that gives more is ended."""

MOST_LINES = 4 << 20
"""Bytes of lines kept in memory; a search that gives more is ended."""

MOST_READ = 32 << 20
"""Bytes of lines read to find the first ones in path order; after that the search is ended."""

_BINARY = b": binary file matches"


@dataclass(frozen=True, slots=True, order=True)
class FileLines:
    """The lines `12:text` (match), `12-text` (context) and `--` of one file."""

    path: bytes
    body: bytes
    count: int


class Names:
    """Collects paths that end in NUL. `full` once there is too much."""

    def __init__(self, wanted: Callable[[bytes], bool]) -> None:
        self._wanted = wanted
        self._data = bytearray()

    @property
    def full(self) -> bool:
        """Whether reading on would take too much memory."""
        return len(self._data) > MOST_NAMES

    def feed(self, data: bytes) -> None:
        """The next output."""
        self._data += data

    def found(self) -> list[bytes]:
        """All complete paths that are wanted, in path order."""
        names = bytes(self._data).split(b"\0")[:-1]
        return sorted(name for name in names if self._wanted(name))


class Counts(Names):
    """Collects `path NUL count` lines."""

    def counted(self) -> list[tuple[bytes, int]]:
        """Path and count of each wanted file, in path order."""
        pairs = (line.rpartition(b"\0") for line in bytes(self._data).splitlines())
        return sorted(
            (name, int(count)) for name, _, count in pairs if count.isdigit() and self._wanted(name)
        )


class Blocks:
    """Collects the lines of files and keeps those that can be among the first `need` lines."""

    def __init__(self, wanted: Callable[[bytes], bool], need: int | None) -> None:
        self.total = 0
        self._wanted = wanted
        self._need = need
        self._rest = bytearray()
        self._kept: list[FileLines] = []
        self._lines = 0
        self._bytes = 0
        self._read = 0

    @property
    def full(self) -> bool:
        """Whether reading on would take too much memory."""
        return self._bytes + len(self._rest) > MOST_LINES or self._read > MOST_READ

    def feed(self, data: bytes) -> None:
        """The next output; an empty line ends a file."""
        start = max(len(self._rest) - 1, 0)
        self._read += len(data)
        self._rest += data
        end = self._rest.rfind(b"\n\n", start)
        if end >= 0:
            done = bytes(self._rest[:end])
            del self._rest[: end + 2]
            for block in done.split(b"\n\n"):
                self._add(block)

    def found(self) -> list[FileLines]:
        """The kept files in path order, the one that was being read included."""
        if self._rest:
            self._add(bytes(self._rest).removesuffix(b"\n"))
            self._rest.clear()
        return sorted(self._kept)

    def _add(self, block: bytes) -> None:
        path, nul, body = block.partition(b"\0")
        if not nul:
            path, binary, _ = block.partition(_BINARY)
            body = b"binary file matches" if binary else b""
        if not body or not self._wanted(path):
            return
        lines = FileLines(path, body, body.count(b"\n") + 1)
        self.total += lines.count
        if self._need is None:
            self._kept.append(lines)
            self._bytes += len(block)
        elif self._lines < self._need or lines.path < self._kept[-1].path:
            self._keep_first(lines, self._need)

    def _keep_first(self, lines: FileLines, need: int) -> None:
        insort(self._kept, lines)
        self._lines += lines.count
        self._bytes += len(lines.body)
        while self._lines - self._kept[-1].count >= need:
            dropped = self._kept.pop()
            self._lines -= dropped.count
            self._bytes -= len(dropped.body)


def path_filter(folder: Path, denied: Callable[[Path], bool]) -> Callable[[bytes], bool]:
    """Whether a path of the output, relative to `folder`, may be shown."""

    prefix = f"{folder}/"

    def wanted(name: bytes) -> bool:
        return not denied(Path(prefix + display_path(name)))

    return wanted


def display_path(name: bytes) -> str:
    """A path of the output as text without its leading `./`."""
    return name.removeprefix(b"./").decode("utf-8", "surrogateescape")
