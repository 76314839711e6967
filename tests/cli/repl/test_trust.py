"""A folder that nobody trusts yet runs nothing and asks no model."""

import json
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import FakeApiThread, turn
from support.screen import CTRL_C, ENTER, ESCAPE, hames_terminal, repl_env

HOOKS = ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "Notification")


def canary(folder: Path, marks: Path) -> None:
    """Every executable key of project files, each writing a line to `marks` when it runs."""

    def mark(name: str) -> str:
        return f"echo {name} >> {marks}"

    hooks = {
        name: [{"hooks": [{"type": "command", "command": mark(f"hook-{name}")}]}] for name in HOOKS
    }
    status_line = {"type": "command", "command": mark("statusLine")}
    settings: dict[str, Any] = {
        "hooks": hooks,
        "apiKeyHelper": mark("apiKeyHelper"),
        "awsAuthRefresh": mark("awsAuthRefresh"),
        "awsCredentialExport": mark("awsCredentialExport"),
        "otelHeadersHelper": mark("otelHeadersHelper"),
        "statusLine": status_line,
        "fileSuggestion": status_line,
        "env": {"PATH": f"{folder}/bin", "BASH_ENV": f"{folder}/bin/env", "MY_NAME": "x"},
        "permissions": {"allow": ["Bash(touch *)"], "defaultMode": "acceptEdits"},
        "enableAllProjectMcpServers": True,
    }
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    server = {"command": "/bin/sh", "args": ["-c", mark("server")]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"s": server}}), encoding="utf-8")
    (folder / "bin").mkdir()
    for name in ("git", "rg", "bash", "sh"):
        tool = folder / "bin" / name
        tool.write_text(f"#!/bin/sh\n{mark(f'bin-{name}')}\n", encoding="utf-8")
        tool.chmod(0o755)
    (folder / "bin" / "env").write_text(mark("BASH_ENV"), encoding="utf-8")


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    canary((tmp_path / "work").resolve(), tmp_path / "marks")
    return tmp_path / "marks"


@pytest.mark.parametrize("answer", [ENTER, "n", ESCAPE, CTRL_C])
def test_without_a_yes_nothing_runs(answer: str, api: FakeApiThread, marks: Path) -> None:
    with hames_terminal("do something", env=repl_env(api.url)) as terminal:
        terminal.wait_for("Do you trust the files in this folder?")
        terminal.wait_question("No, exit")
        terminal.send(answer)
        assert terminal.wait_end() == 1
        assert terminal.after == terminal.found
    assert not marks.exists()
    assert api.requests == []


def test_the_question_shows_what_would_run(api: FakeApiThread, marks: Path) -> None:
    with hames_terminal(env=repl_env(api.url), rows=60) as terminal:
        terminal.wait_question("No, exit")
        for name in HOOKS:
            assert f"echo hook-{name}" in terminal.text
        for text in ("apiKeyHelper", "statusLine", "Bash(touch *)", "acceptEdits", "/bin/sh -c"):
            assert text in terminal.text
        for name in ("PATH", "BASH_ENV", "MY_NAME"):
            assert name in terminal.text


def test_a_long_question_is_whole_in_a_small_window(api: FakeApiThread, marks: Path) -> None:
    with hames_terminal(env=repl_env(api.url), rows=12, columns=60) as terminal:
        terminal.wait_question("No, exit")
        terminal.wait_for(f"echo hook-{HOOKS[0]}")
        assert "MY_NAME" in terminal.text


def test_a_yes_is_recorded_and_asked_once(api: FakeApiThread, tmp_path: Path) -> None:
    api.reply(turn("Hello."), turn("Again."))
    with hames_terminal("hi", env=repl_env(api.url)) as terminal:
        terminal.wait_question("No, exit")
        terminal.send("y")
        terminal.wait_for("Hello.")
    config = json.loads((tmp_path / "home" / ".claude.json").read_text(encoding="utf-8"))
    folder = str((tmp_path / "work").resolve())
    assert config["projects"][folder]["hasTrustDialogAccepted"] is True
    with hames_terminal("hi", env=repl_env(api.url)) as terminal:
        terminal.wait_for("Again.")
        assert "Do you trust" not in terminal.text


def test_the_home_folder_is_trusted_for_one_session(api: FakeApiThread, tmp_path: Path) -> None:
    api.reply(turn("Hello."))
    home = tmp_path / "home"
    with hames_terminal("hi", env=repl_env(api.url), cwd=home) as terminal:
        terminal.wait_question("The answer holds for this session only.")
        terminal.send("y")
        terminal.wait_for("Hello.")
    assert not (home / ".claude.json").exists()


def test_after_a_yes_the_hooks_run(api: FakeApiThread, tmp_path: Path) -> None:
    folder, marks = (tmp_path / "work").resolve(), tmp_path / "marks"
    hook = {"type": "command", "command": f"echo ran >> {marks}"}
    settings = {"hooks": {"SessionStart": [{"hooks": [hook]}]}}
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    api.reply(turn("Hello."))
    with hames_terminal("hi", env=repl_env(api.url)) as terminal:
        terminal.wait_question("No, exit")
        terminal.send("y")
        terminal.wait_for("Hello.")
    assert marks.read_text(encoding="utf-8") == "ran\n"


def test_names_that_try_to_change_the_terminal_are_shown_as_escapes(
    api: FakeApiThread, tmp_path: Path
) -> None:
    folder = (tmp_path / "work").resolve()
    hook = {"type": "command", "command": "evil \x1b]0;title\x07\u202e"}
    settings = {"hooks": {"Stop": [{"hooks": [hook]}]}}
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    with hames_terminal(env=repl_env(api.url)) as terminal:
        terminal.wait_for("evil \\x1b]0;title\\x07\\u202e")
        assert b"\x1b]0" not in terminal.raw


def test_keys_pressed_too_early_answer_nothing(api: FakeApiThread, marks: Path) -> None:
    with hames_terminal(env=repl_env(api.url)) as terminal:
        terminal.send("y", "y", ENTER)
        terminal.wait_question("No, exit")
        terminal.send(ENTER)
        assert terminal.wait_end() == 1
    assert not marks.exists()
