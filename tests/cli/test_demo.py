"""`hames demo` as a stranger runs it: no key, no git identity, output into a pipe."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import running_fake_api, turn
from support.patience import bound

SCRIPT = Path(__file__).resolve().parents[2] / "cli" / "commands" / "demo" / "script.json"
SECONDS = 10.0


def hames(*argv: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """The program with the variables of a bare account and `env`."""
    return subprocess.run(
        [sys.executable, "-m", "hames", *argv],
        env={
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            **env,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """A folder with a space in its name, for temporary folders."""
    folder = tmp_path / "my files"
    folder.mkdir()
    return folder


def project(temporary: Path) -> Path:
    (found,) = temporary.glob("hames-demo-*/shop")
    return found


def test_the_project_is_repaired_before_the_eyes_of_a_stranger(temporary: Path) -> None:
    began = time.monotonic()
    done = hames("demo", TMPDIR=str(temporary))
    assert time.monotonic() - began < bound(SECONDS)
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    assert "\x1b" not in shown
    story = [
        "The model is scripted",
        "> The tests fail.",
        "Read(shop/cart.py)",
        "Read(shop/discounts.py)",
        "FAILED (failures=2)",
        "denied by the rule Read(.env)",
        "-     if quantity > BULK_QUANTITY:",
        "+     if quantity >= BULK_QUANTITY:",
        "Ran 3 tests",
        "1 file changed",
        "The tests pass.",
        "Transcript: ",
        "Go on from here",
    ]
    at = 0
    for text in story:
        at = shown.find(text, at)
        assert at >= 0, f"{text!r} is missing or in another place:\n{shown}"


def test_the_first_calls_run_side_by_side(temporary: Path) -> None:
    hames("demo", TMPDIR=str(temporary))
    (transcript,) = project(temporary).parent.glob("config/projects/*/*.jsonl")
    entries = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    calls: dict[str, int] = {}
    for entry in entries:
        if entry.get("type") == "assistant":
            message: dict[str, Any] = entry["message"]
            made = sum(block["type"] == "tool_use" for block in message["content"])
            calls[message["id"]] = calls.get(message["id"], 0) + made
    assert list(calls.values()) == [4, 1, 1, 2, 0]


def test_the_command_it_names_goes_on_without_a_key(temporary: Path) -> None:
    shown = hames("demo", TMPDIR=str(temporary)).stdout
    command = shown.partition("Go on from here, with the same conversation:\n")[2].splitlines()[0]
    done = subprocess.run(
        command,
        shell=True,
        env={
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "starts at ten" in done.stdout


def test_a_wrong_edit_ends_red(temporary: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    text = SCRIPT.read_text(encoding="utf-8")
    wrong.write_text(text.replace("if quantity >= BULK", "if quantity < BULK"), encoding="utf-8")
    done = hames("demo", "--script", str(wrong), TMPDIR=str(temporary))
    assert done.returncode == 1
    assert "The tests still fail" in done.stdout
    assert "The tests pass." not in done.stdout.rpartition("The tests still fail")[2]


def test_nothing_of_the_user_is_touched(temporary: Path) -> None:
    home = Path(os.environ["HOME"])
    settings = {"permissions": {"deny": ["Edit", "Bash"]}, "model": "no-such-model"}
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (home / ".gitconfig").write_text("[commit]\n\tgpgsign = true\n", encoding="utf-8")
    before = files(home)
    done = hames("demo", TMPDIR=str(temporary))
    assert (done.returncode, done.stderr) == (0, "")
    assert files(home) == before
    assert list(Path.cwd().iterdir()) == []


def files(folder: Path) -> Mapping[str, bytes]:
    """Every file below, cached bytecode of Python aside."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_a_git_hook_may_start_it(temporary: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(("git", "init", "-q", str(other)), check=True)
    done = hames("demo", TMPDIR=str(temporary), GIT_DIR=str(other / ".git"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (project(temporary) / ".git").is_dir()
    assert re.findall(r"objects/\w\w/", "\n".join(files(other))) == []


def test_live_asks_the_model_of_the_users_settings(temporary: Path) -> None:
    home = Path(os.environ["HOME"])
    with running_fake_api() as api:
        api.reply(turn("I change nothing."))
        settings = {
            "env": {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-live"},
            "model": "opus",
        }
        (home / ".claude").mkdir()
        (home / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        done = hames("demo", "--live", TMPDIR=str(temporary))
        assert [call.model for call in api.calls] == ["claude-opus-5-5"]
        assert api.calls[0].headers["x-api-key"] == "sk-live"
    assert done.returncode == 1
    assert "The configured model works on it." in done.stdout
    assert "The tests still fail" in done.stdout
    assert "scripted" not in done.stdout


def test_live_without_a_key_says_what_to_do(temporary: Path) -> None:
    done = hames("demo", "--live", TMPDIR=str(temporary))
    assert done.returncode == 1
    assert "ANTHROPIC_API_KEY" in done.stdout + done.stderr
