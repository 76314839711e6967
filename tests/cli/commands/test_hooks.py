"""`hames hooks` from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from hames.cli.commands.hooks import command as hooks_command

GUARD = """case $(cat) in *"rm -rf"*) echo "not here" >&2; exit 2;; esac"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose guard refuses `rm -rf`, whose logger runs in the background."""
    folder = tmp_path / "work" / ".claude"
    folder.mkdir()
    handlers = [
        {"type": "command", "command": GUARD},
        {"type": "command", "command": "cat > logged", "async": True},
    ]
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]}
    (folder / "settings.json").write_text(json.dumps({"hooks": hooks}, indent=1), encoding="utf-8")
    return tmp_path / "work"


def run(*args: str) -> Result:
    result = CliRunner().invoke(hooks_command, list(args))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def write_settings(project: Path, hooks: Any) -> None:
    path = project / ".claude" / "settings.json"
    path.write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def test_list_names_event_matcher_handler_file_and_line(project: Path) -> None:
    result = run("list")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:3] == [
        "PreToolUse  Bash",
        f"  command: {GUARD}",
        f"  Project Settings {project}/.claude/settings.json:7"
        "  (folder not trusted: not in interactive sessions)",
    ]


def test_list_as_json_is_one_object_per_line(project: Path) -> None:
    rows = [json.loads(line) for line in run("list", "--json").stdout.splitlines()]
    assert rows[0] == {
        "event": "PreToolUse",
        "matcher": "Bash",
        "if": None,
        "type": "command",
        "handler": GUARD,
        "source": "Project Settings",
        "place": f"{project}/.claude/settings.json:7",
        "runs": True,
        "trusted": False,
    }
    assert len(rows) == 2


def test_hooks_of_enabled_plugins_are_listed_and_run(project: Path, tmp_path: Path) -> None:
    market = tmp_path / "market"
    (market / "p" / "hooks").mkdir(parents=True)
    (market / ".claude-plugin").mkdir()
    catalogue = {"name": "m", "plugins": [{"name": "p", "source": "./p"}]}
    (market / ".claude-plugin" / "marketplace.json").write_text(
        json.dumps(catalogue), encoding="utf-8"
    )
    entry = {"type": "command", "command": "echo ${CLAUDE_PLUGIN_ROOT}"}
    (market / "p" / "hooks" / "hooks.json").write_text(
        json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}}), encoding="utf-8"
    )
    user = tmp_path / "home" / ".claude" / "settings.json"
    user.parent.mkdir()
    known = {"m": {"source": {"source": "directory", "path": str(market)}}}
    user.write_text(
        json.dumps({"enabledPlugins": {"p@m": True}, "extraKnownMarketplaces": known}),
        encoding="utf-8",
    )
    assert "Plugin p@m" in run("list").stdout
    told = json.loads(run("test", "Stop", "--json").stdout)
    assert [r["stdout"] for r in told["runs"]] == [f"{market}/p\n"]
    (project / ".claude" / "settings.json").write_text(
        '{"disableAllHooks": true}', encoding="utf-8"
    )
    assert "(switched off by the settings)" in run("list").stdout
    assert json.loads(run("test", "Stop", "--json").stdout)["runs"] == []


def test_list_without_hooks_says_so() -> None:
    assert run("list").stdout == "No hooks are configured here.\n"


def test_a_blocked_call_is_shown_and_exits_one(project: Path) -> None:
    result = run("test", "PreToolUse", "--input", '{"command": "rm -rf /"}')
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "event    PreToolUse:Bash"
    assert json.loads(lines[1].removeprefix("stdin "))["tool_input"] == {"command": "rm -rf /"}
    assert "  stderr not here" in lines
    assert lines[-1] == "outcome  denied: not here"
    assert json.loads((project / "logged").read_text(encoding="utf-8"))["tool_name"] == "Bash"


def test_an_allowed_call_exits_zero(project: Path) -> None:
    result = run("test", "PreToolUse", "--tool", "Bash", "--input", '{"command": "ls"}')
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "outcome  goes on unchanged")
    other = run("test", "PreToolUse", "--tool", "Read")
    assert "No hook of the settings matches this event." in other.stdout


def test_the_whole_trial_as_json(project: Path) -> None:
    result = run("test", "PreToolUse", "--input", '{"command": "rm -rf /"}', "--json")
    told = json.loads(result.stdout)
    assert sorted(told) == ["background", "effects", "event", "outcome", "runs", "stdin"]
    assert told["effects"] == ["denied: not here"]
    assert [(r["exit_code"], r["stderr"], r["line"]) for r in told["runs"]] == [
        (2, "not here\n", 7)
    ]
    assert [r["handler"] for r in told["background"]] == ["cat > logged"]


def test_a_failed_hook_exits_one(project: Path) -> None:
    write_settings(project, {"Stop": [{"hooks": [{"type": "command", "command": "exit 3"}]}]})
    result = run("test", "Stop")
    assert result.exit_code == 1
    assert "nothing on stderr (exit code 3)" in result.stdout


def test_a_prompt_can_be_given(project: Path) -> None:
    hooks = {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "cat"}]}]}
    write_settings(project, hooks)
    result = run("test", "UserPromptSubmit", "--prompt", "hello there")
    assert result.exit_code == 0
    assert '"prompt": "hello there"' in result.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("Nope",), "'Nope' is not one of"),
        (("Stop", "--input", "{"), "--input is not JSON"),
        (("Stop", "--input", "[]"), "--input must be a JSON object"),
        (("Stop", "--from", "/no/such.jsonl"), "does not exist"),
    ],
)
def test_wrong_arguments_are_one_line(args: tuple[str, ...], told: str) -> None:
    result = run("test", *args)
    assert result.exit_code == 2
    assert told in result.stderr


def transcript(project: Path, *commands: str) -> Path:
    path = project / "old.jsonl"
    lines = [
        {
            "type": "assistant",
            "cwd": str(project),
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": c}}
                ],
            },
        }
        for n, c in enumerate(commands)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_an_old_session_is_replayed(project: Path) -> None:
    path = transcript(project, "ls", "rm -rf build", "pwd")
    result = run("test", "PreToolUse", "--from", str(path))
    assert (result.exit_code, result.stdout) == (
        1,
        'line 2: PreToolUse:Bash {"command": "rm -rf build"}: denied: not here\n'
        "3 events, 1 would have gone otherwise.\n",
    )
    told = json.loads(run("test", "PreToolUse", "--from", str(path), "--json").stdout)
    assert (told["line"], told["effects"]) == (2, ["denied: not here"])


def test_a_replay_without_objections_exits_zero(project: Path) -> None:
    result = run("test", "PreToolUse", "--from", str(transcript(project, "ls")))
    assert (result.exit_code, result.stdout) == (0, "1 events, 0 would have gone otherwise.\n")


def test_events_that_leave_no_trace_cannot_be_replayed(project: Path) -> None:
    result = run("test", "Notification", "--from", str(transcript(project, "ls")))
    assert result.exit_code == 2
    assert "not Notification" in result.stderr


def test_lint_names_file_line_and_what_is_wrong(project: Path) -> None:
    assert run("lint").stdout == "2 hooks, nothing to complain about.\n"
    entry = {"type": "command", "command": "true", "timeout": 5000}
    write_settings(project, {"PreToolUse": [{"matcher": "mcp__db", "hooks": [entry]}]})
    result = run("lint")
    place = f"{project}/.claude/settings.json:1: hooks.PreToolUse[0].hooks[0]: "
    assert (result.exit_code, result.stdout.splitlines()) == (
        1,
        [
            f'{place}matcher "mcp__db" is an exact name and matches no tool: write "mcp__db__.*"',
            f"{place}timeout 5000 is in seconds (83 minutes), not milliseconds",
        ],
    )
    row = json.loads(run("lint", "--json").stdout.splitlines()[1])
    assert (row["line"], row["where"]) == (1, "PreToolUse[0].hooks[0]")


def test_control_characters_of_hooks_do_not_reach_the_terminal(project: Path) -> None:
    entry = {"type": "command", "command": "printf '\\033[2J' >&2; exit 2"}
    write_settings(project, {"Stop": [{"hooks": [entry]}]})
    assert "\x1b" not in run("test", "Stop").stdout
