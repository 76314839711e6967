"""Where things lie, and what a project is called."""

import os
import unicodedata
from pathlib import Path

import pytest

from hames.settings import paths
from hames.settings.repository import Repository

HOME = Path("/h")


@pytest.mark.parametrize(
    ("env", "folder", "config"),
    [
        ({}, "/h/.claude", "/h/.claude.json"),
        ({"CLAUDE_CONFIG_DIR": ""}, "/h/.claude", "/h/.claude.json"),
        ({"CLAUDE_CONFIG_DIR": "/c"}, "/c", "/c/.claude.json"),
        ({"CLAUDE_CONFIG_DIR": "~/c/"}, "/h/c", "/h/c/.claude.json"),
        ({"CLAUDE_CONFIG_DIR": "/cafe\u0301"}, "/caf\u00e9", "/caf\u00e9/.claude.json"),
    ],
)
def test_the_config_home(env: dict[str, str], folder: str, config: str) -> None:
    assert str(paths.config_home(env, HOME)) == folder
    assert str(paths.global_config_file(env, HOME)) == config
    assert str(paths.user_settings_file(env, HOME)) == f"{folder}/settings.json"


@pytest.mark.parametrize(("text", "digest"), [("", "0"), ("a", "2p"), ("abc", "22ci")])
def test_the_hash_of_long_paths(text: str, digest: str) -> None:
    assert paths.path_hash(text) == digest


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/a.b_c", "-a-b-c"),
        ("/home/u/Projekt Ü", "-home-u-Projekt--"),
        ("/" + "x" * 199, "-" + "x" * 199),
    ],
)
def test_project_keys(path: str, key: str) -> None:
    assert paths.project_key(Path(path)) == key


def test_long_project_keys_end_in_a_hash() -> None:
    path = "/" + "x" * 200
    expected = "-" + "x" * 199 + "-" + paths.path_hash(path)
    assert paths.project_key(Path(path)) == expected


def test_the_project_folder_follows_links_and_composes_characters(tmp_path: Path) -> None:
    folder = tmp_path / "cafe\u0301"
    folder.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder)
    found = paths.project_directory({}, HOME, link)
    composed = unicodedata.normalize("NFC", os.path.realpath(folder))
    assert found == HOME / ".claude" / "projects" / paths.project_key(Path(composed))


@pytest.mark.parametrize(
    ("env", "named"),
    [
        ({"CLAUDE_CODE_PROJECT_DIR_NAME": "mine"}, False),
        ({"CLAUDE_CODE_PROJECT_DIR_NAME": "mine", "CLAUDE_CONFIG_DIR": "/c"}, True),
        ({"CLAUDE_CODE_PROJECT_DIR_NAME": "../x", "CLAUDE_CONFIG_DIR": "/c"}, False),
        ({"CLAUDE_CODE_PROJECT_DIR_NAME": "x" * 65, "CLAUDE_CONFIG_DIR": "/c"}, False),
    ],
)
def test_an_own_name_needs_an_own_config_home(env: dict[str, str], named: bool) -> None:
    found = paths.project_directory(env, HOME, Path("/w"))
    assert found.name == ("mine" if named else "-w")


def test_sessions_of_long_paths_are_found_under_other_hashes(tmp_path: Path) -> None:
    cwd = Path("/" + "x" * 220)
    own = paths.project_directory({}, tmp_path, cwd)
    other = own.with_name(own.name[:201] + "zz9")
    other.mkdir(parents=True)
    (own.parent / ("-" + "x" * 50)).mkdir()
    assert paths.project_directories({}, tmp_path, cwd) == (other,)
    own.mkdir()
    assert paths.project_directories({}, tmp_path, cwd) == (own, other)


def test_files_of_a_session() -> None:
    project = Path("/p")
    assert str(paths.session_file(project, "s")) == "/p/s.jsonl"
    assert str(paths.subagent_file(project, "s", "a")) == "/p/s/subagents/agent-a.jsonl"
    assert str(paths.tool_results_directory(project, "s")) == "/p/s/tool-results"


def test_the_local_file_lies_at_the_main_checkout(tmp_path: Path) -> None:
    root, tree = tmp_path / "repo", tmp_path / "tree"
    (root / ".git").mkdir(parents=True)
    tree.mkdir()
    repository = Repository(tree, root / ".git", root / ".git", root)
    local = paths.local_settings_file(tree, repository, HOME)
    assert local == root / ".claude" / "settings.local.json"
    assert paths.local_settings_file(tree, None, HOME) == tree / ".claude" / "settings.local.json"


def test_a_home_directory_under_git_keeps_local_files_where_work_starts(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    work = tmp_path / "work"
    repository = Repository(tmp_path, tmp_path / ".git", tmp_path / ".git", tmp_path)
    found = paths.local_settings_file(work, repository, tmp_path)
    assert found == work / ".claude" / "settings.local.json"


@pytest.mark.parametrize("name", ["", ".git", ".claude"])
def test_a_checkout_of_somebody_else_does_not_hold_the_local_file(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / ".claude").mkdir()
    os.chown(root / name, 12345, -1)
    repository = Repository(root, root / ".git", root / ".git", root)
    cwd = root / "sub"
    expected = cwd / ".claude" / "settings.local.json"
    assert paths.local_settings_file(cwd, repository, HOME) == expected
