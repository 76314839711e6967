"""Bodies of invoked skills as messages, and what of them survives a compaction."""

from collections.abc import Iterable

from hames.harness.context_report import CHARS_PER_TOKEN
from hames.harness.reminders import escape_tags, one_line, reminder
from hames.settings.definitions import Skill
from hames.system.text import cut

SKILL_TOKENS = 5000
TOTAL_TOKENS = 25_000
"""After a compaction: the first tokens of each skill, and of all together."""


def skill_message(skill: Skill, text: str) -> str:
    """The message a rendered skill becomes; `text` has arguments and outputs filled in."""
    if skill.is_command:
        return escape_tags(text)
    return f"Base directory of this skill: {one_line(skill.directory)}\n\n{escape_tags(text)}"


def kept_skills(invoked: Iterable[tuple[str, str]]) -> str:
    """The reminder after a compaction; `invoked` are names and texts, the oldest first.

    Of each skill only the last invocation counts. Most recent ones are kept first; empty when
    nothing was invoked.
    """
    latest: dict[str, str] = {}
    for name, text in invoked:
        latest.pop(name, None)
        latest[name] = text
    room = int(TOTAL_TOKENS * CHARS_PER_TOKEN)
    parts: list[str] = []
    for name, text in reversed(latest.items()):
        kept = cut(text, min(room, int(SKILL_TOKENS * CHARS_PER_TOKEN)))
        if not kept:
            break
        room -= len(kept)
        note = "\n[cut; run the skill again for the rest]" if len(kept) < len(text) else ""
        parts.append(f"Skill {one_line(name)}, invoked earlier:\n\n{kept}{note}")
    return reminder("\n\n".join(parts)) if parts else ""
