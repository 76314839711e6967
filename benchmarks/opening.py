"""How long hames takes to its first request, in projects that could hold it up.

Run with `python -m benchmarks.opening [rounds]`; prints one JSON object: per project the medians
of wall and CPU milliseconds from the start of the process to its first request.
"""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROUNDS = 15
FILES = 100_000
PER_FOLDER = 1000
WAIT = 30.0


def plain(folder: Path) -> None:
    """No repository, no file."""
    del folder


def repository(folder: Path) -> None:
    """A repository with one commit."""
    (folder / "README.md").write_text("hello\n", encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@example.invalid", "commit", "-qm", "first")


def large(folder: Path) -> None:
    """A repository with 100,000 tracked files."""
    for start in range(0, FILES, PER_FOLDER):
        inner = folder / f"d{start // PER_FOLDER}"
        inner.mkdir()
        for number in range(start, start + PER_FOLDER):
            (inner / f"f{number}.txt").touch()
    repository(folder)


def furnished(folder: Path) -> None:
    """A repository with instructions, a rule, a skill, a command and an agent."""
    repository(folder)
    files = {
        "CLAUDE.md": "Run the tests with `make test`.\n",
        ".claude/rules/style.md": "Short functions.\n",
        ".claude/skills/deploy/SKILL.md": "---\ndescription: Deploys\n---\nDeploy it.\n",
        ".claude/commands/fix.md": "---\ndescription: Fixes\n---\nFix $ARGUMENTS.\n",
        ".claude/agents/reviewer.md": "---\nname: reviewer\ndescription: Reviews\n---\nReview.\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


PROJECTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "no repository": (plain, "real"),
    "repository": (repository, "real"),
    "repository, no git": (repository, "none"),
    "repository, git sleeps": (repository, "slow"),
    "100,000 files": (large, "real"),
    "instructions and definitions": (furnished, "real"),
}
"""How each project is made, and which git it finds."""


def git(folder: Path, *words: str) -> None:
    """Run git in `folder`."""
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def search_path(kind: str, folder: Path) -> str:
    """A PATH with the real git, with none, or with one that sleeps for a minute."""
    if kind == "real":
        return os.environ["PATH"]
    folder.mkdir(exist_ok=True)
    if kind == "slow":
        program = folder / "git"
        program.write_text("#!/bin/sh\nexec /bin/sleep 60\n", encoding="utf-8")
        program.chmod(0o755)
    return str(folder)


def first_request(project: Path, env: dict[str, str], server: socket.socket) -> tuple[float, float]:
    """Wall and CPU seconds of one run up to its first request; the run is ended there."""
    began = time.perf_counter()
    words = [sys.executable, "-m", "hames", "-p", "hello", "--no-session-persistence"]
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(words, cwd=project, env=env, stdin=quiet, stdout=quiet, stderr=quiet)
    connection, _ = server.accept()
    with connection:
        connection.recv(1)
        taken = time.perf_counter() - began
        child.kill()
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
    return taken, used.ru_utime + used.ru_stime


def measure(name: str, rounds: int, place: Path) -> dict[str, float]:
    """The medians of one project in milliseconds."""
    make, kind = PROJECTS[name]
    project, home = place / "project", place / "home"
    project.mkdir()
    home.mkdir()
    make(project)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WAIT)
        env = {
            "PATH": search_path(kind, place / "bin"),
            "HOME": str(home),
            "PYTHONPATH": os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path),
            "ANTHROPIC_API_KEY": "key",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
        }
        first_request(project, env, server)
        taken = [first_request(project, env, server) for _ in range(rounds)]
    walls, cpus = zip(*taken, strict=True)
    return {
        "wall_ms": round(statistics.median(walls) * 1000, 1),
        "cpu_ms": round(statistics.median(cpus) * 1000, 1),
    }


def main() -> None:
    """Measure every project."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    found: dict[str, dict[str, float]] = {}
    for name in PROJECTS:
        place = Path(tempfile.mkdtemp(prefix="hames-opening-"))
        try:
            found[name] = measure(name, rounds, place)
        finally:
            shutil.rmtree(place)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
