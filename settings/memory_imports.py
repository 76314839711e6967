"""Loading one memory file with what it imports: `@path`, four hops, circles cut."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hames.settings.globs import matches_any
from hames.settings.memory_files import (
    ImportRequest,
    Kind,
    Memory,
    MemoryFile,
    MemoryRequest,
    Reason,
)
from hames.settings.memory_text import mentions, without_comments
from hames.settings.text_files import Problem, is_file, read_optional, real_path

MAX_HOPS = 4
"""Imports of imports are followed this far."""

MAX_IMPORTS = 500
"""Imported files of one load; more is a mistake."""


@dataclass(slots=True)
class Loading:
    """A load under way. `seen` holds real paths: each file is loaded once."""

    request: MemoryRequest
    seen: set[Path] = field(default_factory=set[Path])
    files: list[MemoryFile] = field(default_factory=list[MemoryFile])
    conditional: list[MemoryFile] = field(default_factory=list[MemoryFile])
    imports: list[ImportRequest] = field(default_factory=list[ImportRequest])
    problems: list[Problem] = field(default_factory=list[Problem])
    imported: int = 0

    def result(self) -> Memory:
        """What was loaded so far."""
        return Memory(
            tuple(self.files), tuple(self.conditional), tuple(self.imports), tuple(self.problems)
        )


def load_file(loading: Loading, path: Path, kind: Kind, reason: Reason) -> None:
    """Append a file and its imports; nothing when it is missing, excluded or known."""
    text = claim(loading, path, kind)
    if text is not None:
        append(loading, MemoryFile(path, kind, without_comments(text), reason=reason))


def claim(loading: Loading, path: Path, kind: Kind) -> str | None:
    """The text of a file that is not loaded yet and not excluded; marks it as loaded."""
    real = real_path(path)
    if real in loading.seen or (kind != "managed" and _excluded(loading.request, (path, real))):
        return None
    text = read_optional(path, loading.problems)
    if text is not None:
        loading.seen.add(real)
    return text


def append(loading: Loading, file: MemoryFile, hops: int = 0) -> None:
    """Append a file that was read, then its imports in the order of their mention."""
    if file.text.strip():
        loading.files.append(file)
    for spellings in mentions(file.text):
        target = _target(loading.request, file, spellings)
        if target is None or real_path(target) in loading.seen:
            continue
        if hops == MAX_HOPS:
            text = f"import of {target} is more than {MAX_HOPS} files deep and was left out"
            loading.problems.append(Problem(file.path, text))
        elif _permitted(loading, target, file):
            _import(loading, target, file, hops)


def _import(loading: Loading, target: Path, parent: MemoryFile, hops: int) -> None:
    if loading.imported == MAX_IMPORTS:
        excess = f"more than {MAX_IMPORTS} imports; {target} was left out"
        loading.problems.append(Problem(parent.path, excess))
        return
    content = claim(loading, target, parent.kind)
    if content is not None:
        loading.imported += 1
        text = without_comments(content)
        child = MemoryFile(target, parent.kind, text, parent=parent.path, reason="include")
        append(loading, child, hops + 1)


def _target(request: MemoryRequest, file: MemoryFile, spellings: Iterable[str]) -> Path | None:
    """The file a mention means; None for directories, missing files and plain words."""
    for spelt in spellings:
        base = request.home if spelt.startswith("~/") else file.path.parent
        path = base / spelt.removeprefix("~/")
        if is_file(path):
            return _normal(path)
    return None


def _normal(path: Path) -> Path:
    # `a/../b` means b only where a is no link, so a path with `..` is named by its real one.
    return real_path(path) if ".." in path.parts else path


def _permitted(loading: Loading, target: Path, parent: MemoryFile) -> bool:
    request = loading.request
    if parent.kind in ("managed", "user") or _inside(request, target):
        return True
    if request.outside == "ask":
        wish = ImportRequest(target, parent.path)
        if wish not in loading.imports:
            loading.imports.append(wish)
    return request.outside == "allow"


def _inside(request: MemoryRequest, target: Path) -> bool:
    roots = [request.cwd, *request.added]
    if request.repository is not None:
        roots.append(request.repository.root)
    real = real_path(target)
    return any(real.is_relative_to(real_path(root)) for root in roots)


def _excluded(request: MemoryRequest, paths: Iterable[Path]) -> bool:
    if not request.excludes:
        return False
    home = request.home.as_posix()
    patterns = [f"{home}{p[1:]}" if p.startswith("~/") else p for p in request.excludes]
    return any(matches_any(patterns, path.as_posix()) for path in paths)
