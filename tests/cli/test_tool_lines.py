"""How calls and their results look, as tables."""

from typing import Any

import pytest

from hames.cli.paint import Paint, is_dumb, paint_for
from hames.cli.progress import Progress
from hames.cli.tool_lines import (
    MAX_LINES,
    argument_of,
    call_line,
    one_line,
    result_lines,
    shortened,
    shown_name,
    started_argument,
    unified_lines,
)
from hames.harness import events as ev

PLAIN = Paint(colour=False)
SCOPE = ev.Scope("session")


def finished(
    name: str, structured: Any, content: Any = "text for the model", *, is_error: bool = False
) -> ev.ToolFinished:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    block |= {"is_error": True} if is_error else {}
    return ev.ToolFinished(SCOPE, "uuid", "t1", name, block, structured, 5)


HUNK = {
    "oldStart": 9,
    "oldLines": 3,
    "newStart": 9,
    "newLines": 3,
    "lines": [" same", "-old\x1b", "+new", " tail", "\\ No newline at end of file"],
}

RESULTS = {
    "read": (finished("Read", {"type": "text", "file": {"numLines": 2}}), ["  Read 2 lines"]),
    "read one": (finished("Read", {"type": "text", "file": {"numLines": 1}}), ["  Read 1 line"]),
    "read again": (
        finished("Read", {"type": "file_unchanged", "file": {}}),
        ["  Unchanged since it was read"],
    ),
    "read image": (finished("Read", {"type": "image", "file": {}}), ["  Read the file"]),
    "write": (finished("Write", {"content": "a\nb\n"}), ["  Wrote 2 lines"]),
    "glob": (finished("Glob", {"numFiles": 1}), ["  Found 1 file"]),
    "grep files": (
        finished("Grep", {"mode": "files_with_matches", "numFiles": 3}),
        ["  Found 3 files"],
    ),
    "grep lines": (finished("Grep", {"mode": "content", "numLines": 7}), ["  Found 7 lines"]),
    "bash": (finished("Bash", {"stdout": "one\n", "stderr": "two\n"}), ["  one", "  two"]),
    "bash silent": (finished("Bash", {"stdout": "", "stderr": ""}), ["  (no output)"]),
    "progress bar": (finished("Bash", {"stdout": "10%\r50%\r100%\n"}), ["  100%"]),
    "error": (finished("Bash", "Error: no", "no\nreally", is_error=True), ["  no", "  really"]),
    "blocks": (
        finished("mcp__a__b", "", [{"type": "text", "text": "hi"}, {"type": "image"}]),
        ["  hi", "  [image]"],
    ),
    "edit": (
        finished("Edit", {"structuredPatch": [HUNK]}),
        [
            "  Added 1 line, removed 1 line",
            "   9   same",
            "     - old\\x1b",
            "  10 + new",
            "  11   tail",
        ],
    ),
}


@pytest.mark.parametrize("name", list(RESULTS))
def test_results_are_told_shortly(name: str) -> None:
    event, expected = RESULTS[name]
    assert result_lines(PLAIN, event) == expected


def test_hunks_are_set_apart_and_only_what_happened_is_counted() -> None:
    added = {"newStart": 1, "newLines": 1, "lines": ["+a"]}
    later = {"newStart": 120, "newLines": 1, "lines": ["+b\tc"]}
    assert result_lines(PLAIN, finished("Edit", {"structuredPatch": [added, later]})) == [
        "  Added 2 lines",
        "    1 + a",
        "    …",
        "  120 + b    c",
    ]


@pytest.mark.parametrize(
    ("name", "argument", "line"),
    [
        ("Bash", "npm test", "● Bash(npm test)"),
        ("Bash", "one\ntwo", "● Bash(one…)"),
        ("Todo", "", "● Todo"),
        ("mcp__files__read", "x", "● files: read(x)"),
        ("Bash", "\x1b[2J", "● Bash(\\x1b[2J)"),
    ],
)
def test_a_call_is_one_line(name: str, argument: str, line: str) -> None:
    assert call_line(PLAIN, name, argument) == line


def test_colour_says_how_it_went() -> None:
    line = call_line(Paint(colour=True), "Bash", "ls", "bad")
    assert line == "\x1b[31m●\x1b[0m \x1b[1mBash\x1b[0m(ls)"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"command": "ls", "description": "List"}, "ls"),
        ({"file_path": "/work/a.py"}, "a.py"),
        ({"file_path": "/other/a.py"}, "/other/a.py"),
        ({"pattern": "x", "path": "/work"}, "x"),
        ({"count": 3}, "3"),
        ({"list": []}, ""),
    ],
)
def test_what_a_call_is_about_by_its_input(given: dict[str, Any], shown: str) -> None:
    assert argument_of(given, "/work") == shown


@pytest.mark.parametrize(
    ("name", "summary", "shown"),
    [
        ("Read", "/work/src/a.py", "src/a.py"),
        ("Grep", "x in /work/src", "x in src"),
        ("Grep", "x in /work", "x"),
        ("Bash", "/work/run.sh in /work/src", "/work/run.sh in /work/src"),
    ],
)
def test_paths_are_shortened_but_commands_are_not(name: str, summary: str, shown: str) -> None:
    assert started_argument(ev.ToolStarted(SCOPE, "t1", name, {}, summary), "/work") == shown


def test_long_output_keeps_its_ends() -> None:
    lines = shortened("\n".join(str(n) for n in range(100)))
    assert lines == [*map(str, range(6)), "… 88 more lines …", *map(str, range(94, 100))]
    assert len(shortened("\n".join("x" * MAX_LINES))) == MAX_LINES


def test_long_lines_are_cut() -> None:
    assert len(shortened("x" * 10_000)[0]) == 200
    assert len(one_line("x" * 10_000)) == 121


def test_a_diff_in_a_question_is_whole() -> None:
    diff = "@@ -1 +1 @@\n" + "\n".join(f"+line {n}" for n in range(500))
    assert len(unified_lines(PLAIN, diff)) == 501


def test_names_of_mcp_tools() -> None:
    assert shown_name("mcp__a_b__c__d") == "a_b: c__d"


@pytest.mark.parametrize(
    ("env", "encoding", "terminal", "paint"),
    [
        ({"TERM": "xterm"}, "utf-8", True, Paint(True, True)),
        ({"TERM": "xterm"}, "UTF8", False, Paint(False, True)),
        ({"TERM": "xterm", "NO_COLOR": "1"}, "utf-8", True, Paint(False, True)),
        ({"TERM": "xterm", "NO_COLOR": ""}, "iso-8859-1", True, Paint(True, False)),
        ({"TERM": "dumb"}, None, True, Paint(False, False)),
        ({}, "utf-8", True, Paint(False, True)),
    ],
)
def test_what_a_terminal_can_show(
    env: dict[str, str], encoding: str | None, terminal: bool, paint: Paint
) -> None:
    assert paint_for(env, encoding, terminal=terminal) == paint


@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_dumb_terminals(term: str) -> None:
    assert is_dumb({"TERM": term})


def test_signs_have_plain_forms() -> None:
    plain = Paint(colour=True, unicode=False)
    assert [plain.sign(name) for name in ("call", "prompt", "more")] == ["*", ">", "..."]
    assert {plain.spinner(at / 5) for at in range(8)} == set("|/-\\")


class TestProgress:
    """Print mode on a terminal."""

    def test_the_line_of_a_call_comes_again_when_others_came_between(self) -> None:
        progress = Progress(PLAIN)
        first = ev.ToolStarted(SCOPE, "t1", "Bash", {}, "one")
        second = ev.ToolStarted(SCOPE, "t2", "Bash", {}, "two")
        assert progress.take(first) + progress.take(second) == "● Bash(one)\n● Bash(two)\n"
        done = finished("Bash", {"stdout": "out"})
        assert progress.take(done) == "● Bash(one)\n  out\n"
        assert progress.take(done._replace(call_id="t2")) == "● Bash(two)\n  out\n"

    def test_a_refused_call_shows_what_it_was(self) -> None:
        progress = Progress(PLAIN, "/work")
        use = {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/work/a"}}
        assert progress.take(ev.BlockCompleted(SCOPE, "u", {"content": [use]})) == ""
        refused = finished("Read", "Error: no", "no", is_error=True)
        assert progress.take(refused) == "● Read(a)\n  no\n"

    def test_text_streams(self) -> None:
        progress = Progress(PLAIN)
        delta = {"type": "text_delta", "text": "Hel\x1b"}
        event = ev.StreamDelta(SCOPE, {"type": "content_block_delta", "delta": delta})
        assert progress.take(event) == "Hel\\x1b"
        assert progress.take(ev.BlockCompleted(SCOPE, "u", {"content": []})) == "\n"
