"""The small project that hames is measured in, and the environment it runs with."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.install import plain_environment

RULES = {
    "allow": ["Bash(git status)", "Bash(git diff *)", "Bash(make test)", "Read(docs/**)"],
    "ask": ["Bash(git push *)", "Edit(/pyproject.toml)"],
    "deny": ["Read(.env)", "Read(secrets/**)", "Bash(curl *)", "WebFetch"],
}
MEMORY = "# Project\n\nA small service. Run `make test` before you say that you are done.\n"
_CREDENTIALS = ("ANTHROPIC_", "CLAUDE", "HAMES_")


def make_project(folder: Path) -> Path:
    """A git repository with one commit, ten permission rules and a CLAUDE.md."""
    project = folder / "project"
    (project / ".claude").mkdir(parents=True)
    (project / "CLAUDE.md").write_text(MEMORY, encoding="utf-8")
    settings = json.dumps({"permissions": RULES}, indent=2)
    (project / ".claude" / "settings.json").write_text(settings, encoding="utf-8")
    (project / "service.py").write_text("def answer() -> int:\n    return 42\n", encoding="utf-8")
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "A service")):
        subprocess.run(("git", *identity, *words), cwd=project, check=True)
    return project


def environment(folder: Path, url: str) -> Mapping[str, str]:
    """Variables of a user with a home of its own, a key, and the API at `url`."""
    kept = {k: v for k, v in plain_environment().items() if not k.startswith(_CREDENTIALS)}
    return kept | {
        "HOME": str(folder / "home"),
        "CLAUDE_CONFIG_DIR": str(folder / "config"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "sk-bench",
        "NO_PROXY": "127.0.0.1",
        "IS_SANDBOX": "1",
    }
