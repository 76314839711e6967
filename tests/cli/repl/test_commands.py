"""Commands of the REPL, sessions that go on, and the memory of what was typed."""

import json
import re
import stat
from pathlib import Path

from support.fake_api import FakeApiThread, Gate, held, turn
from support.screen import CTRL_D, DOWN, ENTER, ESCAPE, UP, Start, Terminal

IDLE = "esc interrupts"


def ready(terminal: Terminal) -> None:
    terminal.wait_for("/help shows keys")
    terminal.wait_for("claude-sonnet-5-5")


def ask(terminal: Terminal, text: str, answer: str) -> None:
    terminal.type(text)
    terminal.wait_for(answer)
    terminal.wait_gone(IDLE)


def leave(terminal: Terminal) -> str:
    """Leave; the id of the session as the hint tells it."""
    terminal.send(CTRL_D)
    assert terminal.wait_end() == 0
    found = re.search(r"hames --resume (\S+)", terminal.text)
    assert found is not None
    return found[1]


def test_clear_starts_a_new_conversation(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."), turn("Two."))
    with start() as terminal:
        ready(terminal)
        ask(terminal, "first", "One.")
        ask(terminal, "/clear", "New session:")
        ask(terminal, "second", "Two.")
    assert "first" not in str(api.calls[1].messages)


def test_the_model_is_changed_from_the_next_request_on(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."), turn("Two."))
    with start() as terminal:
        ready(terminal)
        ask(terminal, "first", "One.")
        terminal.type("/model opus")
        terminal.wait_for("Model: claude-opus-5-5")
        ask(terminal, "second", "Two.")
        terminal.wait_for(lambda: "claude-opus-5-5" in terminal.last_row)
    assert [call.model for call in api.calls] == ["claude-sonnet-5-5", "claude-opus-5-5"]


def test_the_model_is_chosen_from_a_list(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."))
    with start() as terminal:
        ready(terminal)
        terminal.type("/model")
        terminal.wait_question("Which model?")
        terminal.send(DOWN, DOWN, ENTER)
        terminal.wait_for("Model: claude-haiku-5-5")
        ask(terminal, "first", "One.")
    assert api.calls[0].model == "claude-haiku-5-5"


def test_a_list_is_left_without_a_choice(start: Start) -> None:
    with start() as terminal:
        ready(terminal)
        terminal.type("/model")
        terminal.wait_question("Which model?")
        terminal.send(ESCAPE)
        terminal.wait_gone("Which model?")
        terminal.wait_for("claude-sonnet-5-5")


def test_cost_and_status_are_told_while_a_turn_runs(api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn("Wait for it."), gate=gate))
    with start("first") as terminal:
        gate.wait_reached()
        terminal.type("/cost")
        terminal.wait_for("Total cost: $0.0000")
        terminal.type("/status")
        terminal.wait_for("mode     default (asks before changes)")
        gate.release()
        terminal.wait_for("Wait for it.")
        terminal.wait_gone(IDLE)
        terminal.type("/cost")
        terminal.wait_for("claude-sonnet-5-5: ")
    assert len(api.calls) == 1


def test_the_effort_goes_with_the_next_request(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."))
    with start() as terminal:
        ready(terminal)
        terminal.type("/effort wrong")
        terminal.wait_for("Unknown effort")
        terminal.type("/effort low")
        terminal.wait_for("Effort: low")
        ask(terminal, "first", "One.")
    assert api.calls[0].body["output_config"]["effort"] == "low"


def test_a_mode_by_name(start: Start) -> None:
    with start() as terminal:
        ready(terminal)
        terminal.type("/mode plan")
        terminal.wait_for("plan only")
        terminal.type("/mode bypassPermissions")
        terminal.wait_for("bypassPermissions must be enabled when the session starts")
        terminal.wait_for("plan only")


def test_a_near_miss_is_named_and_not_run(api: FakeApiThread, start: Start) -> None:
    with start() as terminal:
        ready(terminal)
        terminal.type("/hepl")
        terminal.wait_for("Unknown command: /hepl. Did you mean /help?")
        terminal.type("/help")
        terminal.wait_for("Shift-Tab")
    assert api.calls == []


def test_commands_are_completed(start: Start) -> None:
    with start() as terminal:
        ready(terminal)
        terminal.send("/sta")
        terminal.wait_for("this session at a glance")
        terminal.send("\t")
        terminal.wait_for("❯ /status")
        terminal.send(ENTER)
        terminal.wait_for("folder   ")


def test_continue_shows_the_end_and_goes_on(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."), turn("Two."))
    with start() as terminal:
        ready(terminal)
        ask(terminal, "first", "One.")
        leave(terminal)
    with start("--continue") as terminal:
        terminal.wait_for("❯ first")
        terminal.wait_for("One.")
        ask(terminal, "second", "Two.")
    assert "first" in str(api.calls[1].messages)


def test_a_session_goes_on_by_its_id(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."), turn("Two."))
    with start() as terminal:
        ready(terminal)
        ask(terminal, "first", "One.")
        session_id = leave(terminal)
    with start("--resume", session_id, "second") as terminal:
        terminal.wait_for("Two.")
        terminal.wait_gone(IDLE)
        assert leave(terminal) == session_id
    assert "first" in str(api.calls[1].messages)


def test_resume_without_a_value_asks_which(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."), turn("Other."), turn("Two."))
    for prompt, answer in (("first", "One."), ("another", "Other.")):
        with start(prompt) as terminal:
            terminal.wait_for(answer)
            terminal.wait_gone(IDLE)
            leave(terminal)
    with start("--resume") as terminal:
        terminal.wait_question("Go on with which session?")
        assert re.search(r"1 .*another\n.*2 .*first", terminal.text)
        terminal.send("2")
        terminal.wait_for("One.")
        ask(terminal, "second", "Two.")
    assert "first" in str(api.calls[2].messages)


def test_resume_inside_leaves_one_session_for_another(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One."), turn("Other."), turn("Two."))
    with start("first") as terminal:
        terminal.wait_for("One.")
        terminal.wait_gone(IDLE)
        session_id = leave(terminal)
    with start("another") as terminal:
        terminal.wait_for("Other.")
        terminal.wait_gone(IDLE)
        terminal.type("/resume")
        terminal.wait_question("Go on with which session?")
        terminal.send("1")
        terminal.wait_for("❯ first")
        ask(terminal, "second", "Two.")
        assert leave(terminal) == session_id
    assert "another" not in str(api.calls[2].messages)


def test_an_unknown_session_is_an_error(start: Start) -> None:
    with start("--resume", "12345678-1234-4234-8234-123456789012") as terminal:
        assert terminal.wait_end() == 1
        assert "No conversation found with session ID: 12345678" in terminal.text


def test_what_was_typed_is_kept_privately(api: FakeApiThread, start: Start, tmp_path: Path) -> None:
    api.reply(turn("One."), turn("Again."))
    with start() as terminal:
        ready(terminal)
        ask(terminal, "first", "One.")
        session_id = leave(terminal)
    file = tmp_path / "home" / ".claude" / "history.jsonl"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    entry = json.loads(file.read_text(encoding="utf-8"))
    assert {**entry, "timestamp": 0} == {
        "display": "first",
        "pastedContents": {},
        "timestamp": 0,
        "project": str((tmp_path / "work").resolve()),
        "sessionId": session_id,
    }
    with start() as terminal:
        ready(terminal)
        terminal.send(UP)
        terminal.wait_for("❯ first")
        terminal.send(ENTER)
        terminal.wait_for("Again.")
