"""Every way out leaves the terminal as it was found and ends the session."""

import json
import signal
import sys
from pathlib import Path

import pytest

from support.fake_api import FakeApiThread, Gate, held, turn
from support.screen import CTRL_C, CTRL_D, Start, Terminal

MODES = (b"?1000", b"?1002", b"?1003", b"?1006", b"?1004", b"?2004", b"?1049", b"?2026")


def ready(terminal: Terminal) -> None:
    terminal.wait_for("/help shows keys")


def is_restored(terminal: Terminal) -> bool:
    """The settings are the old ones, every mode was switched off last, the cursor is visible."""
    raw = terminal.raw
    modes_off = all(raw.rfind(mode + b"h") <= raw.rfind(mode + b"l") for mode in MODES)
    visible = raw.rfind(b"\x1b[?25h") > raw.rfind(b"\x1b[?25l")
    return modes_off and visible and terminal.after == terminal.found


def count_ends(folder: Path) -> str:
    """A settings file whose SessionEnd hook writes a line, and where it writes it."""
    marks = folder / "ends"
    hook = {"type": "command", "command": f"echo end >> {marks}"}
    settings = {"hooks": {"SessionEnd": [{"hooks": [hook]}]}}
    home = folder / "home" / ".claude"
    home.mkdir(exist_ok=True)
    (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return str(marks)


@pytest.mark.parametrize(
    "way",
    [(CTRL_D,), (CTRL_C, CTRL_C), ("/exit\r",), ("/quit\r",), ("draft", CTRL_C, CTRL_D)],
    ids=["ctrl-d", "ctrl-c twice", "exit", "quit", "cleared"],
)
def test_the_user_leaves(way: tuple[str, ...], start: Start, tmp_path: Path) -> None:
    marks = count_ends(tmp_path)
    with start() as terminal:
        ready(terminal)
        terminal.send(*way)
        assert terminal.wait_end() == 0
        assert is_restored(terminal)
    assert Path(marks).read_text(encoding="utf-8") == "end\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_end_it(number: signal.Signals, start: Start, tmp_path: Path) -> None:
    marks = count_ends(tmp_path)
    with start() as terminal:
        ready(terminal)
        terminal.process.kill(number)
        assert terminal.wait_end() == 128 + number
        assert is_restored(terminal)
    assert Path(marks).read_text(encoding="utf-8") == "end\n"


def test_a_signal_in_the_middle_of_a_turn(api: FakeApiThread, start: Start) -> None:
    gate = Gate()
    api.reply(held(turn("Wait."), gate=gate))
    with start("begin") as terminal:
        gate.wait_reached()
        terminal.wait_for("esc interrupts")
        terminal.process.kill(signal.SIGTERM)
        assert terminal.wait_end() == 143
        assert is_restored(terminal)


BUGS = {
    "of a key": ("prompt_toolkit.buffer.Buffer.append_to_history", "hello\r"),
    "of drawing": ("prompt_toolkit.layout.menus.CompletionsMenuControl.create_content", "/"),
}


@pytest.mark.parametrize("place", list(BUGS))
def test_a_bug_restores_the_terminal(place: str, start: Start, tmp_path: Path) -> None:
    name, keys = BUGS[place]
    module, kind, method = name.rsplit(".", 2)
    (tmp_path / "sitecustomize.py").write_text(
        f"def fail(*_):\n    raise RuntimeError('a bug')\n"
        f"import {module} as module\nmodule.{kind}.{method} = fail\n",
        encoding="utf-8",
    )
    with start(variables={"PYTHONPATH": ":".join([str(tmp_path), *sys.path])}) as terminal:
        ready(terminal)
        terminal.send(keys)
        assert terminal.wait_end() == 1
        assert is_restored(terminal)
        assert "hames failed: RuntimeError: a bug" in terminal.text


def test_the_terminal_goes_away(start: Start, tmp_path: Path) -> None:
    marks = Path(count_ends(tmp_path))
    with start() as terminal:
        ready(terminal)
        terminal.process.close(force=False)
    assert marks.read_text(encoding="utf-8") == "end\n"


def test_how_to_go_on_is_told(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("Hello."))
    with start("hi") as terminal:
        terminal.wait_for("Hello.")
        terminal.wait_gone("esc interrupts")
        terminal.send(CTRL_D)
        assert terminal.wait_end() == 0
        assert "Go on with: hames --resume " in terminal.text


def test_ctrl_c_clears_the_input_first(start: Start) -> None:
    with start() as terminal:
        ready(terminal)
        terminal.send("half a thought")
        terminal.wait_for("❯ half a thought")
        terminal.send(CTRL_C)
        terminal.wait_for("Press Ctrl-C again to leave")
        terminal.wait_gone("half a thought")


def test_a_session_inside_another_one_leaves_no_file(
    api: FakeApiThread, start: Start, tmp_path: Path
) -> None:
    api.reply(turn("Hello."))
    with start("hi", variables={"CLAUDE_CODE_CHILD_SESSION": "1"}) as terminal:
        terminal.wait_for("Hello.")
        terminal.wait_gone("esc interrupts")
        terminal.send(CTRL_D)
        assert terminal.wait_end() == 0
        assert "Go on with" not in terminal.text
    assert list((tmp_path / "home" / ".claude").rglob("*-*.jsonl")) == []
