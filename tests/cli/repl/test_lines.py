"""Events to lines, the present to lines, Markdown, questions: pure, as tables."""

from pathlib import Path
from typing import Any

import pytest

from hames.cli.paint import Paint
from hames.cli.repl.dialogs import (
    DECLINED,
    Choice,
    Dialog,
    permission_answer,
    permission_dialog,
    suggestion_label,
    trust_dialog,
)
from hames.cli.repl.history import read_history
from hames.cli.repl.input import matches
from hames.cli.repl.live import body_fits, dialog_lines, live_lines
from hames.cli.repl.markdown import Markdown
from hames.cli.repl.past import last_events, past_sessions, prompt_text
from hames.cli.repl.render import INTERRUPTED, VOID, Renderer
from hames.cli.repl.slash import own_command, unknown_command
from hames.cli.repl.status import fitted, status_line
from hames.cli.repl.view import View
from hames.harness import events as ev
from hames.harness.ops import PermissionAnswer
from hames.settings.trust_question import TrustItem, TrustQuestion

PLAIN = Paint(colour=False)
SCOPE = ev.Scope("session", "turn")


def delta(text: str) -> ev.StreamDelta:
    part = {"type": "text_delta", "text": text}
    return ev.StreamDelta(SCOPE, {"type": "content_block_delta", "delta": part})


def completed(*blocks: dict[str, Any]) -> ev.BlockCompleted:
    return ev.BlockCompleted(SCOPE, "uuid", {"content": list(blocks)})


def result(call_id: str, name: str = "Bash", text: str = "out") -> ev.ToolFinished:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return ev.ToolFinished(SCOPE, "uuid", call_id, name, block, text, 1)


def ended(**changes: Any) -> ev.TurnFinished:
    base = ev.TurnResult("success", False, "", "completed", "end_turn", 1, 1, 1, {}, {}, 0.5)
    return ev.TurnFinished(SCOPE, base._replace(**changes))


def renderer(width: int = 40) -> Renderer:
    return Renderer(PLAIN, lambda: width, "/work")


class TestRenderer:
    """The scroll-back."""

    def test_lines_come_when_they_are_whole(self) -> None:
        shown = renderer()
        assert [shown.take(delta(part)) for part in ("\n\nOne", " line\nTw", "o\n\nThree")] == [
            "",
            "One line\n",
            "Two\n\n",
        ]
        assert shown.unfinished() == ["Three"]
        assert shown.take(completed({"type": "text", "text": "..."})) == "Three\n"
        assert shown.unfinished() == []

    def test_calls_stand_close_and_text_apart(self) -> None:
        shown = renderer()
        parts = [
            shown.prompt("do it\nnow"),
            shown.take(delta("Yes.")),
            shown.take(completed({"type": "tool_use", "id": "a", "name": "Bash", "input": {}})),
            shown.take(ev.ToolStarted(SCOPE, "a", "Bash", {}, "ls")),
            shown.take(result("a")),
            shown.take(result("b", "Todo")),
            shown.take(delta("Done.")),
            shown.take(ended()),
        ]
        assert "".join(parts) == (
            "❯ do it\n  now\n\nYes.\n\n● Bash(ls)\n  out\n● Todo\n  out\n\nDone.\n"
        )

    def test_a_retry_voids_what_was_shown(self) -> None:
        shown = renderer(100)
        shown.take(delta("Half\nof it"))
        retry = ev.Retrying(SCOPE, 1, 10, 500, 529, "overloaded", "Overloaded")
        assert shown.take(retry) == f"\n{VOID}\n"
        assert shown.unfinished() == []
        assert shown.take(retry) == ""

    @pytest.mark.parametrize(
        ("changes", "text"),
        [
            ({"interrupted": True, "is_error": True}, f"{INTERRUPTED}\n"),
            ({"is_error": True, "text": "bad key"}, "bad key\n"),
            ({"is_error": True, "errors": ("a", "b")}, "a\nb\n"),
            ({"num_turns": 0, "text": "Total: 1"}, "Total: 1\n"),
            ({"note": "a hook stopped it"}, "a hook stopped it\n"),
            ({"text": "the answer, shown already"}, ""),
        ],
    )
    def test_how_a_turn_ends(self, changes: dict[str, Any], text: str) -> None:
        assert renderer().take(ended(**changes)) == text

    def test_notices_are_safe_and_broken_between_words(self) -> None:
        notice = ev.Notice(SCOPE, "warning", "careful\x07 with that")
        assert renderer(20).take(notice) == "careful\\x07 with\nthat\n"


class TestMarkdown:
    """Rows of lines."""

    @pytest.mark.parametrize(
        ("line", "rows"),
        [
            ("# A **heading**", ["A **heading**"]),
            ("- item `code`", ["• item code"]),
            ("  * deep", ["  • deep"]),
            ("1. one two three four five six", ["1. one two three", "   four five six"]),
            ("one two three four five", ["one two three four", "five"]),
            ("a" * 25, ["a" * 25]),
            ("| a | b | c | d | e | f |", ["| a | b | c | d | e | f |"]),
            ("    code that is long enough", ["    code that is long enough"]),
            ("**bold**, then", ["bold, then"]),
            ("2 ** 3 ** 4", ["2 ** 3 ** 4"]),
            ("漢字 漢字 漢字 漢字 漢字", ["漢字 漢字 漢字 漢字", "漢字"]),
            ("", [""]),
        ],
    )
    def test_a_line(self, line: str, rows: list[str]) -> None:
        assert Markdown(PLAIN).line(line, 20) == rows

    def test_code_between_fences_stays_as_it_is(self) -> None:
        markdown = Markdown(PLAIN)
        lines = ["```python", "# no heading, no **bold**, no wrapping", "```", "# heading"]
        assert [row for line in lines for row in markdown.line(line, 20)] == [
            "```python",
            "# no heading, no **bold**, no wrapping",
            "```",
            "heading",
        ]

    def test_colours(self) -> None:
        rows = Markdown(Paint(colour=True)).line("see `x` and **y z**", 40)
        assert rows == ["see \x1b[36mx\x1b[0m and \x1b[1my\x1b[0m \x1b[1mz\x1b[0m"]


class Clock:
    """Time that stands still until it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class TestLive:
    """What is under way."""

    @pytest.fixture
    def view(self) -> View:
        return View(clock=Clock(), cwd="/work", model="some-model")

    def test_nothing_when_idle(self, view: View) -> None:
        assert live_lines(view, [], PLAIN, (80, 20)) == []

    def test_waiting_thinking_answering(self, view: View) -> None:
        view.expect()
        clock = view.clock
        assert isinstance(clock, Clock)
        clock.now += 12
        start = {"type": "content_block_start", "content_block": {"type": "thinking"}}
        view.take(ev.StreamDelta(SCOPE, start))
        assert live_lines(view, ["half a li"], PLAIN, (80, 20)) == [
            "half a li",
            "",
            "⠋ Thinking · 12s · esc interrupts",
        ]

    def test_running_calls_with_time_and_newest_output(self, view: View) -> None:
        view.expect()
        view.take(ev.ToolStarted(SCOPE, "a", "Bash", {}, "make"))
        view.take(ev.ToolProgress(SCOPE, "a", "Bash", "one\ntwo\x1b\n", 1.0))
        assert live_lines(view, [], PLAIN, (80, 20)) == ["", "● Bash(make)  two\\x1b"]
        clock = view.clock
        assert isinstance(clock, Clock)
        clock.now += 75
        assert live_lines(view, [], PLAIN, (80, 20)) == ["", "● Bash(make)  1m 15s · two\\x1b"]
        assert live_lines(view, [], PLAIN, (10, 20)) == ["", "● Bash(ma…"]

    def test_queued_messages(self, view: View) -> None:
        view.queued |= {str(at): f"message {at}" for at in range(5)}
        assert live_lines(view, [], PLAIN, (80, 20)) == [
            "  ❯ message 0",
            "  ❯ message 1",
            "  ❯ message 2",
            "  2 more, queued · ↑ takes them back",
        ]

    def test_retries_count_down(self, view: View) -> None:
        view.expect()
        view.take(ev.Retrying(SCOPE, 2, 10, 3000, 529, "overloaded", "Overloaded"))
        assert live_lines(view, [], PLAIN, (90, 20))[-1] == (
            "⠋ Attempt 2 of 10 in 3s · esc interrupts · Overloaded"
        )

    def test_only_what_fits(self, view: View) -> None:
        rows = [str(at) for at in range(50)]
        assert live_lines(view, rows, PLAIN, (80, 3)) == ["47", "48", "49"]
        assert live_lines(view, rows, PLAIN, (80, 0)) == []

    def test_the_end_of_a_turn_clears_it(self, view: View) -> None:
        view.expect()
        view.queued["q"] = "queued"
        view.take(ev.ToolStarted(SCOPE, "a", "Bash", {}, "make"))
        view.take(ended(prompt_uuids=("q",)))
        assert (view.working, view.running, view.queued, view.cost) == (False, {}, {}, 0.5)


class TestStatus:
    """The line below the input."""

    @pytest.mark.parametrize(
        ("width", "line"),
        [
            (80, "plan only · some-model · $1.50 · 1 queued · ~/code"),
            (47, "plan only · some-model · $1.50 · 1 queued · …de"),
            (46, "plan only · some-model · $1.50 · 1 queued"),
            (30, "plan only · some-model · $1.50"),
            (5, "plan…"),
        ],
    )
    def test_it_fits(self, width: int, line: str) -> None:
        view = View(mode="plan", model="some-model", cwd="/home/me/code", cost=1.5)
        view.queued["a"] = "b"
        assert status_line(view, PLAIN, width, "/home/me") == line

    def test_a_hint_takes_its_place_for_a_while(self) -> None:
        clock = Clock()
        view = View(clock=clock, cwd="/x")
        view.say("Press again", 2.0)
        assert status_line(view, PLAIN, 80, "/home") == "Press again"
        clock.now += 3
        assert status_line(view, PLAIN, 80, "/home") == "asks before changes · /x"

    @pytest.mark.parametrize(
        ("text", "width", "start", "end"),
        [
            ("abcdef", 6, "abcdef", "abcdef"),
            ("abcdef", 4, "abc…", "…def"),
            ("漢字", 3, "漢…", "…字"),
        ],
    )
    def test_fitted(self, text: str, width: int, start: str, end: str) -> None:
        assert fitted(text, width) == start
        assert fitted(text, width, keep_end=True) == end


RULES = {
    "type": "addRules",
    "rules": [{"toolName": "Bash", "ruleContent": "npm test *"}],
    "behavior": "allow",
    "destination": "localSettings",
}


def asked(**display: str) -> ev.Asked:
    shown = {"title": "Bash wants to run a command", "text": "npm test", **display}
    return ev.Asked(SCOPE, "r1", "permission", shown, {"permission_suggestions": [RULES]})


class TestQuestions:
    """Permission and trust."""

    def test_a_permission_question(self) -> None:
        answers: list[PermissionAnswer] = []
        dialog = permission_dialog(asked(reason="no rule"), PLAIN, answers.append)
        assert dialog.body == ["? Bash wants to run a command", "  npm test", "  no rule"]
        assert [(c.key, c.label) for c in dialog.choices] == [
            ("y", "Yes"),
            ("a", "Yes, and don't ask again for npm test * in this project"),
            ("n", "No, and stop here (esc)"),
            ("t", "No, and tell hames what to do instead"),
        ]
        dialog.answered("a", "")
        assert answers == [PermissionAnswer("allow", updates=(RULES,))]

    def test_a_diff_takes_the_place_of_the_text(self) -> None:
        dialog = permission_dialog(asked(diff="@@ -1 +1 @@\n-a\n+b"), PLAIN, lambda _: None)
        assert dialog.body[1:] == ["  @@ -1 +1 @@", "  -a", "  +b"]

    @pytest.mark.parametrize(
        ("key", "text", "answer"),
        [
            ("y", "", PermissionAnswer("allow")),
            ("a", "", PermissionAnswer("allow", updates=(RULES,))),
            ("n", "", PermissionAnswer("deny", interrupt=True)),
            ("t", " use b ", PermissionAnswer("deny", message=f"{DECLINED}use b")),
            ("t", "  ", PermissionAnswer("deny", interrupt=True)),
            ("x", "", PermissionAnswer("deny", interrupt=True)),
        ],
    )
    def test_answers(self, key: str, text: str, answer: PermissionAnswer) -> None:
        assert permission_answer(key, text, [RULES]) == answer

    @pytest.mark.parametrize(
        ("update", "label"),
        [
            (RULES, "don't ask again for npm test * in this project"),
            (
                {**RULES, "destination": "session", "rules": [{"toolName": "WebSearch"}]},
                "don't ask again for WebSearch in this session",
            ),
            (
                {"type": "setMode", "mode": "acceptEdits", "destination": "session"},
                "accept all edits in this session",
            ),
            (
                {"type": "addDirectories", "directories": ["/a"], "destination": "session"},
                "allow work in /a in this session",
            ),
        ],
    )
    def test_what_always_means(self, update: dict[str, Any], label: str) -> None:
        assert suggestion_label([update]) == label

    def test_trust_shows_everything_with_its_place(self) -> None:
        file = Path("/w/.claude/settings.json")
        items = (
            TrustItem("hook", file, "hooks.Stop", "evil\n\x1b", 3),
            TrustItem("variable", file, "env.PATH", "PATH", 9, risky=True),
        )
        question = TrustQuestion(Path("/w"), items, stored=False, problems=("x: broken",))
        dialog = trust_dialog(question, PLAIN, lambda key, text: None)
        assert dialog.body == [
            "? Do you trust the files in this folder?",
            "  /w",
            "",
            "  With a yes its settings take effect:",
            "  Commands that run by themselves (hooks)",
            "    evil\\n\\x1b  settings.json:3",
            "  Variables",
            "    PATH  settings.json:9",
            "  x: broken",
            "  The answer holds for this session only.",
        ]
        assert dialog.choices[dialog.selected].key == "n"

    def test_choices_are_found_by_key_and_number_and_move_in_a_circle(self) -> None:
        choices = (Choice("y", "Yes"), Choice("n", "No"))
        dialog = Dialog("title", ["title", "body"], choices, lambda key, text: None, "n")
        assert [dialog.find(key) for key in ("n", "2", "3", "")] == [choices[1]] * 2 + [None] * 2
        dialog.move(-1)
        assert dialog.selected == 1
        assert dialog_lines(dialog, PLAIN, (20, 10), body=True) == [
            "",
            "title",
            "body",
            "",
            "  y  Yes",
            "❯ n  No",
        ]
        assert dialog_lines(dialog, PLAIN, (20, 2), body=False) == ["  y  Yes", "❯ n  No"]
        assert body_fits(dialog, (20, 7))
        assert not body_fits(dialog, (20, 6))


@pytest.mark.parametrize(
    ("typed", "name", "found"),
    [
        ("cl", "clear", True),
        ("", "clear", True),
        ("runsk", "run-skill-generator", True),
        ("skill", "run-skill-generator", True),
        ("gen", "team:run_generator", True),
        ("lear", "clear", False),
    ],
)
def test_what_completes(typed: str, name: str, found: bool) -> None:
    assert matches(typed, name) is found


@pytest.mark.parametrize(
    ("text", "own", "unknown"),
    [
        ("/exit", ("exit", ""), None),
        ("/model opus", ("model", "opus"), None),
        ("/clear", None, None),
        ("/hepl", None, "Unknown command: /hepl. Did you mean /help?"),
        ("/zzzzzz", None, "Unknown command: /zzzzzz"),
        ("/usr/bin/env is there", None, None),
        ("hello /exit", None, None),
    ],
)
def test_commands(text: str, own: tuple[str, str] | None, unknown: str | None) -> None:
    assert own_command(text) == own
    assert unknown_command(text, ["clear", "cost"]) == unknown


def test_history_of_one_project_newest_first(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    lines = [
        '{"display":"one","project":"/w"}',
        '{"display":"other","project":"/x"}',
        '{"display":"two","project":"/w"}',
        '{"display":"two","project":"/w"}',
        "not json",
        '{"display":7,"project":"/w"}',
        '["display"]',
        '{"display":"torn","proj',
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert read_history(file, "/w") == ["two", "one"]
    assert read_history(tmp_path / "missing", "/w") == []


class TestPast:
    """Stored sessions."""

    USER = '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":%s}'

    def test_titles_and_prompts(self, tmp_path: Path) -> None:
        first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
        line = self.USER % '{"role":"user","content":"hello"}'
        first.write_text(line + "\n", encoding="utf-8")
        second.write_text(line + '\n{"type":"custom-title","customTitle":"named"}\n')
        found = past_sessions([first, tmp_path / "missing.jsonl", second])
        assert [(past.session_id, past.title) for past in found] == [("1", "hello"), ("2", "named")]

    @pytest.mark.parametrize(
        ("entry", "text"),
        [
            ({"type": "user", "message": {"content": "hi"}}, "hi"),
            ({"type": "user", "message": {"content": [{"type": "text", "text": "hi"}]}}, "hi"),
            ({"type": "user", "isMeta": True, "message": {"content": "hi"}}, None),
            ({"type": "user", "toolUseResult": "", "message": {"content": []}}, None),
            ({"type": "assistant", "message": {"content": "hi"}}, None),
        ],
    )
    def test_what_a_user_typed(self, entry: dict[str, Any], text: str | None) -> None:
        assert prompt_text(entry) == text

    def test_a_missing_file_has_no_end(self, tmp_path: Path) -> None:
        assert last_events(tmp_path / "missing.jsonl") == []
