"""Odd terminals: small, dumb, without colour or Unicode; output that attacks the terminal."""

import json
import re
from pathlib import Path

import pytest

from support.fake_api import FakeApiThread, text, tool_use, turn
from support.screen import CTRL_C, CTRL_D, Start

BAD = {
    "clipboard": b"\x1b]52;c;aGVsbG8=\x07",
    "title": b"\x1b]0;title\x07",
    "link": b"\x1b]8;;http://example.invalid\x1b\\",
    "settings": b"\x1bP$q q\x1b\\",
    "c1": "\x9b31m".encode(),
    "bidi": "\u202e".encode(),
    "clear": b"\x1b[2J\x1b[3J",
    "back": b"safe\x1b[1K\rgone",
    "bell": b"\x07",
}
OWN = re.compile(
    rb"\x1b\[(\?(2026|2004|25|12|7|1|1000|1002|1003|1006|1004)[hl]|[0-9;]*[mABCDHJKG]|[0-9 ]*q)"
)


def foreign(raw: bytes) -> list[bytes]:
    """Control characters on the way to the terminal that hames does not send itself."""
    rest = OWN.sub(b"", raw)
    found = re.findall(
        rb"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f]+|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]", rest
    )
    return [part for part in found if part]


@pytest.mark.parametrize("name", list(BAD))
def test_output_of_tools_never_reaches_the_terminal_raw(
    name: str, api: FakeApiThread, start: Start
) -> None:
    Path("bad.txt").write_bytes(b"before " + BAD[name] + b" after\n")
    api.reply(turn(tool_use("Bash", {"command": "cat bad.txt"})), turn("Done."))
    with start("look") as terminal:
        terminal.wait_for("Done.")
        terminal.wait_for("after")
        terminal.wait_gone("esc interrupts")
        terminal.send(CTRL_D)
        assert terminal.wait_end() == 0
        assert foreign(terminal.raw) == []


def test_text_of_the_model_and_questions_are_made_visible(api: FakeApiThread, start: Start) -> None:
    evil = "".join(part.decode("utf-8") for part in BAD.values())
    api.reply(
        turn(text(f"Look: {evil} end.\n"), tool_use("Bash", {"command": f"touch x # {evil}"}))
    )
    with start("look") as terminal:
        terminal.wait_question("wants to run")
        terminal.send("n")
        terminal.wait_for("Interrupted")
        terminal.send(CTRL_D)
        assert terminal.wait_end() == 0
        assert foreign(terminal.raw) == []
        assert "\\x1b]52;c;aGVsbG8=\\x07" in terminal.text


@pytest.mark.parametrize(("columns", "rows"), [(20, 5), (40, 10), (80, 24), (300, 100)])
def test_every_size_can_be_worked_in(
    columns: int, rows: int, api: FakeApiThread, start: Start
) -> None:
    api.reply(turn(tool_use("Bash", {"command": "touch made"})), turn("All done."))
    with start("make it", columns=columns, rows=rows) as terminal:
        terminal.wait_question("y  Yes")
        terminal.send("y")
        terminal.wait_for("All done.")
    assert Path("made").exists()


def test_a_window_that_changes_its_size_while_an_answer_is_written(
    api: FakeApiThread, start: Start
) -> None:
    api.reply(turn("word " * 200 + "and the end."))
    with start("tell") as terminal:
        for at in range(60):
            terminal.resize(20 + at * 2, 5 + at % 30)
        terminal.resize(90, 30)
        terminal.wait_for("and the end.")


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_gets_plain_lines(term: str, api: FakeApiThread, start: Start) -> None:
    api.reply(turn("One.", tool_use("Bash", {"command": "touch made"})), turn("Two."), turn("3."))
    with start("make it", variables={"TERM": term}) as terminal:
        terminal.wait_for("y  Yes")
        terminal.send("perhaps\n")
        terminal.wait_for("Please answer with one of the letters above.")
        terminal.send("y\n")
        terminal.wait_for("Two.")
        terminal.send("and on\n")
        terminal.wait_for("3.")
        terminal.send("/exit\n")
        assert terminal.wait_end() == 0
        assert b"\x1b" not in terminal.raw
        assert terminal.after == terminal.found
    assert Path("made").exists()


def test_a_dumb_terminal_takes_a_no_with_words(api: FakeApiThread, start: Start) -> None:
    api.reply(turn(tool_use("Bash", {"command": "touch made"}, id="toolu_1")), turn("Fine."))
    with start("make it", variables={"TERM": "dumb"}) as terminal:
        terminal.wait_for("y  Yes")
        terminal.send("t\n")
        terminal.wait_for("What should hames do instead?")
        terminal.send("leave it\n")
        terminal.wait_for("Fine.")
        terminal.send(CTRL_D)
        assert terminal.wait_end() == 0
    assert "leave it" in str(api.calls[1].results["toolu_1"]["content"])


def test_ctrl_c_in_a_dumb_terminal(api: FakeApiThread, start: Start) -> None:
    api.reply(turn(tool_use("Bash", {"command": "touch begun; sleep 60"})))
    rules = "--allowedTools=Bash(sleep *),Bash(touch *)"
    with start("wait", rules, variables={"TERM": "dumb"}) as terminal:
        terminal.wait_for(Path("begun").exists)
        terminal.send(CTRL_C)
        terminal.wait_for("Interrupted")
        terminal.send(CTRL_C)
        terminal.wait_for("Press Ctrl-C again")
        terminal.send(CTRL_C)
        assert terminal.wait_end() == 0


def test_no_colour_when_it_is_not_wanted(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("Some **bold** text."))
    with start("hi", variables={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for("Some bold text.")
        terminal.wait_gone("esc interrupts")
    colours = re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw)
    assert {code for code in colours if code not in (b"", b"0")} == set()


def test_a_locale_without_unicode(api: FakeApiThread, start: Start) -> None:
    api.reply(turn("Größe → 5."), turn("Again."))
    latin = {"LC_ALL": "en_US.ISO-8859-1", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"}
    with start("hi", variables=latin) as terminal:
        terminal.wait_for("> hi")
        terminal.wait_for("e ? 5.")
        terminal.type("go on")
        terminal.wait_for("Again.")


def test_a_long_answer_neither_clears_nor_floods(api: FakeApiThread, start: Start) -> None:
    lines = "".join(f"line {at} of a long answer that goes on\n" for at in range(1500))
    api.reply(turn(lines + "the end"))
    with start("tell", columns=80, rows=24) as terminal:
        terminal.wait_for("the end")
        assert "line 0 of" in terminal.text
        assert "line 1499 of" in terminal.text
        assert b"\x1b[2J" not in terminal.raw
        assert b"\x1b[3J" not in terminal.raw
        assert len(terminal.raw) < 4 * len(lines)


def test_a_hook_may_set_the_title_of_the_terminal(api: FakeApiThread, start: Start) -> None:
    said = json.dumps({"terminalSequence": "\x1b]2;tests are green\x07"})
    hook = {"type": "command", "command": f"echo '{said}'"}
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}
    (Path.home() / ".claude").mkdir(exist_ok=True)
    (Path.home() / ".claude/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    api.reply(turn("Done."))
    with start("look") as terminal:
        terminal.wait_for("Done.")
        terminal.send(CTRL_D)
        assert terminal.wait_end() == 0
        assert terminal.raw.count(b"\x1b]2;tests are green\x07") == 1
