"""The listing keeps every name and spends its budget on what is used."""

from pathlib import Path

import pytest

from hames.settings.definitions import Skill
from hames.settings.skill_listing import listing_budget, skill_lines


def skill(name: str, description: str, **fields: bool) -> Skill:
    path = Path("/s") / name / "SKILL.md"
    return Skill(name, description, "", "user", path, path.parent, **fields)


@pytest.mark.parametrize(
    ("window", "fraction", "env", "expected"),
    [
        (200_000, 0.01, {}, 8000),
        (1_000_000, 0.02, {}, 80_000),
        (None, 0.01, {}, 8000),
        (200_000, 2.0, {}, 8000),
        (200_000, 0.01, {"SLASH_COMMAND_TOOL_CHAR_BUDGET": "100"}, 100),
        (200_000, 0.01, {"SLASH_COMMAND_TOOL_CHAR_BUDGET": "x"}, 8000),
    ],
)
def test_budget(window: int | None, fraction: float, env: dict[str, str], expected: int) -> None:
    assert listing_budget(window, fraction, env) == expected


def test_lines() -> None:
    skills = [
        skill("a", "does\n a"),
        skill("b", ""),
        skill("c", "hidden", listed=False),
        skill("d", "shown by name", name_only=True),
        skill("e", "x" * 50),
    ]
    assert skill_lines(skills, 1000, {}, 10) == ("- a: does a", "- b", "- d", "- e: xxxxxxxxx…")


def test_the_least_used_lose_their_description_first() -> None:
    skills = [skill("a", "one " * 10), skill("b", "two " * 12), skill("c", "three " * 10)]
    lines = skill_lines(skills, 130, {"a": 5, "c": 1})
    assert [line.split(":")[0] for line in lines] == ["- a", "- b", "- c"]
    assert [":" in line for line in lines] == [True, False, True]
    assert skill_lines(skills, 0, {}) == ("- a", "- b", "- c")
