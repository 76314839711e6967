"""The first request of five projects, sent by the real program, against reviewed goldens.

`HAMES_UPDATE_GOLDENS=1 pytest tests/cli/test_first_request.py` writes them anew. What differs
between machines and days is replaced: paths, ids, the date, the system, what git had time to say.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import running_fake_api, turn
from support.projects import DATA, PROJECTS, make_project

UPDATE = os.environ.get("HAMES_UPDATE_GOLDENS") == "1"
MAX_BYTES = 24 * 1024
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def first_request(cwd: Path, *flags: str, env: Mapping[str, str] | None = None) -> bytes:
    """The raw body of the first request of a run that goes well."""
    with running_fake_api() as api:
        api.reply(turn("Done."))
        done = subprocess.run(
            [sys.executable, "-m", "hames", "-p", "hello", *flags],
            cwd=cwd,
            env={
                "PATH": os.environ["PATH"],
                "HOME": os.environ["HOME"],
                "SHELL": "/bin/bash",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "ANTHROPIC_BASE_URL": api.url,
                "ANTHROPIC_API_KEY": "key",
                **(env or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
        assert api.refusals == []
        return api.calls[0].raw


def body(cwd: Path, *flags: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The same, parsed."""
    found: dict[str, Any] = json.loads(first_request(cwd, *flags, env=env))
    return found


def texts(request: Mapping[str, Any]) -> str:
    """All text of the system prompt and the messages."""
    blocks = [*request["system"], *(b for m in request["messages"] for b in m["content"])]
    return "\n\n".join(block["text"] for block in blocks)


def reviewed(raw: bytes, root: Path) -> str:
    """The body as people can review it; tools by name except in the empty project."""
    request = json.loads(raw)
    if root.name != "empty":
        request["tools"] = [tool["name"] for tool in request["tools"]]
    text = json.dumps(request, indent=1, ensure_ascii=False)
    text = text.replace(str(root.parents[1]), "<root>").replace(date.today().isoformat(), "<date>")
    text = text.replace(f"{os.uname().sysname} {os.uname().release}", "<system>")
    key = re.sub(r"[^a-zA-Z0-9]", "-", str(root.parents[1]))
    text = text.replace(key, "<key>")
    text = re.sub(r"(?<=Main branch: main\\n\\n)(?:[^\"\\]|\\.)*", "<git>", text)
    return UUID.sub("<uuid>", text) + "\n"


@pytest.mark.parametrize("name", PROJECTS)
def test_golden(name: str, tmp_path: Path) -> None:
    (tmp_path / "work" / "outside.md").write_text("outside")
    root = make_project(name, tmp_path)
    folder, style = PROJECTS[name]
    flags = ("--settings", json.dumps({"outputStyle": style})) if style else ()
    found = [reviewed(first_request(root / folder, *flags), root) for _ in range(2)]
    assert found[0] == found[1]
    golden = DATA / "golden" / "first_request" / f"{name}.json"
    if UPDATE:
        golden.write_text(found[0], encoding="utf-8")
    assert found[0] == golden.read_text(encoding="utf-8")


def test_the_first_request_of_an_empty_project_is_small(tmp_path: Path) -> None:
    assert len(first_request(tmp_path / "work")) <= MAX_BYTES


def test_bare_and_safe_mode_leave_customisations_out(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "CLAUDE.md").write_text("Use tabs.")
    skill = work / ".claude" / "skills" / "deploy" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\ndescription: Ships it\n---\nShip.")
    assert "Use tabs." in texts(body(work))
    for flag in ("--bare", "--safe-mode"):
        request = body(work, flag)
        assert "Use tabs." not in texts(request)
        assert "Ships it" not in texts(request)
        assert "# Memory" not in texts(request)
    assert "# Git" in texts(body(work, "--safe-mode"))
    assert "# Git" not in texts(body(work, "--bare"))


def test_setting_sources_and_switches_choose_the_instructions(tmp_path: Path) -> None:
    work, user = tmp_path / "work", tmp_path / "home" / ".claude"
    user.mkdir()
    (user / "CLAUDE.md").write_text("Of the user.")
    (work / "CLAUDE.md").write_text("Of the project.")
    (work / "CLAUDE.local.md").write_text("Of this checkout.")

    def shown(*flags: str, env: Mapping[str, str] | None = None) -> list[bool]:
        text = texts(body(work, *flags, env=env))
        return [f"Of {whose}." in text for whose in ("the user", "the project", "this checkout")]

    assert shown() == [True, True, True]
    assert shown("--setting-sources", "user") == [True, False, False]
    assert shown("--setting-sources", "project,local") == [False, True, True]
    assert shown(env={"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"}) == [False, False, False]


def test_memory_of_the_model_is_shown_and_can_be_switched_off(tmp_path: Path) -> None:
    work = tmp_path / "work"
    notes = tmp_path / "home" / "notes"
    notes.mkdir()
    (notes / "MEMORY.md").write_text("- The user likes short answers.")
    settings = json.dumps({"autoMemoryDirectory": "~/notes"})
    text = texts(body(work, "--settings", settings))
    assert f"`{notes}`" in text
    assert "likes short answers" in text
    off = texts(body(work, "--settings", settings, env={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}))
    assert "notes" not in off


def test_a_repository_may_not_move_the_memory_before_it_is_trusted(tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".claude").mkdir()
    (work / ".claude" / "settings.json").write_text('{"autoMemoryDirectory": "/evil"}')
    assert "/evil" not in texts(body(work))


def test_dynamic_sections_move_into_the_first_message(tmp_path: Path) -> None:
    work = tmp_path / "work"
    flag = "--exclude-dynamic-system-prompt-sections"
    moved = body(work, flag, "--append-system-prompt", "APPENDED")
    system = "\n".join(block["text"] for block in moved["system"])
    assert str(work) not in system
    assert "APPENDED" in system
    assert f"Working directory: {work}" in moved["messages"][0]["content"][0]["text"]


def test_language_and_style_stand_in_the_system_prompt(tmp_path: Path) -> None:
    settings = {"language": "German", "outputStyle": "concise"}
    request = body(tmp_path / "work", "--settings", json.dumps(settings))
    system = "\n".join(block["text"] for block in request["system"])
    assert "Always answer in German" in system
    assert "# Output style: concise" in system


def test_an_agent_of_the_command_line_runs_the_session(tmp_path: Path) -> None:
    agents = {"guide": {"description": "Guides", "prompt": "You are a guide.", "tools": ["Read"]}}
    request = body(tmp_path / "work", "--agents", json.dumps(agents), "--agent", "guide")
    assert request["system"][0]["text"] == "You are a guide."
    assert [tool["name"] for tool in request["tools"]] == ["Read"]


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (("--agent", "nobody"), "--agent: there is no agent 'nobody'"),
        (("--agents", "{"), "--agents is not valid JSON"),
        (("--agents", "[]"), "--agents must be an object"),
    ],
)
def test_wrong_agents_are_named(flags: tuple[str, ...], complaint: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hames", "-p", "hello", *flags],
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
    assert done.returncode == 1
    assert complaint in done.stderr


def test_hooks_of_plugins_run_and_bare_and_safe_mode_run_none(tmp_path: Path) -> None:
    work, plugin = tmp_path / "work", tmp_path / "plugin"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "shop"}')
    (plugin / "hooks").mkdir()
    said = {"type": "command", "command": "echo from-a-hook"}
    hooks = {"hooks": {"SessionStart": [{"hooks": [said]}]}}
    (plugin / "hooks" / "hooks.json").write_text(json.dumps(hooks))
    flags = ("--plugin-dir", str(plugin))
    assert "from-a-hook" in texts(body(work, *flags))
    assert "from-a-hook" not in texts(body(work, *flags, "--safe-mode"))
    settings = ("--settings", json.dumps(hooks))
    assert "from-a-hook" in texts(body(work, *settings))
    assert "from-a-hook" not in texts(body(work, *settings, "--safe-mode"))
    assert "from-a-hook" not in texts(body(work, *settings, "--bare"))


def test_an_agent_brings_its_model_and_its_first_prompt(tmp_path: Path) -> None:
    agents = {
        "guide": {
            "description": "Guides",
            "prompt": "You are a guide.",
            "model": "opus",
            "initialPrompt": "Introduce yourself.",
        }
    }
    flags = ("--agents", json.dumps(agents), "--agent", "guide")
    request = body(tmp_path / "work", *flags)
    assert request["model"].startswith("claude-opus")
    assert [block["text"] for block in request["messages"][0]["content"]][-2:] == [
        "Introduce yourself.",
        "hello",
    ]
    assert body(tmp_path / "work", *flags, "--model", "haiku")["model"].startswith("claude-haiku")


def test_a_git_that_sleeps_holds_nothing_up_and_its_facts_are_said_to_be_missing(
    tmp_path: Path,
) -> None:
    root = make_project("python", tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    fake = programs / "git"
    fake.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec /bin/sleep 60\n")
    fake.chmod(0o755)
    began = time.monotonic()
    request = body(root, env={"PATH": f"{programs}:{os.environ['PATH']}"})
    assert time.monotonic() - began < 30
    assert "Git did not answer in time" in request["system"][-1]["text"]
    assert "Branch: greeting" in request["system"][-1]["text"]
    pids = (tmp_path / "pids").read_text().split()
    assert [pid for pid in pids if Path("/proc", pid).exists()] == []
