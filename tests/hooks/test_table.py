"""Exit code times stdout, on an event that can be blocked and on one that cannot."""

import asyncio
from pathlib import Path

import pytest

from hames.hooks.events import HookEvent, notification, pre_tool_use
from hames.hooks.result import Permission
from support.hook_session import bench, command, context, one

BLOCKING = pre_tool_use("Bash", {"command": "ls"}, "toolu_1")
OTHER = notification("hello", "idle_prompt")

EMPTY = ""
TEXT = "just words"
VALID = '{"systemMessage":"careful"}'
DECISION = '{"decision":"block","reason":"closed"}'
BROKEN = '{"decision":"block",'
INVALID = '{"continue":"yes"}'

ALLOWED, DENIED_ERR, DENIED_JSON, ERROR = "allowed", "stderr", "json", "error"

TABLE = {
    ("exit 0", EMPTY): ALLOWED,
    ("exit 0", TEXT): ALLOWED,
    ("exit 0", VALID): ALLOWED,
    ("exit 0", DECISION): DENIED_JSON,
    ("exit 0", BROKEN): ALLOWED,
    ("exit 0", INVALID): ERROR,
    ("exit 1", EMPTY): ERROR,
    ("exit 1", TEXT): ERROR,
    ("exit 1", VALID): ALLOWED,
    ("exit 1", DECISION): DENIED_JSON,
    ("exit 1", BROKEN): ERROR,
    ("exit 1", INVALID): ERROR,
    ("exit 2", EMPTY): DENIED_ERR,
    ("exit 2", TEXT): DENIED_ERR,
    ("exit 2", VALID): DENIED_ERR,
    ("exit 2", DECISION): DENIED_JSON,
    ("exit 2", BROKEN): DENIED_ERR,
    ("exit 2", INVALID): DENIED_ERR,
    ("exit 127", EMPTY): ERROR,
    ("exit 127", TEXT): ERROR,
    ("exit 127", VALID): ALLOWED,
    ("exit 127", DECISION): DENIED_JSON,
    ("exit 127", BROKEN): ERROR,
    ("exit 127", INVALID): ERROR,
    ("kill -9 $$", EMPTY): ERROR,
    ("kill -9 $$", TEXT): ERROR,
    ("kill -9 $$", VALID): ALLOWED,
    ("kill -9 $$", DECISION): DENIED_JSON,
    ("kill -9 $$", BROKEN): ERROR,
    ("kill -9 $$", INVALID): ERROR,
}


def printing(ending: str, stdout: str) -> str:
    return f"printf '%s' '{stdout}'; echo 'first line' >&2; echo second >&2; {ending}"


def fire(tmp_path: Path, event: HookEvent, text: str) -> tuple[str, str, tuple[str, ...]]:
    hooks = one(event.name, command(text))
    outcome = asyncio.run(bench(tmp_path, hooks).engine.fire(event, context(tmp_path)))
    run = outcome.runs[0]
    if outcome.blocked:
        assert event.name != "PreToolUse" or outcome.permission == Permission(
            "deny", outcome.reason
        )
        return "blocked", outcome.reason, outcome.notices
    assert outcome.permission is None
    return run.outcome, "", outcome.notices


@pytest.mark.parametrize(("ending", "stdout"), list(TABLE))
def test_a_blocking_event_follows_the_table(tmp_path: Path, ending: str, stdout: str) -> None:
    kind, reason, notices = fire(tmp_path, BLOCKING, printing(ending, stdout))
    match TABLE[ending, stdout]:
        case "allowed":
            assert (kind, reason) == ("success", "")
        case "stderr":
            assert (kind, reason) == ("blocked", "first line\nsecond")
        case "json":
            assert (kind, reason) == ("blocked", "closed")
        case _:
            assert kind == "error"
            assert notices[0].startswith("PreToolUse:Bash hook error [")


@pytest.mark.parametrize(("ending", "stdout"), list(TABLE))
def test_an_event_that_cannot_be_blocked_never_is(tmp_path: Path, ending: str, stdout: str) -> None:
    kind, _, notices = fire(tmp_path, OTHER, printing(ending, stdout))
    expected = TABLE[ending, stdout]
    if ending == "exit 2" or expected == ERROR:
        assert kind == "error"
        assert "Notification:idle_prompt hook error" in notices[0]
    else:
        assert kind == "success"


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("exit 1", "Failed with non-blocking status code: first line (exit code 1)"),
        ("exit 127", "Failed with non-blocking status code: first line (exit code 127)"),
        ("kill -9 $$", "Failed with non-blocking status code: first line (killed by signal 9)"),
    ],
)
def test_the_notice_holds_the_first_line_of_stderr_and_the_code(
    tmp_path: Path, ending: str, told: str
) -> None:
    _, _, notices = fire(tmp_path, BLOCKING, printing(ending, EMPTY))
    assert [notice.split("]: ", 1)[1] for notice in notices] == [told]


def test_exit_two_without_stderr_names_the_hook(tmp_path: Path) -> None:
    kind, reason, notices = fire(tmp_path, BLOCKING, "echo refused; exit 2")
    assert (kind, reason) == (
        "blocked",
        "blocked by hook echo refused; exit 2 (exit code 2, nothing on stderr)",
    )
    assert notices == (
        "PreToolUse:Bash hook error [echo refused; exit 2]:"
        " exit code 2 takes its reason from stderr, which is empty",
    )


def test_a_missing_program_is_one_clear_notice(tmp_path: Path) -> None:
    _, _, notices = fire(tmp_path, BLOCKING, "no-such-jq-here .tool_input")
    assert len(notices) == 1
    assert "no-such-jq-here" in notices[0].split("status code: ")[1]
    assert notices[0].endswith("(exit code 127)")
