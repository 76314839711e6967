"""The fixture projects of `tests/data/projects`, made anew for each test."""

import os
import shutil
import subprocess
from pathlib import Path

DATA = Path(__file__).parents[1] / "data"

PROJECTS = {
    "empty": ("", ""),
    "python": ("", ""),
    "monorepo": ("apps/web", ""),
    "styled": ("", "Reviewer"),
    "hostile": ("", ""),
}
"""Fixture to its working directory and output style."""


def make_project(name: str, tmp_path: Path) -> Path:
    """The project in `tmp_path/work`; what it wants in the user's folder goes to the home there."""
    root = tmp_path / "work" / name
    if name == "empty":
        root.mkdir()
        return root
    shutil.copytree(DATA / "projects" / name, root)
    if name == "python":
        make_repository(root)
    if name == "monorepo":
        (root / ".git").mkdir()
        (root / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    if name == "styled":
        shutil.move(root / "user", tmp_path / "home" / ".claude")
    return root


def make_repository(root: Path) -> None:
    """The same commits, and so the same ids, on every run."""
    who = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-02T03:04:05Z"}
    names = {f"GIT_{role}_{k}": v for role in ("AUTHOR", "COMMITTER") for k, v in who.items()}
    for arguments in (
        ("init", "-q", "-b", "main"),
        ("add", "src"),
        ("commit", "-q", "-m", "Print a greeting"),
        ("switch", "-q", "-c", "greeting"),
    ):
        subprocess.run(["git", *arguments], cwd=root, env={**os.environ, **names}, check=True)
