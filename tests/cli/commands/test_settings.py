"""`hames settings`: what people and programs see of the effective settings."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hames.cli.commands.settings import command
from support.settings_files import World, fill, make_world

GOLDEN = Path(__file__).parents[2] / "data" / "settings_show_origin.txt"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_the_output_of_show(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fill(world)
    monkeypatch.chdir(world.project)
    done = CliRunner().invoke(command, ["show", "--origin"])
    assert done.exit_code == 0
    text = done.output.replace(str(tmp_path), "/w")
    assert text == GOLDEN.read_text()


def test_json_holds_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(world)
    monkeypatch.chdir(world.project)
    done = CliRunner().invoke(command, ["show", "--json", "--settings", '{"model": "x"}'])
    table = json.loads(done.output)
    assert table["trusted"]
    assert not table["locked"]
    assert table["values"][0] == {
        "key": "model",
        "value": "x",
        "origin": [{"scope": "flag", "path": None, "line": 1}],
        "note": "",
    }
    assert [warning["key"] for warning in table["warnings"]] == ["", "cleanupPeriodDays"]


def test_a_locked_session_is_an_exit_status(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.shared("{")
    monkeypatch.chdir(world.project)
    done = CliRunner().invoke(command, ["show"])
    assert done.exit_code == 1
    assert "locked: " in done.output


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (["--settings", "{"], 1, "Error: --settings is not a JSON object: line 1"),
        (["--setting-sources", "user,team"], 2, "'team' is not one of user, project, local"),
        (["--setting-sources", ""], 0, "No settings file says anything"),
    ],
)
def test_flags(world: World, args: list[str], code: int, told: str) -> None:
    world.user({"model": "x"})
    done = CliRunner().invoke(command, ["show", *args])
    assert (done.exit_code, told in done.output) == (code, True)


def test_the_schema_is_printed() -> None:
    done = CliRunner().invoke(command, ["schema"])
    assert json.loads(done.output)["title"] == "hames settings"
