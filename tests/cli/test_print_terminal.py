"""Print mode on a terminal: progress and the answer, each once."""

import pexpect

from support.fake_api import running_fake_api, tool_use, turn
from support.run import child_env, command


def on_terminal(url: str, *args: str) -> tuple[str, int | None]:
    """What the terminal shows, and the exit code."""
    program, *words = command(*args)
    env = child_env(url, {"TERM": "dumb"})
    child = pexpect.spawn(program, words, env=env, timeout=30, encoding="utf-8")
    child.expect(pexpect.EOF)
    shown = str(child.before)
    child.close()
    return shown.replace("\r\n", "\n"), child.exitstatus


def test_a_streamed_answer_is_shown_once() -> None:
    with running_fake_api() as api:
        api.reply(turn(tool_use("Bash", {"command": "echo hi"})), turn("All is well."))
        shown, code = on_terminal(api.url, "-p", "go")
    assert code == 0
    assert shown.count("All is well.") == 1
    assert "echo hi" in shown


def test_the_answer_of_a_command_is_shown() -> None:
    with running_fake_api() as api:
        assert on_terminal(api.url, "-p", "/cost") == ("Total cost: $0.0000\n", 0)


def test_a_failure_is_shown_once() -> None:
    with running_fake_api() as api:
        api.reply(turn("I cannot", stop_reason="refusal"))
        shown, code = on_terminal(api.url, "-p", "go")
    assert code == 1
    assert shown.count("declined to answer") == 1
