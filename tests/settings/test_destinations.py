"""Answers go to the file the user chose, and the next load sees them."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from hames.settings.destinations import Destination, SettingsWriter
from support.settings_files import World, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.trust()
    return made


@pytest.fixture
def writer(world: World) -> SettingsWriter:
    return SettingsWriter(world.project, {}, world.home)


@pytest.fixture
def common_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("common_umask")
@pytest.mark.parametrize(
    ("destination", "scope", "mode"),
    [
        ("userSettings", "user", 0o600),
        ("projectSettings", "project", 0o644),
        ("localSettings", "local", 0o600),
    ],
)
def test_a_saved_rule_counts_at_the_next_load(
    world: World, writer: SettingsWriter, destination: Destination, scope: str, mode: int
) -> None:
    path = writer.add_rules(destination, "allow", ["Bash(npm test)"])
    found = world.load()
    assert [(r.text, r.source.kind, r.source.path) for r in found.rules] == [
        ("Bash(npm test)", scope, path)
    ]
    assert path.stat().st_mode & 0o777 == mode


def test_every_kind_of_update(world: World, writer: SettingsWriter) -> None:
    where: Destination = "localSettings"
    assert not writer.remove_rules(where, "allow", ["x"]).exists()
    assert not writer.remove_directories(where, ["x"]).exists()
    writer.add_directories(where, ["/a", "/b"])
    writer.remove_directories(where, ["/a"])
    writer.add_rules(where, "deny", ["Read(x)"])
    writer.remove_rules(where, "deny", ["Read(x)"])
    writer.replace_rules(where, "ask", ["Bash"])
    path = writer.set_value(where, ("permissions", "defaultMode"), "plan")
    assert path == world.project / ".claude" / "settings.local.json"
    assert json.loads(path.read_text())["permissions"] == {
        "additionalDirectories": ["/b"],
        "deny": [],
        "ask": ["Bash"],
        "defaultMode": "plan",
    }
    assert world.load().default_mode == "plan"


def test_a_local_answer_in_a_subfolder_is_kept_at_the_root_and_out_of_commits(
    world: World,
) -> None:
    subprocess.run(["git", "init", "-q", world.project], check=True)
    deep = world.project / "deep"
    deep.mkdir()
    path = SettingsWriter(deep, {}, world.home).add_rules("localSettings", "allow", ["Read"])
    assert path == world.project / ".claude" / "settings.local.json"
    status = ["git", "-C", str(world.project), "status", "--porcelain", "-uall"]
    assert subprocess.run(status, check=True, capture_output=True).stdout == b""
