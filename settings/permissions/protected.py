"""Paths that no rule pre-approves: files that run code or change what hames may do."""

import posixpath
import re
from collections.abc import Sequence

from hames.settings.permissions.overlap import Tokens, segments_meet

_FOLDERS = frozenset(
    {
        ".git",
        ".vscode",
        ".idea",
        ".husky",
        ".cargo",
        ".devcontainer",
        ".yarn",
        ".mvn",
        ".claude",
        ".hames",
    }
)
_FILES = frozenset(
    {
        ".gitconfig",
        ".gitmodules",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_aliases",
        ".bash_logout",
        ".zshrc",
        ".zprofile",
        ".zshenv",
        ".zlogin",
        ".zlogout",
        ".profile",
        ".envrc",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".pnp.cjs",
        ".pnp.loader.mjs",
        ".pnpmfile.cjs",
        "bunfig.toml",
        ".bunfig.toml",
        ".bazelrc",
        ".bazelversion",
        ".bazeliskrc",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        "lefthook.yaml",
        ".lefthook.yml",
        ".lefthook.yaml",
        "gradle-wrapper.properties",
        "maven-wrapper.properties",
        ".devcontainer.json",
        ".ripgreprc",
        "pyrightconfig.json",
        ".mcp.json",
        ".claude.json",
    }
)
_NAMES: tuple[Tokens, ...] = tuple(
    tuple(("char", char) for char in name) for name in sorted(_FOLDERS | _FILES)
)
_VISIBLE = frozenset(name for name in _FILES if not name.startswith("."))
_PROCESS = re.compile(
    r"/(proc/(self|thread-self|[0-9]+)(/task/[0-9]+)?/(environ|mem|fd(/.*)?|map_files(/.*)?)"
    r"|dev/fd(/.*)?)"
)


def protected_name(path: str, settings_dir: str | None = None) -> str | None:
    """The part of an absolute path that makes it protected; None when it is an ordinary path."""
    names = path.lower().split("/")
    for index, name in enumerate(names):
        if name in _FILES:
            return name
        if name in _FOLDERS and not _is_ordinary(names, index):
            return name
        if name == ".config" and names[index + 1 : index + 2] == ["git"]:
            return ".config/git"
    if settings_dir is None or within(path, posixpath.join(settings_dir, "worktrees")):
        return None
    return settings_dir if within(path, settings_dir) else None


def _is_ordinary(names: Sequence[str], index: int) -> bool:
    """`.claude/worktrees` holds ordinary checkouts, `.claude/agent-memory` notes."""
    after = names[index + 1 : index + 2]
    if names[index] != ".claude" or len(names) < index + 3:
        return False
    return after == ["worktrees"] or (after == ["agent-memory"] and names[-1].endswith(".md"))


def glob_may_be_protected(segments: Sequence[Tokens]) -> bool:
    """Whether an unquoted glob is written so that it can expand to a protected file or folder.

    `build/*` is not: what it matches of the few names without a dot is looked up on disk.
    """
    for segment in segments:
        folded = tuple((kind, text.lower()) for kind, text in segment)
        if folded and folded[0][0] == "char" and any(segments_meet(folded, n) for n in _NAMES):
            return True
    return False


def visible_protected(name: str) -> bool:
    """Whether a file name is protected and begins with no dot, so that `*` matches it."""
    return name.lower() in _VISIBLE


def process_secret(path: str) -> bool:
    """Whether the path shows the environment, memory or open files of a process."""
    return _PROCESS.fullmatch(path) is not None


def within(path: str, folder: str) -> bool:
    """Whether an absolute path is the folder or lies below it, compared by segments."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def within_any(path: str, folders: Sequence[str]) -> bool:
    """Whether the path lies in one of the folders."""
    return any(within(path, folder) for folder in folders)
