"""Findings about hooks that are well formed and still wrong."""

from pathlib import Path
from typing import Any

import pytest

from hames.hooks.config import parse_hooks
from hames.hooks.lint import lint_hooks
from support.hook_session import PROJECT, command, script


def findings(hooks: dict[str, Any], tmp_path: Path) -> list[str]:
    config = parse_hooks(hooks, PROJECT)
    found = lint_hooks(config.specs, config.problems, tmp_path / "work")
    return [finding.text for finding in found]


def of(
    tmp_path: Path,
    event: str = "PreToolUse",
    matcher: str | None = None,
    text: str = "true",
    **keys: Any,
) -> list[str]:
    group: dict[str, Any] = {"hooks": [command(text, **keys)]}
    if matcher is not None:
        group["matcher"] = matcher
    return findings({event: [group]}, tmp_path)


@pytest.mark.parametrize(
    ("event", "matcher"),
    [
        ("PreToolUse", None),
        ("PreToolUse", "Bash|Edit, Write"),
        ("PreToolUse", "Task"),
        ("PreToolUse", "mcp__github__create_issue"),
        ("PreToolUse", "mcp__github__.*"),
        ("PreToolUse", "^(Edit|Write)$"),
        ("SessionStart", "startup|resume"),
        ("Notification", "permission.*"),
        ("SubagentStop", "code-reviewer"),
        ("Stop", "*"),
    ],
)
def test_sound_matchers_pass(tmp_path: Path, event: str, matcher: str | None) -> None:
    assert of(tmp_path, event, matcher) == []


@pytest.mark.parametrize(
    ("event", "matcher", "text"),
    [
        (
            "PreToolUse",
            "mcp__memory",
            'matcher "mcp__memory" is an exact name and matches no tool: write "mcp__memory__.*"',
        ),
        (
            "PreToolUse",
            "bash",
            'matcher "bash" matches nothing: there is no such tool; did you mean Bash?',
        ),
        (
            "PostToolUse",
            "Edit|Wriet",
            'matcher "Wriet" matches nothing: there is no such tool; did you mean Write?',
        ),
        (
            "PreToolUse",
            "Bash(git *)",
            'matcher "Bash(git *)" is a regular expression: write "if": "Bash(git *)" instead',
        ),
        (
            "SessionStart",
            "start",
            'matcher "start" matches nothing: SessionStart knows startup, resume, clear,'
            " compact, fork",
        ),
        ("PreCompact", "^x", 'matcher "^x" matches nothing: PreCompact knows manual, auto'),
        ("Stop", "Bash", 'matcher "Bash" is ignored: Stop has no matcher'),
        (
            "PreToolUse",
            "Bash(",
            '"Bash(" is no regular expression, so the hooks never run:'
            " missing ), unterminated subpattern at position 4",
        ),
    ],
)
def test_dead_matchers_are_named(tmp_path: Path, event: str, matcher: str, text: str) -> None:
    assert of(tmp_path, event, matcher) == [text]


def test_an_unknown_event_gets_a_guess(tmp_path: Path) -> None:
    assert of(tmp_path, "PreTooluse") == [
        'there is no event "PreTooluse"; did you mean PreToolUse?'
    ]


@pytest.mark.parametrize(
    ("event", "keys", "text"),
    [
        (
            "PreToolUse",
            {"timeout": 5000},
            "timeout 5000 is in seconds (83 minutes), not milliseconds",
        ),
        (
            "Stop",
            {"if": "Bash(git *)"},
            'never runs: "if" is tested on PermissionDenied, PermissionRequest, PostToolUse,'
            " PostToolUseFailure, PreToolUse only",
        ),
        ("Stop", {"once": True}, '"once" counts in the frontmatter of skills only'),
        ("Stop", {"onFailure": "block"}, '"onFailure": "block" has no effect on Stop'),
        (
            "PreToolUse",
            {"onFailure": "block", "async": True},
            '"onFailure": "block" has no effect on a background hook',
        ),
    ],
)
def test_keys_without_effect_are_named(
    tmp_path: Path, event: str, keys: dict[str, Any], text: str
) -> None:
    assert of(tmp_path, event, **keys) == [text]


@pytest.mark.parametrize(
    "text",
    [
        '"$CLAUDE_PROJECT_DIR"/good.sh',
        "$CLAUDE_PROJECT_DIR/good.sh --flag",
        "${CLAUDE_PROJECT_DIR}/good.sh | cat",
        "bash $CLAUDE_PROJECT_DIR/plain.sh",
        "NAME=1 $CLAUDE_PROJECT_DIR/good.sh",
        "python3 -c 'import sys' a/b",
        "[ -f x ] && echo y",
        "$UNKNOWN/x",
        "`which x`/y",
        "echo 'unclosed",
        "",
        "cd / && true",
    ],
)
def test_programs_that_are_there_or_cannot_be_known_pass(tmp_path: Path, text: str) -> None:
    script(tmp_path / "work", "good.sh", "#!/bin/sh\n")
    (tmp_path / "work" / "plain.sh").write_text("true\n", encoding="utf-8")
    assert of(tmp_path, text=text or " : ") == []


@pytest.mark.parametrize(
    ("text", "keys", "told"),
    [
        ("$CLAUDE_PROJECT_DIR/none.sh", {}, "{work}/none.sh does not exist"),
        ("$CLAUDE_PROJECT_DIR/", {}, "{work} is a directory"),
        (
            "$CLAUDE_PROJECT_DIR/plain.sh",
            {},
            "{work}/plain.sh is not executable: chmod +x it",
        ),
        (
            "$CLAUDE_PROJECT_DIR/dos.sh",
            {},
            "{work}/dos.sh has Windows line ends, so the system does not find its interpreter",
        ),
        ("python3 $CLAUDE_PROJECT_DIR/none.py", {}, "{work}/none.py does not exist"),
        ("no-such-program-x | cat", {}, "no-such-program-x is not installed (not found on PATH)"),
        ("no-such-program-x", {"args": []}, "no-such-program-x is not installed"),
        ("${CLAUDE_PROJECT_DIR}/none", {"args": ["a"]}, "{work}/none does not exist"),
        (
            "good.sh/../plain.sh",
            {},
            'good.sh/../plain.sh is looked up in the working directory: write "$CLAUDE_PROJECT_DIR',
        ),
    ],
)
def test_programs_that_cannot_run_are_named(
    tmp_path: Path, text: str, keys: dict[str, Any], told: str
) -> None:
    work = tmp_path / "work"
    (work / "plain.sh").write_text("true\n", encoding="utf-8")
    script(work, "dos.sh", "#!/bin/sh\r\ntrue\r\n")
    found = of(tmp_path, text=text, **keys)
    assert found[0].startswith(told.format(work=work))
