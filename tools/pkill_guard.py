"""A `pkill` that would end hames itself is refused with a better idea."""

import re
from pathlib import Path

from hames.tools.simple_commands import simple_commands

_LONGEST_NAME = 15


def pkill_problem(command: str, own: Path = Path("/proc/self")) -> str | None:
    """What to tell the model when a `pkill` or `killall` of the command matches this process."""
    for part in simple_commands(command) or ():
        words = part.words[1:] if part.words[0] == "sudo" else part.words
        if words and words[0] in ("pkill", "killall") and _hits(words, own):
            return (
                f"`{' '.join(words)}` would end hames itself. Use a pattern that matches only the"
                " processes you mean, or `kill` with their ids."
            )
    return None


def _hits(words: tuple[str, ...], own: Path) -> bool:
    options = [word for word in words[1:] if word.startswith("-")]
    operands = [word for word in words[1:] if not word.startswith("-")]
    if not operands:
        return False
    try:
        name = (own / "comm").read_text(encoding="utf-8").strip()
        line = (own / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return False
    if words[0] == "killall":
        return any(operand[:_LONGEST_NAME] == name for operand in operands)
    short = "".join(option[1:] for option in options if not option.startswith("--"))
    target = line.strip() if "f" in short or "--full" in options else name
    search = re.fullmatch if "x" in short or "--exact" in options else re.search
    try:
        return search(operands[-1], target) is not None
    except re.error:
        return False
