"""Signals to a headless run: what it says, how it exits, what it leaves behind."""

import signal
import time
import uuid

import pytest

from support.fake_api import FakeApiThread, Gate, held, running_fake_api, tool_use, turn
from support.processes import alive, left_after
from support.run import Running, entries_of, run_hames, session_files

STREAM = ("-p", "go", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash")
JSON = ("-p", "go", "--output-format", "json", "--allowedTools", "Bash")


def streaming(api: FakeApiThread) -> Gate:
    """An answer whose text is held in the middle."""
    gate = Gate()
    api.reply(held(turn("Look. " * 40), gate=gate, at=0.5))
    return gate


def running_tool(api: FakeApiThread, mark: str) -> None:
    """A command that has children, one of them outside of its group, and ignores SIGTERM."""
    script = f"trap '' TERM; (setsid bash -c 'exec -a {mark} sleep 60' &); exec -a {mark} sleep 61"
    api.reply(turn("Look.", tool_use("Bash", {"command": script}, id="toolu_1")))


@pytest.fixture
def mark() -> str:
    return f"mark-{uuid.uuid4().hex}"


def wait_for_process(mark: str) -> None:
    deadline = time.monotonic() + 20
    while len(alive(mark)) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)  # there is no event of another process to wait for


@pytest.mark.fault
def test_an_interrupted_answer_has_a_result_and_exit_130() -> None:
    with running_fake_api() as api:
        gate = streaming(api)
        with Running(*STREAM, url=api.url) as run:
            gate.wait_reached(30)
            run.send(signal.SIGINT)
            done = run.end()
        assert (done.code, done.err) == (130, "")
        assert done.kinds() == ["system/init", "result/error_during_execution"]
        assert done.result["terminal_reason"] == "aborted_streaming"
        api.reply(turn("Resumed."))
        again = run_hames("-p", "-c", "go on", url=api.url)
        assert (again.code, again.out) == (0, "Resumed.\n")
        assert api.refusals == []


@pytest.mark.fault
@pytest.mark.parametrize("times", [1, 3])
def test_an_interrupt_kills_the_command_that_runs(times: int, mark: str) -> None:
    with running_fake_api() as api:
        running_tool(api, mark)
        with Running(*JSON, url=api.url) as run:
            wait_for_process(mark)
            for _ in range(times):
                run.send(signal.SIGINT)
            done = run.end()
        assert (done.code, done.err) == (130, "")
        assert done.result["terminal_reason"] == "aborted_tools"
        assert left_after(mark) == []
        (result,) = [e for e in entries_of(session_files()[0]) if "toolUseResult" in e]
        assert result["message"]["content"][0]["is_error"] is True


@pytest.mark.fault
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_terminated_run_kills_its_commands_and_says_nothing_more(
    number: signal.Signals, code: int, mark: str
) -> None:
    with running_fake_api() as api:
        running_tool(api, mark)
        with Running(*STREAM, url=api.url) as run:
            wait_for_process(mark)
            run.send(number)
            done = run.end()
        assert (done.code, done.err) == (code, "")
        assert done.kinds() == ["system/init", "assistant", "assistant"]
        assert left_after(mark) == []
        (result,) = [e for e in entries_of(session_files()[0]) if "toolUseResult" in e]
        assert result["message"]["content"][0]["is_error"] is True
        assert len(api.calls) == 1
        api.reply(turn("Resumed."))
        again = run_hames("-p", "-c", "go on", url=api.url)
        assert (again.code, again.out) == (0, "Resumed.\n")
        assert list(api.calls[1].results) == ["toolu_1"]
        assert api.refusals == []


@pytest.mark.fault
def test_a_run_terminated_while_it_waits_for_the_model_keeps_the_prompt() -> None:
    with running_fake_api() as api:
        gate = streaming(api)
        with Running(*JSON, url=api.url) as run:
            gate.wait_reached(30)
            run.send(signal.SIGTERM)
            done = run.end()
        assert (done.code, done.out, done.err) == (143, "", "")
        prompts = [e["message"]["content"] for e in entries_of(session_files()[0]) if is_prompt(e)]
        assert prompts[0] == "go"


def is_prompt(entry: dict[str, object]) -> bool:
    return entry["type"] == "user" and not entry.get("isMeta") and "toolUseResult" not in entry
