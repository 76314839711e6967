"""Answers, tools, questions, interrupts and the queue, typed into a terminal."""

import time
from functools import partial
from pathlib import Path

import pytest

from support.fake_api import FakeApiThread, Gate, error, held, overloaded, tool_use, turn
from support.patience import bound
from support.screen import CTRL_C, CTRL_J, ENTER, ESCAPE, SHIFT_TAB, UP, Start, Terminal

READY = "asks before changes"
LONG = f"First line of the answer.\nSecond line.\n{'word ' * 60}and not yet whole"


def bash(command: str, **keys: str) -> dict[str, object]:
    return tool_use("Bash", {"command": command}, **keys)


def ready(terminal: Terminal) -> None:
    terminal.wait_for("/help shows keys")
    terminal.wait_for(READY)


def shown(terminal: Terminal, text: str) -> bool:
    return any(text in row for row in terminal.rows)


def test_an_answer_appears_while_it_is_written(api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn(LONG), gate=gate, at=0.5))
    with start("say something") as terminal:
        gate.wait_reached()
        terminal.wait_for("First line of the answer.")
        assert "not yet whole" not in terminal.text
        assert "❯ say something" in terminal.text
        terminal.wait_for("esc interrupts")
        gate.release()
        terminal.wait_for("and not yet whole")
        terminal.wait_gone("esc interrupts")


def test_a_call_shows_its_command_and_its_output(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("Looking.", bash("echo one; echo two")), turn("Done."))
    with start("look") as terminal:
        terminal.wait_for("Done.")
        assert "● Bash(echo one; echo two)\n  one\n  two\n\nDone." in terminal.text


def test_a_file_that_was_read_is_counted_and_not_shown(api: FakeApiThread, start: Start) -> None:
    Path("a.py").write_text("alpha\nbeta\n", encoding="utf-8")
    api.reply(turn(tool_use("Read", {"file_path": str(Path("a.py").resolve())})), turn("Seen."))
    with start("read") as terminal:
        terminal.wait_for("Seen.")
        assert "● Read(a.py)\n  Read 2 lines\n" in terminal.text
        assert "alpha" not in terminal.text


@pytest.mark.parametrize("keys", ["y", "1", ENTER])
def test_yes_runs_the_call(keys: str, api: FakeApiThread, start: Start) -> None:
    api.reply(turn(bash("touch made")), turn("It is there."))
    with start("make it") as terminal:
        terminal.wait_question("Bash wants to run a command")
        terminal.wait_for("  touch made")
        terminal.send(keys)
        terminal.wait_for("It is there.")
        terminal.wait_gone("wants to run")
    assert Path("made").exists()


@pytest.mark.parametrize("keys", ["n", ESCAPE, CTRL_C])
def test_no_ends_the_turn_and_gives_the_keyboard_back(
    keys: str, api: FakeApiThread, start: Start
) -> None:
    api.reply(turn(bash("touch made", id="toolu_1")), turn("Fine."))
    with start("make it") as terminal:
        terminal.wait_question("wants to run")
        terminal.send(keys)
        terminal.wait_for("Interrupted")
        terminal.type("then not")
        terminal.wait_for("Fine.")
    assert not Path("made").exists()
    assert api.calls[1].results["toolu_1"]["is_error"] is True


def test_no_with_a_word_goes_on_with_it(api: FakeApiThread, start: Start) -> None:
    api.reply(turn(bash("touch made", id="toolu_1")), turn("I use the other name."))
    with start("make it") as terminal:
        terminal.wait_question("wants to run")
        terminal.send("t")
        terminal.type("call it other")
        terminal.wait_for("I use the other name.")
    assert not Path("made").exists()
    assert "call it other" in str(api.calls[1].results["toolu_1"]["content"])


def test_always_asks_no_second_time(api: FakeApiThread, start: Start) -> None:
    api.reply(turn(bash("touch one")), turn(bash("touch two")), turn("Both are there."))
    with start("make them") as terminal:
        terminal.wait_question("don't ask again for touch *")
        terminal.send("a")
        terminal.wait_for("Both are there.")
    assert Path("one").exists()
    assert Path("two").exists()


def test_a_change_of_a_file_is_shown_before_and_after(api: FakeApiThread, start: Start) -> None:
    file = Path("a.py").resolve()
    file.write_text("one = 1\n", encoding="utf-8")
    edit = {"file_path": str(file), "old_string": "one = 1", "new_string": "one = 2"}
    api.reply(
        turn(tool_use("Read", {"file_path": str(file)})),
        turn(tool_use("Edit", edit)),
        turn("Changed."),
    )
    with start("change it") as terminal:
        terminal.wait_question("Edit wants to change")
        assert "-one = 1" in terminal.text
        terminal.send("y")
        terminal.wait_for("Changed.")
        assert "1 + one = 2" in terminal.text
    assert file.read_text(encoding="utf-8") == "one = 2\n"


@pytest.mark.parametrize("key", [ESCAPE, CTRL_C])
def test_an_answer_is_interrupted(key: str, api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn(LONG), gate=gate, at=0.5), turn("Here again."))
    with start("say something") as terminal:
        terminal.wait_for("First line")
        pressed = time.monotonic()
        terminal.send(key)
        terminal.wait_for("Interrupted")
        assert time.monotonic() - pressed < bound(0.3)
        terminal.type("go on")
        terminal.wait_for("Here again.")


@pytest.mark.parametrize("key", [ESCAPE, CTRL_C])
def test_a_running_call_is_interrupted(key: str, api: FakeApiThread, start: Start) -> None:
    api.reply(turn(bash("echo begun; sleep 60", id="toolu_1")), turn("Here again."))
    with start("wait", "--allowedTools=Bash(sleep *)") as terminal:
        terminal.wait_for("begun")
        terminal.send(key)
        terminal.wait_for("Interrupted")
        terminal.type("go on")
        terminal.wait_for("Here again.")
    assert api.calls[1].results["toolu_1"]["is_error"] is True


def test_a_message_typed_while_working_joins_the_turn(api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn("Wait.", bash("echo one")), gate=gate, at=0.9), turn("Both done."))
    with start("first") as terminal:
        terminal.wait_for("Wait.")
        terminal.type("and second")
        terminal.wait_for("queued · ↑")
        gate.release()
        terminal.wait_for("Both done.")
        terminal.wait_gone("queued ·")
        assert terminal.text.count("❯ and second") == 1
    assert "and second" in api.calls[1].last_text


def test_up_takes_queued_messages_back(api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn("Wait."), gate=gate, at=0.9), turn("Edited one done."))
    with start("first") as terminal:
        terminal.wait_for("Wait")
        terminal.type("second")
        terminal.wait_for("queued · ↑")
        terminal.send(UP)
        terminal.wait_gone("queued ·")
        terminal.send(" edited")
        terminal.wait_for("❯ second edited")
        gate.release()
        terminal.wait_gone("esc interrupts")
        terminal.send(ENTER)
        terminal.wait_for("Edited one done.")
    assert api.calls[1].last_text.endswith("second edited")


def test_ctrl_c_takes_queued_messages_back_too(api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn("Wait."), gate=gate, at=0.9))
    with start("first") as terminal:
        terminal.wait_for("Wait")
        terminal.type("second")
        terminal.wait_for("queued · ↑")
        terminal.send(CTRL_C)
        terminal.wait_for("Interrupted")
        terminal.wait_for(lambda: terminal.rows.count("❯ second") == 1)
    assert len(api.calls) == 1


def test_text_typed_before_a_question_stays_and_answers_nothing(
    api: FakeApiThread, start: Start
) -> None:
    gate = Gate()
    api.reply(held(turn(bash("touch made")), gate=gate, at=0.9), turn("Made."))
    with start("make it") as terminal:
        gate.wait_reached()
        terminal.wait_for("esc interrupts")
        terminal.send("yes, y")
        terminal.wait_for("❯ yes, y")
        gate.release()
        terminal.wait_question("wants to run")
        assert not Path("made").exists()
        terminal.send("y")
        terminal.wait_for("Made.")
        terminal.wait_for("❯ yes, y")


def test_messages_of_several_lines(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("Three lines."))
    with start() as terminal:
        ready(terminal)
        terminal.send("one", CTRL_J, "two\\", ENTER, "three", ENTER)
        terminal.wait_for("Three lines.")
    assert api.calls[0].last_text.endswith("one\ntwo\nthree")


def test_retries_are_told_and_leave_no_trace(api: FakeApiThread, start: Start) -> None:
    api.reply(overloaded(), turn("Now it works."))
    with start("try") as terminal:
        terminal.wait_for("Attempt 1 of 10")
        terminal.wait_for("Now it works.")
        terminal.wait_gone("Attempt")


def test_an_error_of_the_api_is_told_and_the_session_goes_on(
    api: FakeApiThread, start: Start
) -> None:
    api.reply(error(400, "invalid_request_error", "no such thing"), turn("Here again."))
    with start("try") as terminal:
        terminal.wait_for("no such thing")
        terminal.type("hello")
        terminal.wait_for("Here again.")


def test_shift_tab_goes_through_the_modes(start: Start) -> None:
    with start() as terminal:
        ready(terminal)
        for mode in ("accepts edits", "plan only", READY):
            terminal.send(SHIFT_TAB)
            terminal.wait_for(partial(shown, terminal, mode))


def test_accepted_edits_need_no_question(api: FakeApiThread, start: Start) -> None:
    file = Path("new.txt").resolve()
    api.reply(turn(tool_use("Write", {"file_path": str(file), "content": "x\n"})), turn("Ok."))
    with start() as terminal:
        ready(terminal)
        terminal.send(SHIFT_TAB)
        terminal.wait_for("accepts edits")
        terminal.type("write it")
        terminal.wait_for("Ok.")
        assert "● Write(new.txt)\n  Wrote 1 line\n" in terminal.text
