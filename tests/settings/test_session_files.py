"""Settings decide what is looked for on disk."""

import json
from pathlib import Path

import pytest

from hames.settings.definition_load import DefinitionRequest
from hames.settings.definitions import Places
from hames.settings.load import LoadRequest, load_settings
from hames.settings.memory_files import MemoryRequest
from hames.settings.plugins import PluginRequest
from hames.settings.repository import Repository
from hames.settings.session_files import SessionStart, memory_folder
from hames.settings.session_requests import definition_request, memory_request
from hames.settings.snapshot import Snapshot


@pytest.fixture
def start(tmp_path: Path) -> SessionStart:
    return SessionStart(tmp_path / "work", tmp_path / "home", {}, managed_dir=tmp_path / "etc")


def settings(start: SessionStart, **values: object) -> Snapshot:
    folder = start.home / ".claude"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(values))
    return load_settings(LoadRequest(start.cwd, start.env, start.home, start.managed_dir))


def test_defaults(start: SessionStart) -> None:
    snapshot = settings(start)
    config = start.home / ".claude"
    assert memory_request(snapshot, start) == MemoryRequest(
        start.cwd, start.home, config, start.managed_dir
    )
    assert definition_request(snapshot, start) == DefinitionRequest(
        Places(start.cwd, config, start.managed_dir), PluginRequest(config)
    )
    folder = memory_folder(snapshot, start)
    assert folder is not None
    assert folder.parent.parent == config / "projects"


def test_settings_of_memory(start: SessionStart) -> None:
    snapshot = settings(
        start,
        claudeMd="only managed settings may say this",
        claudeMdExcludes=["**/x/**"],
        hames={"instructions": ["AGENTS.md"]},
        autoMemoryDirectory="~/notes",
    )
    request = memory_request(snapshot, start, "deny")
    assert (request.managed_text, request.excludes) == ("", ("**/x/**",))
    assert (request.instructions, request.outside) == (("AGENTS.md",), "deny")
    assert memory_folder(snapshot, start) == start.home / "notes"
    assert memory_folder(settings(start, autoMemoryEnabled=False), start) is None


def test_settings_of_definitions(start: SessionStart) -> None:
    market = {"m": {"source": {"source": "directory", "path": "/m"}}}
    snapshot = settings(
        start,
        enabledPlugins={"a@m": True},
        extraKnownMarketplaces=market,
        skillOverrides={"s": "off"},
    )
    request = definition_request(snapshot, start)
    assert request.skill_overrides == {"s": "off"}
    assert (request.plugins.enabled, request.plugins.marketplaces) == ({"a@m": True}, market)


def test_a_worktree_shares_the_memory_of_its_main_checkout(start: SessionStart) -> None:
    main = start.home / "repo"
    git = main / ".git"
    snapshot = settings(start)
    folders = {
        memory_folder(snapshot, SessionStart(cwd, start.home, {}, Repository(cwd, git, git, main)))
        for cwd in (main, start.home / "tree")
    }
    assert len(folders) == 1
