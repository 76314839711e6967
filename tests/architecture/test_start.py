"""What is imported before the work begins. Each kind of start is a child that tells its modules."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.fake_api import running_fake_api, turn

HEAVY = {"anthropic", "git", "mcp", "prompt_toolkit", "pydantic", "rich"}
LATE = HEAVY | {"httpx2", "jsonschema", "pathspec", "tree_sitter", "watchfiles", "yaml"}

CHILD = """
import atexit, json, os, sys

def tell():
    with open(os.environ["MODULES"], "x") as file:
        json.dump(sorted(sys.modules), file)

def watch(event, arguments):
    first = not os.path.exists(os.environ["MODULES"])
    if event == "socket.connect" and "h11" in sys.modules and first:
        tell()

sys.addaudithook(watch)
if sys.argv[1] == "at exit":
    atexit.register(tell)
sys.argv = ["hames", *sys.argv[2:]]
from hames.cli.main import main
main()
"""
"""Tells `sys.modules` when it connects to the API, or at its exit."""


def modules(
    tmp_path: Path, when: str, *argv: str, env: Mapping[str, str] | None = None
) -> tuple[int, set[str]]:
    """The exit code of a start and the top-level names it had imported, hames ones in full."""
    told = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", CHILD, when, *argv],
        env={
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "MODULES": str(told),
            **(env or {}),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    names: list[str] = json.loads(told.read_text(encoding="utf-8"))
    return done.returncode, {n if n.startswith("hames") else n.split(".")[0] for n in names}


@pytest.mark.parametrize("flag", ["--version", "-v"])
def test_the_version_is_told_without_click(tmp_path: Path, flag: str) -> None:
    code, names = modules(tmp_path, "at exit", flag)
    assert code == 0
    assert names & (LATE | {"click", "asyncio"}) == set()


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("--help",), 0),
        (("--no-such-flag",), 1),
        (("-p", "--max-turns", "many", "hi"), 1),
        (("--output-format", "xml"), 1),
        (("permisions",), 1),
    ],
)
def test_help_and_wrong_flags_import_nothing_of_the_engine(
    tmp_path: Path, argv: tuple[str, ...], code: int
) -> None:
    found, names = modules(tmp_path, "at exit", *argv)
    assert found == code
    assert names & (LATE | {"asyncio", "hames.cli.run", "hames.harness.build"}) == set()


def test_wrong_uses_of_flags_import_no_heavy_library(tmp_path: Path) -> None:
    code, names = modules(tmp_path, "at exit", "-p", "--resume", "x", "--continue", "hi")
    assert code == 1
    assert names & LATE == set()


def test_the_first_request_needs_no_heavy_library(tmp_path: Path) -> None:
    rules = {"allow": ["Bash(git status)"], "deny": ["Read(.env)", "WebFetch"]}
    Path(".claude").mkdir()
    Path(".claude/settings.json").write_text(json.dumps({"permissions": rules}), encoding="utf-8")
    Path("CLAUDE.md").write_text("Be brief.\n", encoding="utf-8")
    with running_fake_api() as api:
        api.reply(turn("Hello."))
        env = {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "key"}
        code, names = modules(tmp_path, "at the request", "-p", "hi", env=env)
        assert (code, api.refusals) == (0, [])
    late = {"hames.tools.base", "hames.hooks.engine", "hames.settings.permissions.policy"}
    assert names & (LATE | late) == set()
