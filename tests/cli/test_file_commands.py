"""Built-in commands about what people keep for the model."""

import json
from pathlib import Path

from support.asking import ask, write
from support.fake_api import turn


def test_memory_tells_what_is_loaded() -> None:
    write(Path("CLAUDE.md"), "Use tabs.")
    write(Path(".claude/rules/ts.md"), "---\npaths: '*.ts'\n---\nx")
    out = ask("/memory").out
    assert f"{Path('CLAUDE.md').absolute()} (project, 1 lines)" in out
    assert "Rules that wait" in out
    assert "Auto memory:" in out


def test_init_asks_the_model_to_write_the_file() -> None:
    answered = ask("/init keep it short", turn("Done."))
    assert "Write a CLAUDE.md for this repository" in answered.texts()[-2]
    assert answered.texts()[-1] == "/init keep it short"


def test_skills_agents_and_help_list_what_exists() -> None:
    write(Path(".claude/skills/deploy/SKILL.md"), "---\ndescription: Ships it\n---\nx")
    write(Path(".claude/agents/guide.md"), "---\nname: guide\ndescription: Guides\n---\nx")
    write(Path(".claude/agents/odd.md"), "---\nname: odd\n---\nx")
    assert "/deploy  Ships it  (project)" in ask("/skills").out
    out = ask("/agents").out
    assert "guide  Guides  (project)" in out
    assert "`description` is missing" in out
    out = ask("/help").out
    assert "/deploy" in out
    assert "Write a CLAUDE.md" in out


def test_an_empty_project_has_none() -> None:
    assert "There are no skills or commands." in ask("/skills").out
    assert "There are no agents." in ask("/agents").out
    assert "of 1,000,000 tokens" in ask("/context").out


def test_the_start_message_names_skills_agents_and_commands() -> None:
    write(Path(".claude/skills/deploy/SKILL.md"), "---\ndescription: Ships it\n---\nx")
    write(Path(".claude/commands/fix.md"), "x")
    write(Path(".claude/agents/guide.md"), "---\nname: guide\ndescription: Guides\n---\nx")
    flags = ("--output-format", "stream-json", "--verbose")
    answered = ask("go", turn("Done."), flags=flags)
    started = next(
        line for line in map(json.loads, answered.out.splitlines()) if line["type"] == "system"
    )
    assert started["skills"] == ["deploy"]
    assert started["agents"] == ["guide"]
    assert {"deploy", "fix", "memory"} <= set(started["slash_commands"])
