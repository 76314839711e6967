"""Where the model keeps its own memory: a folder per repository with an index, MEMORY.md."""

from collections.abc import Mapping
from pathlib import Path

INDEX = "MEMORY.md"


def memory_enabled(setting: bool | None, env: Mapping[str, str]) -> bool:
    """Whether auto memory is on: the variable wins both ways, then `autoMemoryEnabled`."""
    if env.get("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "").lower() in ("1", "true", "yes", "on"):
        return False
    switch = env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "").lower()
    if switch:
        return switch in ("0", "false", "no", "off")
    return setting is not False


def memory_directory(project_directory: Path, configured: str, home: Path) -> Path:
    """Where memories lie; `configured` (`autoMemoryDirectory`) counts if absolute or `~/`.

    `project_directory` is `paths.project_directory` of the main checkout, so that worktrees and
    subdirectories share one memory.
    """
    if configured.startswith("~/"):
        return home / configured[2:]
    if configured.startswith("/"):
        return Path(configured)
    return project_directory / "memory"
