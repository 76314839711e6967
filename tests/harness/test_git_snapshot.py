"""Git facts: complete when git is quick, left out when it is slow or missing, never a delay."""

import asyncio
import os
import subprocess
import time
from pathlib import Path

import pytest

from hames.harness.git_snapshot import GitFacts, git_section, start_git_snapshot
from hames.settings.repository import Repository, find_repository

PLENTY = 20.0


def git(cwd: Path, *args: str) -> None:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args]
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


def found(root: Path) -> Repository:
    repository = find_repository(root)
    assert repository is not None
    return repository


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "work" / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def snapshot(root: Path, budget: float, path: str | None = None) -> GitFacts:
    async def take() -> GitFacts:
        env = {**os.environ, **({"PATH": path} if path is not None else {})}
        running = await start_git_snapshot(found(root), env)
        return await running.facts(budget)

    return asyncio.run(take())


def fake_git(tmp_path: Path, script: str) -> str:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "git").chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_all_facts_of_a_small_repository(repo: Path) -> None:
    for n in range(7):
        git(repo, "commit", "-q", "--allow-empty", "-m", f"change {n}")
    git(repo, "switch", "-q", "-c", "topic")
    (repo / "new.txt").write_text("x")
    (repo / ".git" / "index.lock").write_text("")
    facts = snapshot(repo, PLENTY)
    assert (facts.branch, facts.main, facts.status) == ("topic", "main", "?? new.txt\n")
    assert facts.commits is not None
    subjects = [line.split(" ", 1)[1] for line in facts.commits.splitlines()]
    assert subjects == [f"change {n}" for n in (6, 5, 4, 3, 2)]


def test_a_repository_without_commits(repo: Path) -> None:
    assert snapshot(repo, PLENTY) == GitFacts("main", None, "", "")


def test_slow_git_is_left_out_and_ended(repo: Path, tmp_path: Path) -> None:
    path = fake_git(tmp_path, f"echo $$ >> {tmp_path}/pids; exec sleep 60")
    before = time.monotonic()
    assert snapshot(repo, 0.5, path) == GitFacts("main", None, None, None)
    assert time.monotonic() - before < 5
    for pid in (tmp_path / "pids").read_text().split():
        assert not Path("/proc", pid).exists()


def test_git_runs_while_the_start_goes_on(repo: Path, tmp_path: Path) -> None:
    path = fake_git(tmp_path, f"echo x > {tmp_path}/started; exec sleep 60")

    async def start() -> bool:
        running = await start_git_snapshot(found(repo), {**os.environ, "PATH": path})
        # The loop is not entered again: the start is busy importing.
        deadline = time.monotonic() + PLENTY
        while not (tmp_path / "started").exists() and time.monotonic() < deadline:
            os.sched_yield()
        await running.facts(0)
        return (tmp_path / "started").exists()

    assert asyncio.run(start())


def test_no_git_on_the_path(repo: Path, tmp_path: Path) -> None:
    assert snapshot(repo, PLENTY, str(tmp_path)) == GitFacts("main", None, None, None)


def test_failing_git(repo: Path, tmp_path: Path) -> None:
    path = fake_git(tmp_path, "exit 1")
    assert snapshot(repo, PLENTY, path) == GitFacts("main", None, None, None)


def test_settings_of_the_repository_start_nothing(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "evil").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "evil").chmod(0o755)
    git(repo, "config", "core.fsmonitor", str(tmp_path / "evil"))
    git(repo, "config", "core.pager", str(tmp_path / "evil"))
    assert snapshot(repo, PLENTY).status == ""
    assert not (tmp_path / "ran").exists()


def test_the_section_is_the_same_text_for_the_same_facts() -> None:
    facts = GitFacts("topic", "main", " M a.py\n?? b\x1b[2J\n", "abc one\n")
    assert git_section(facts) == (
        "# Git at the start of the session\n\nThis is a snapshot and is not updated.\n\n"
        "Branch: topic\nMain branch: main\n\n"
        "Status:\n M a.py\n?? b\\x1b[2J\n\nRecent commits:\nabc one"
    )
    assert git_section(None) == ""


def test_what_is_missing_is_said() -> None:
    text = git_section(GitFacts(None, None, None, None))
    assert "Branch: (unknown)" in text
    assert "Status" not in text
    assert text.endswith("run it when you need them.")
    clean = git_section(GitFacts("a\nb", "main", "", ""))
    assert "Branch: a\\nb" in clean
    assert "(clean)" in clean and "(none)" in clean


def test_a_long_status_is_cut_at_a_line() -> None:
    status = "".join(f"?? file-{n}\n" for n in range(1000))
    text = git_section(GitFacts("a", "a", status, ""))
    shown = text.split("Status:\n")[1].split("\n\n")[0]
    assert len(shown) < 2100
    assert shown.endswith("(cut; run git status for the rest)")
    assert shown.splitlines()[-2].startswith("?? file-1")
