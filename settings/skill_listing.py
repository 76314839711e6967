"""The skill listing for the model: names always, descriptions as far as the budget goes."""

from collections.abc import Iterable, Mapping

from hames.settings.definitions import Skill
from hames.system.text import cut

MAX_DESCRIPTION = 1536
"""Characters of one description (`skillListingMaxDescChars`)."""

FALLBACK_BUDGET = 8000
"""Characters of the whole listing when the window is unknown."""

_CHARS_PER_TOKEN = 4


def listing_budget(window: int | None, fraction: float, env: Mapping[str, str]) -> int:
    """Characters the listing may take: the variable, else a fraction of the window in tokens."""
    fixed = env.get("SLASH_COMMAND_TOOL_CHAR_BUDGET", "")
    if fixed.isascii() and fixed.isdigit() and int(fixed[:9]) > 0:
        return int(fixed[:9])
    if window is None or not 0 < fraction <= 1:
        return FALLBACK_BUDGET
    return int(window * fraction * _CHARS_PER_TOKEN)


def skill_lines(
    skills: Iterable[Skill],
    budget: int,
    uses: Mapping[str, int],
    max_description: int = MAX_DESCRIPTION,
) -> tuple[str, ...]:
    """One line per skill the model may run: `- name: description`.

    When the lines are longer than `budget` characters, the least used lose their description
    first (`uses` counts invocations), and among equals the longest.
    """
    listed = [skill for skill in skills if skill.listed and not skill.paths]
    about = {skill.name: _about(skill, max_description) for skill in listed}
    total = sum(len(_line(name, text)) + 1 for name, text in about.items())
    for name in sorted(about, key=lambda n: (uses.get(n, 0), -len(about[n]), n)):
        if total <= budget:
            break
        total -= len(_line(name, about[name])) - len(_line(name, ""))
        about[name] = ""
    return tuple(_line(name, text) for name, text in about.items())


def _about(skill: Skill, limit: int) -> str:
    text = " ".join(skill.description.split())
    if skill.name_only:
        return ""
    return text if len(text) <= limit else cut(text, limit - 1) + "…"


def _line(name: str, about: str) -> str:
    return f"- {name}: {about}" if about else f"- {name}"
