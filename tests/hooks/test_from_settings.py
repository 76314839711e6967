"""From settings files to hooks: sources, switches, lines."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from hames.hooks.engine import HookEngine
from hames.hooks.events import pre_tool_use
from hames.hooks.from_settings import located, settings_hooks
from hames.hooks.policy import HookPolicy
from hames.settings.load import LoadRequest, load_settings
from hames.settings.snapshot import Snapshot
from support.hook_session import command, context, session

ECHO = {"PreToolUse": [{"matcher": "Bash", "hooks": [command("echo x >> ran")]}]}


def snapshot(tmp_path: Path, flag: Any = None, **files: Any) -> Snapshot:
    places = {
        "user": tmp_path / "home" / ".claude" / "settings.json",
        "project": tmp_path / "work" / ".claude" / "settings.json",
        "local": tmp_path / "work" / ".claude" / "settings.local.json",
        "managed": tmp_path / "managed" / "managed-settings.json",
    }
    for name, values in files.items():
        places[name].parent.mkdir(parents=True, exist_ok=True)
        places[name].write_text(json.dumps(values, indent=1), encoding="utf-8")
    return load_settings(
        LoadRequest(
            cwd=tmp_path / "work",
            env={},
            home=tmp_path / "home",
            managed_dir=tmp_path / "managed",
            flag_settings=None if flag is None else json.dumps(flag),
        )
    )


def runs(tmp_path: Path, found: Snapshot) -> list[str]:
    """The labels of the sources whose hooks ran."""
    hooks = settings_hooks(found)
    engine = HookEngine(session(tmp_path), hooks.policy)
    engine.register("settings", hooks.specs)
    event = pre_tool_use("Bash", {}, "t")
    outcome = asyncio.run(engine.fire(event, context(tmp_path)))
    return [run.spec.source.label for run in outcome.runs]


def hooks_of(name: str) -> dict[str, Any]:
    return {"PreToolUse": [{"hooks": [command(f": {name}")]}]}


def test_every_file_adds_its_hooks(tmp_path: Path) -> None:
    found = snapshot(
        tmp_path,
        flag={"hooks": hooks_of("flag")},
        **{name: {"hooks": hooks_of(name)} for name in ("user", "project", "local", "managed")},
    )
    assert sorted(runs(tmp_path, found)) == [
        "Command Line Settings",
        "Local Settings",
        "Managed Settings",
        "Project Settings",
        "User Settings",
    ]


def test_the_same_command_in_two_files_runs_once(tmp_path: Path) -> None:
    found = snapshot(tmp_path, user={"hooks": ECHO}, project={"hooks": ECHO})
    assert len(runs(tmp_path, found)) == 1


@pytest.mark.parametrize(
    ("flag", "files", "expected"),
    [
        (
            None,
            {
                "user": {"disableAllHooks": True, "hooks": hooks_of("u")},
                "project": {"disableAllHooks": False},
            },
            ["User Settings"],
        ),
        (
            {"disableAllHooks": True},
            {"user": {"hooks": hooks_of("u")}, "managed": {"hooks": hooks_of("m")}},
            ["Managed Settings"],
        ),
        (
            None,
            {"managed": {"disableAllHooks": True, "hooks": hooks_of("m")}},
            [],
        ),
        (
            None,
            {
                "managed": {"allowManagedHooksOnly": True, "hooks": hooks_of("m")},
                "user": {"hooks": hooks_of("u")},
            },
            ["Managed Settings"],
        ),
    ],
)
def test_the_switches(
    tmp_path: Path, flag: Any, files: dict[str, Any], expected: list[str]
) -> None:
    assert runs(tmp_path, snapshot(tmp_path, flag, **files)) == expected


def test_the_policy_holds_the_lists_of_http_hooks(tmp_path: Path) -> None:
    found = snapshot(tmp_path, user={"allowedHttpHookUrls": [], "httpHookAllowedEnvVars": ["A"]})
    assert settings_hooks(found).policy == HookPolicy(urls=(), env_names=("A",))


def test_a_handler_knows_its_file_and_line(tmp_path: Path) -> None:
    found = snapshot(tmp_path, project={"hooks": ECHO})
    [spec] = located(settings_hooks(found).specs, found)
    path = tmp_path / "work" / ".claude" / "settings.json"
    lines = path.read_text(encoding="utf-8").split("\n")
    assert spec.source.path == path
    assert spec.line is not None
    assert '"type": "command"' in lines[spec.line]


def test_problems_name_the_file_and_the_place(tmp_path: Path) -> None:
    hooks = {"PreToolUse": [{"hooks": [{"type": "command"}]}], "Nope": []}
    found = snapshot(tmp_path, user={"hooks": hooks})
    path = tmp_path / "home" / ".claude" / "settings.json"
    assert [str(problem) for problem in settings_hooks(found).problems] == [
        f"{path}: hooks.PreToolUse[0].hooks[0].command: must be text that is not empty",
        f'{path}: hooks.Nope: there is no event "Nope"',
    ]
