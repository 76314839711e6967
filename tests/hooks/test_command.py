"""What a command hook is started with: program, folder, variables."""

import asyncio
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hames.hooks.command import command_line
from hames.hooks.context import HookContext
from hames.hooks.environment import hook_environment
from hames.hooks.events import HookEvent, input_of, pre_tool_use, stop
from hames.hooks.sample import sample_event
from hames.hooks.spec import Command, HookSource, HookSpec, Plugin
from support.hook_session import (
    SESSION_ID,
    USER,
    bench,
    command,
    context,
    one,
    session,
)

PLUGIN = Plugin("p", Path("/plug in"), Path("/data"), {"api-url": "http://x/$(id)", "n": "1"})
PLUGIN_SOURCE = HookSource("plugin", "Plugin p", name="p", plugin=PLUGIN)


@pytest.mark.parametrize(
    ("handler", "source", "env", "expected"),
    [
        (Command("echo $HOME | cat"), USER, {}, ("sh", "-c", "echo $HOME | cat")),
        (Command("x", shell="bash"), USER, {}, ("bash", "-c", "x")),
        (
            Command("x", shell="powershell"),
            USER,
            {},
            ("pwsh", "-NoProfile", "-NonInteractive", "-Command", "x"),
        ),
        (
            Command("echo 'a b'"),
            USER,
            {"CLAUDE_CODE_SHELL_PREFIX": "/bin/wrap"},
            ("sh", "-c", "/bin/wrap 'echo '\"'\"'a b'\"'\"''"),
        ),
        (
            Command("${CLAUDE_PLUGIN_ROOT}/run", ("--data=${CLAUDE_PLUGIN_DATA}", "$HOME")),
            PLUGIN_SOURCE,
            {},
            ("/plug in/run", "--data=/data", "$HOME"),
        ),
        (
            Command("run", ("${user_config.api-url}", "${user_config.none}")),
            PLUGIN_SOURCE,
            {},
            ("run", "http://x/$(id)", "${user_config.none}"),
        ),
        (
            Command('run "${user_config.api-url}" ${CLAUDE_PLUGIN_ROOT}'),
            PLUGIN_SOURCE,
            {},
            ("sh", "-c", 'run "${CLAUDE_PLUGIN_OPTION_API_URL}" ${CLAUDE_PLUGIN_ROOT}'),
        ),
        (Command("run", ()), USER, {"CLAUDE_CODE_SHELL_PREFIX": "w"}, ("run",)),
    ],
)
def test_the_command_line(
    tmp_path: Path,
    handler: Command,
    source: HookSource,
    env: dict[str, str],
    expected: tuple[str, ...],
) -> None:
    assert command_line(handler, source, session(tmp_path, **env)) == expected


def environment(
    tmp_path: Path, event: HookEvent, source: HookSource = USER, **env: str
) -> dict[str, str]:
    here = context(tmp_path, effort="high")
    told = session(tmp_path, **env)
    spec = HookSpec(event.name, Command("x"), source)
    return hook_environment(spec, input_of(event, told, here), told, here)


def test_the_variables_of_a_tool_call(tmp_path: Path) -> None:
    event = pre_tool_use("Edit", {"file_path": "/w/a b.py"}, "t")
    found = environment(tmp_path, event, OTEL_EXPORTER="x", OTHER="kept")
    pid = found.pop("CLAUDE_PID")
    assert pid.isdigit()
    assert found == {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "OTHER": "kept",
        "CLAUDE_PROJECT_DIR": str(tmp_path / "work"),
        "CLAUDECODE": "1",
        "CLAUDE_CODE_CHILD_SESSION": "1",
        "CLAUDE_CODE_SESSION_ID": SESSION_ID,
        "CLAUDE_SESSION_ID": SESSION_ID,
        "CLAUDE_EFFORT": "high",
        "CLAUDE_HOOK_EVENT_NAME": "PreToolUse",
        "CLAUDE_TRANSCRIPT_PATH": str(tmp_path / "transcript.jsonl"),
        "CLAUDE_TOOL_NAME": "Edit",
        "CLAUDE_TOOL_FILE_PATH": "/w/a b.py",
        "CLAUDE_FILE_PATHS": "'/w/a b.py'",
    }
    assert shlex.split(found["CLAUDE_FILE_PATHS"]) == ["/w/a b.py"]


def test_the_command_of_a_call_is_a_variable_unless_it_is_too_long(tmp_path: Path) -> None:
    for text, told in (("ls", True), ("x" * 200_000, False), ("a\0b", False), ("\ud800", False)):
        found = environment(tmp_path, pre_tool_use("Bash", {"command": text}, "t"))
        assert ("CLAUDE_TOOL_COMMAND" in found) is told


@pytest.mark.parametrize("name", ["SessionStart", "Setup", "CwdChanged", "FileChanged", "Stop"])
def test_the_env_file_is_for_four_events(tmp_path: Path, name: str) -> None:
    found = environment(tmp_path, sample_event(name, cwd=tmp_path))
    assert ("CLAUDE_ENV_FILE" in found) is (name != "Stop")


def test_a_subagent_is_named(tmp_path: Path) -> None:
    event = sample_event("SubagentStop", cwd=tmp_path)
    assert environment(tmp_path, event)["CLAUDE_AGENT_NAME"] == "general-purpose"


def test_a_plugin_hook_knows_its_plugin(tmp_path: Path) -> None:
    found = environment(tmp_path, stop(False), PLUGIN_SOURCE)
    assert {key: value for key, value in found.items() if "PLUGIN" in key} == {
        "CLAUDE_PLUGIN_ROOT": "/plug in",
        "CLAUDE_PLUGIN_DATA": "/data",
        "CLAUDE_PLUGIN_OPTION_API_URL": "http://x/$(id)",
        "CLAUDE_PLUGIN_OPTION_N": "1",
    }


def test_credentials_are_kept_back_on_request(tmp_path: Path) -> None:
    secrets = {"ANTHROPIC_API_KEY": "k", "GITHUB_TOKEN": "t", "DB_PASSWORD": "p", "TOKENIZERS": "x"}
    assert secrets.items() <= environment(tmp_path, stop(False), **secrets).items()
    scrubbed = environment(tmp_path, stop(False), CLAUDE_CODE_SUBPROCESS_ENV_SCRUB="1", **secrets)
    assert {key for key in secrets if key in scrubbed} == {"TOKENIZERS"}


def ran_in(tmp_path: Path, here: HookContext, **keys: Any) -> str:
    made = bench(tmp_path, one("Stop", command("pwd", **keys)))
    outcome = asyncio.run(made.engine.fire(stop(False), here))
    return outcome.runs[0].stdout.strip()


def test_a_hook_runs_in_the_working_directory_or_the_project(tmp_path: Path) -> None:
    here = context(tmp_path)
    below = tmp_path / "work" / "below"
    below.mkdir()
    assert ran_in(tmp_path, replace(here, cwd=below)) == str(below)
    below.rmdir()
    assert ran_in(tmp_path, replace(here, cwd=below)) == str(tmp_path / "work")
    assert ran_in(tmp_path, here, args=[]) == str(tmp_path / "work")


def test_odd_characters_of_the_input_arrive(tmp_path: Path) -> None:
    text = "naïve 😀 \x1b[31m \ud800 end"
    made = bench(tmp_path, one("PreToolUse", command("cat")))
    event = pre_tool_use("Bash", {"command": text}, "t")
    outcome = asyncio.run(made.engine.fire(event, context(tmp_path)))
    given = json.loads(outcome.runs[0].stdout)
    assert given["tool_input"]["command"] == text.replace("\ud800", "?")


def test_a_byte_order_mark_before_json_is_no_trouble(tmp_path: Path) -> None:
    hook = command("""printf '\\357\\273\\277{"decision":"block","reason":"bom"}'""")
    made = bench(tmp_path, one("Stop", hook))
    assert asyncio.run(made.engine.fire(stop(False), context(tmp_path))).reason == "bom"
