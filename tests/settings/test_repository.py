"""Repository facts come from files; links between repositories are checked both ways."""

import subprocess
from pathlib import Path

import pytest

from hames.settings.repository import Repository, current_branch, find_repository, main_branch


def git(cwd: Path, *args: str) -> None:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *args]
    subprocess.run(command, cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "commit", "-q", "--allow-empty", "-m", "first")
    return root


def test_a_subdirectory_belongs_to_its_repository(repo: Path) -> None:
    deep = repo / "a" / "b"
    deep.mkdir(parents=True)
    found = find_repository(deep)
    assert found == Repository(repo, repo / ".git", repo / ".git", repo)
    assert (current_branch(found), main_branch(found)) == ("main", "main")
    assert not found.is_worktree


def test_no_repository(tmp_path: Path) -> None:
    assert find_repository(tmp_path / "work") is None
    assert find_repository(tmp_path / "missing") is None
    (tmp_path / "work" / ".git").mkdir()
    assert find_repository(tmp_path / "work") is None
    (tmp_path / "home" / ".git").write_text("nonsense")
    assert find_repository(tmp_path / "home") is None


def test_a_linked_worktree_knows_its_main_checkout(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "tree"))
    found = find_repository(tmp_path / "tree")
    assert found is not None
    assert (found.root, found.main, found.common_dir) == (tmp_path / "tree", repo, repo / ".git")
    assert found.is_worktree
    assert (current_branch(found), main_branch(found)) == ("topic", "main")


def test_a_forged_worktree_link_borrows_nothing(repo: Path, tmp_path: Path) -> None:
    fake = tmp_path / "fake"
    folder = fake / "inner"
    folder.mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/evil\n")
    (folder / "commondir").write_text(f"{repo / '.git'}\n")
    (folder / "gitdir").write_text(f"{fake / '.git'}\n")
    (fake / ".git").write_text(f"gitdir: {folder}\n")
    found = find_repository(fake)
    assert found == Repository(fake, folder, folder, fake)


def test_a_pointer_to_the_worktree_of_another_checkout_borrows_nothing(
    repo: Path, tmp_path: Path
) -> None:
    git(repo, "worktree", "add", "-q", "-b", "topic", str(tmp_path / "tree"))
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_text((tmp_path / "tree" / ".git").read_text())
    found = find_repository(thief)
    assert found is not None
    assert found.main == thief


def test_a_submodule_is_its_own_repository(repo: Path) -> None:
    module = repo / "sub"
    module.mkdir()
    store = repo / ".git" / "modules" / "sub"
    store.mkdir(parents=True)
    (store / "HEAD").write_text("0123456789abcdef0123456789abcdef01234567\n")
    (module / ".git").write_text("gitdir: ../.git/modules/sub\n")
    found = find_repository(module)
    assert found == Repository(module, store, store, module)
    assert current_branch(found) == "detached at 0123456789ab"
    assert main_branch(found) is None


def test_the_main_branch_prefers_the_remote_then_packed_names(repo: Path) -> None:
    git(repo, "branch", "-m", "main", "work")
    git(repo, "branch", "master")
    git(repo, "pack-refs", "--all")
    found = find_repository(repo)
    assert found is not None
    assert main_branch(found) == "master"
    remote = repo / ".git" / "refs" / "remotes" / "origin"
    remote.mkdir(parents=True)
    (remote / "HEAD").write_text("ref: refs/remotes/origin/trunk\n")
    assert main_branch(found) == "trunk"


def test_an_unborn_or_placeholder_head(repo: Path) -> None:
    found = find_repository(repo)
    assert found is not None
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert current_branch(found) is None
    (repo / ".git" / "HEAD").write_text("")
    assert current_branch(found) is None
