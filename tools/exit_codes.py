"""Exit code 1 that is an answer and not a failure."""

from hames.tools.simple_commands import Simple, simple_commands

_MEANINGS = {
    "grep": "No matches found",
    "egrep": "No matches found",
    "fgrep": "No matches found",
    "rg": "No matches found",
    "git grep": "No matches found",
    "find": "Some directories could not be read",
    "diff": "Files differ",
    "git diff": "Files differ",
    "test": "Condition is false",
    "[": "Condition is false",
}


def meaning_of_one(command: str) -> str | None:
    """What exit code 1 of the command says; None when it means failure.

    Every command that can have given the code must be one that answers with 1.
    """
    meanings = [_meaning(part) for part in _deciding(simple_commands(command) or [])]
    if not meanings or None in meanings:
        return None
    return meanings[-1]


def _deciding(parts: list[Simple]) -> list[Simple]:
    """The last of each pipeline in the last `&&` chain; a `cd` before it is let pass."""
    chain: list[Simple] = []
    for part in parts:
        if part.operator in ("|", "|&") and chain:
            chain[-1] = part
        elif part.operator in ("&&", ""):
            chain.append(part)
        else:
            chain = [part]
    return [part for part in chain[:-1] if part.words[0] != "cd"] + chain[-1:]


def _meaning(part: Simple) -> str | None:
    words = [word for word in part.words if "=" not in word] or [""]
    name = " ".join(words[:2]) if words[0] == "git" else words[0]
    return _MEANINGS.get(name)
