"""The instructions people keep for the model: the CLAUDE.md chain, rules, and nested files."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from hames.settings.memory_files import Memory, MemoryFile, MemoryRequest, Reason
from hames.settings.memory_imports import Loading, append, load_file
from hames.settings.memory_rules import load_rules, rule_matches
from hames.settings.text_files import is_file, real_path

_ADDED_SWITCH = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD"
_OFF_SWITCH = "CLAUDE_CODE_DISABLE_CLAUDE_MDS"


def load_memory(request: MemoryRequest) -> Memory:
    """What counts from the start, in reading order: managed, user, root down to cwd, added."""
    loading = Loading(request)
    if is_switched_on(request, _OFF_SWITCH):
        return loading.result()
    _load_managed(loading)
    if "user" in request.sources:
        load_file(loading, request.config_dir / "CLAUDE.md", "user", "session_start")
        rules = request.config_dir / "rules"
        load_rules(loading, rules, "user", request.cwd, "session_start")
    for directory in (*reversed(request.cwd.parents), request.cwd):
        _load_directory(loading, directory, "session_start")
    if is_switched_on(request, _ADDED_SWITCH):
        for directory in request.added:
            _load_directory(loading, directory, "session_start")
    return loading.result()


def nested_memory(
    request: MemoryRequest, memory: Memory, read: Path, already: Iterable[Path] = ()
) -> Memory:
    """What a read of `read` adds: files of the directories below cwd, and rules that match.

    `already` are the paths of files injected since the last compaction.
    """
    if is_switched_on(request, _OFF_SWITCH):
        return Memory()
    known = {file.path for file in memory.files}
    loading = Loading(request, seen={real_path(path) for path in (*known, *already)})
    for directory in _directories_below(request.cwd, read):
        _load_directory(loading, directory, "nested_traversal")
    injected = {real_path(path) for path in already}
    for rule in (*memory.conditional, *loading.conditional):
        if real_path(rule.path) not in injected and rule_matches(rule, read):
            matched = MemoryFile(
                rule.path, rule.kind, rule.text, rule.globs, None, "path_glob_match", rule.base
            )
            append(loading, matched)
    return loading.result()


def is_switched_on(request: MemoryRequest, name: str) -> bool:
    """Whether an environment switch of the request is set to a true value."""
    return request.env.get(name, "").lower() in ("1", "true", "yes", "on")


def _load_managed(loading: Loading) -> None:
    folder = loading.request.managed_dir
    if folder is not None:
        load_file(loading, folder / "CLAUDE.md", "managed", "session_start")
        if loading.request.managed_text.strip():
            settings = folder / "managed-settings.json"
            append(loading, MemoryFile(settings, "managed", loading.request.managed_text))


def _load_directory(loading: Loading, directory: Path, reason: Reason) -> None:
    request = loading.request
    if "project" in request.sources and not _is_shadowed(request, directory):
        for path in _instruction_files(request, directory):
            load_file(loading, path, "project", reason)
        if not _is_config(request, directory):
            rules = directory / ".claude" / "rules"
            load_rules(loading, rules, "project", directory, reason)
    if "local" in request.sources:
        load_file(loading, directory / "CLAUDE.local.md", "local", reason)


def _instruction_files(request: MemoryRequest, directory: Path) -> Iterator[Path]:
    names = request.instructions
    claude = [directory / "CLAUDE.md"]
    if not _is_config(request, directory):
        claude.append(directory / ".claude" / "CLAUDE.md")
    if names is None:
        names = ("CLAUDE.md",) if any(map(is_file, claude)) else ("AGENTS.md",)
    for name in names:
        if name == "CLAUDE.md":
            yield from claude
        elif Path(name).name == name:
            yield directory / name


def _is_config(request: MemoryRequest, directory: Path) -> bool:
    """Whether `directory/.claude` is the user's own folder, which is not a project's."""
    return real_path(directory / ".claude") == real_path(request.config_dir)


def _is_shadowed(request: MemoryRequest, directory: Path) -> bool:
    """Whether a linked worktree below `directory` has its own copy of these files."""
    repository = request.repository
    if repository is None or not repository.is_worktree:
        return False
    real = real_path(directory)
    is_above = repository.root.is_relative_to(real) and repository.root != real
    return is_above and real.is_relative_to(repository.main)


def _directories_below(cwd: Path, read: Path) -> list[Path]:
    for path, root in ((read, cwd), (real_path(read), real_path(cwd))):
        if path.is_relative_to(root) and ".." not in path.parts:
            inner = path.relative_to(root).parts[:-1]
            return [root.joinpath(*inner[: n + 1]) for n in range(len(inner))]
    return []
