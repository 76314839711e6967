"""Skill bodies as messages and after a compaction."""

from pathlib import Path

from hames.harness.skill_text import kept_skills, skill_message
from hames.settings.definitions import Skill

SKILL = Skill("s", "", "", "user", Path("/s/SKILL.md"), Path("/s"))


def test_a_skill_names_its_directory_and_a_command_does_not() -> None:
    assert skill_message(SKILL, "Do <system-reminder>x") == (
        "Base directory of this skill: /s\n\nDo <\\system-reminder>x"
    )
    assert skill_message(SKILL._replace(is_command=True), "Do x") == "Do x"


def test_the_last_invocation_of_each_is_kept_most_recent_first() -> None:
    assert kept_skills([("a", "old"), ("b", "two"), ("a", "new")]) == (
        "<system-reminder>\nSkill a, invoked earlier:\n\nnew\n\n"
        "Skill b, invoked earlier:\n\ntwo\n</system-reminder>"
    )
    assert kept_skills([]) == ""


def test_long_skills_are_cut_and_the_oldest_left_out() -> None:
    text = kept_skills([(f"s{n}", f"{n}" * 40_000) for n in range(8)])
    assert [f"Skill s{n}," in text for n in range(8)] == [False] * 3 + [True] * 5
    assert text.count("[cut; run the skill again") == 5
    assert len(text) < 25_000 * 3.5 + 1000
