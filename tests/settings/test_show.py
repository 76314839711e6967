"""`settings show`: every value with its place, no secret."""

import subprocess
import sys
from pathlib import Path

import pytest

from hames.settings.secrets import MASK, masked
from hames.settings.show import place, shown_values
from support.settings_files import World, fill, make_world


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_every_value_names_its_files_and_lines(world: World) -> None:
    fill(world)
    world.policy({"language": "German"})
    found = world.load()
    shown = {value.key: [place(o) for o in value.origins] for value in shown_values(found)}
    user = f"user {world.home}/.claude/settings.json"
    shared = f"project {world.project}/.claude/settings.json"
    assert shown["model"] == [f"{shared}:2"]
    assert shown["permissions.allow[1]"] == [f"{user}:5", f"{shared}:5"]
    assert shown["permissions.allow[2]"] == [f"{shared}:6"]
    assert shown["env.X"] == [f"local {world.project}/.claude/settings.local.json:3"]
    assert shown["language"] == [f"managed {world.managed}/managed-settings.json:2"]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("GITHUB_TOKEN", "x", MASK),
        ("X", "sk-ant-api03-abcdefghijkl", MASK),
        ("X", "https://u:p@h/x", f"https://{MASK}@h/x"),
        (
            "command",
            "curl -H 'Authorization: Bearer abc.def' x",
            f"curl -H 'Authorization: Bearer {MASK}' x",
        ),
        ("command", "tool --token=abc -v", f"tool --token={MASK} -v"),
        ("headers", {"X-Any": "abc"}, {"X-Any": MASK}),
        (
            "env",
            {"A_SECRET": "s", "B": ["ghp_abcdefghijklmnopqrst"]},
            {"A_SECRET": MASK, "B": [MASK]},
        ),
        ("MAX_THINKING_TOKENS", "1000", "1000"),
        ("model", "opus", "opus"),
        ("GITHUB_TOKEN", "", ""),
    ],
)
def test_secrets_are_masked(name: str, value: object, shown: object) -> None:
    assert masked(value, name) == shown


def test_loading_imports_nothing_heavy() -> None:
    code = (
        "import sys; import hames.settings.load; "
        "print(*{m.split('.')[0] for m in sys.modules} & "
        "{'pydantic', 'yaml', 'json5', 'rich', 'pathspec', 'asyncio', 'watchfiles', 'socket'})"
    )
    env = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout == "\n"
