"""The git repository around a directory, read from its files without starting git."""

from pathlib import Path
from typing import NamedTuple

_SMALL = 4096
"""Bytes; no file read here is larger in a sane repository, except packed-refs."""

_PACKED_LIMIT = 4 << 20
"""Bytes of packed-refs looked at."""


class Repository(NamedTuple):
    """Where a repository lies; all paths are real paths.

    `root` is the top of the working tree asked about, `git_dir` its git folder and `common_dir`
    the one shared by all worktrees. `main` is the main checkout: `root` itself unless it is a
    linked worktree that the main repository knows too.
    """

    root: Path
    git_dir: Path
    common_dir: Path
    main: Path

    @property
    def is_worktree(self) -> bool:
        """Whether `root` is a linked worktree of `main`."""
        return self.root != self.main


def find_repository(start: Path) -> Repository | None:
    """The innermost repository that holds `start`; None outside git."""
    try:
        start = start.resolve()
    except (OSError, RuntimeError):
        return None
    for directory in (start, *start.parents):
        found = _repository_at(directory)
        if found is not None:
            return found
    return None


def current_branch(repository: Repository) -> str | None:
    """The checked-out branch, `detached at <12 digits>`, or None when HEAD does not tell."""
    head = read_small(repository.git_dir / "HEAD")
    if head is None:
        return None
    if head.startswith("ref: "):
        name = head[5:].strip()
        # The reftable format keeps a placeholder here; the true branch is not in this file.
        return None if name.endswith("/.invalid") else name.removeprefix("refs/heads/")
    return f"detached at {head[:12]}"


def main_branch(repository: Repository) -> str | None:
    """The branch others start from: origin's HEAD, else a local `main` or `master`."""
    remote = read_small(repository.common_dir / "refs" / "remotes" / "origin" / "HEAD")
    prefix = "ref: refs/remotes/origin/"
    if remote is not None and remote.startswith(prefix):
        return remote[len(prefix) :]
    names = ("main", "master")
    heads = repository.common_dir / "refs" / "heads"
    loose = next((name for name in names if read_small(heads / name) is not None), None)
    return loose or _packed_branch(repository.common_dir / "packed-refs", names)


def read_small(path: Path) -> str | None:
    """The first line of a small file, stripped; None when it cannot be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(_SMALL)
    except OSError:
        return None
    text = data.decode("utf-8", "replace").strip()
    return text.splitlines()[0] if text else None


def _repository_at(directory: Path) -> Repository | None:
    dot_git = directory / ".git"
    try:
        if dot_git.is_dir():
            if not (dot_git / "HEAD").is_file():
                return None
            git_dir = dot_git.resolve()
            return Repository(directory, git_dir, git_dir, directory)
    except (OSError, RuntimeError):
        return None
    pointer = read_small(dot_git)
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    return _linked(directory, dot_git, directory / pointer[len("gitdir:") :].strip())


def _linked(directory: Path, dot_git: Path, target: Path) -> Repository | None:
    try:
        git_dir = target.resolve()
        if not (git_dir / "HEAD").is_file():
            return None
        common = read_small(git_dir / "commondir")
        if common is None:
            return Repository(directory, git_dir, git_dir, directory)
        common_dir = (git_dir / common).resolve()
        back = read_small(git_dir / "gitdir")
        known = back is not None and (git_dir / back).resolve() == dot_git.resolve()
    except (OSError, RuntimeError):
        return None
    # A forged pointer must not borrow the name (memory, trust) of another repository: the link
    # counts only when the main repository points back.
    if not known or git_dir.parent != common_dir / "worktrees":
        return Repository(directory, git_dir, git_dir, directory)
    main = common_dir.parent if common_dir.name == ".git" else directory
    return Repository(directory, git_dir, common_dir, main)


def _packed_branch(path: Path, names: tuple[str, ...]) -> str | None:
    try:
        with path.open("rb") as file:
            text = file.read(_PACKED_LIMIT).decode("utf-8", "replace")
    except OSError:
        return None
    refs = {line.split(" ", 1)[-1] for line in text.splitlines()}
    return next((name for name in names if f"refs/heads/{name}" in refs), None)
