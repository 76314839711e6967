"""What click cannot read by itself: variadic flags, optional values, rule lists."""

from collections.abc import Sequence

VARIADIC = {
    "--allowedTools": "--allowedTools",
    "--allowed-tools": "--allowedTools",
    "--disallowedTools": "--disallowedTools",
    "--disallowed-tools": "--disallowedTools",
    "--tools": "--tools",
    "--add-dir": "--add-dir",
    "--mcp-config": "--mcp-config",
    "--betas": "--betas",
}
"""Flags that take every word up to the next flag; each word becomes a flag of its own."""

OPTIONAL = {"--resume": "", "-r": "", "--worktree": "", "-w": "", "--debug": "*"}
"""Flags whose value may be missing, with the value that then stands for it."""

_ONLY_WITH_EQUALS = frozenset({"--debug"})


def normalise(argv: Sequence[str]) -> list[str]:
    """The words as click can read them: one value per flag, always bound with `=`.

    Words after `--` are left alone, so a prompt may look like a flag.
    """
    words: list[str] = []
    at = 0
    while at < len(argv):
        word = argv[at]
        at += 1
        if word == "--":
            return [*words, "--", *argv[at:]]
        name, equals, value = word.partition("=")
        if name in VARIADIC and not equals:
            start = at
            while at < len(argv) and not _is_flag(argv[at]):
                words.append(f"{VARIADIC[name]}={argv[at]}")
                at += 1
            if at == start:
                words.append(word)
        elif name in VARIADIC:
            words.append(f"{VARIADIC[name]}={value}")
        elif name in OPTIONAL and not equals:
            takes = name not in _ONLY_WITH_EQUALS and at < len(argv) and not _is_flag(argv[at])
            words.append(f"{_long(name)}={argv[at] if takes else OPTIONAL[name]}")
            at += takes
        else:
            words.append(word)
    return words


def _is_flag(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _long(name: str) -> str:
    return {"-r": "--resume", "-w": "--worktree"}.get(name, name)


def split_rules(values: Sequence[str]) -> tuple[str, ...]:
    """Permission rules of flag values: cut at commas and blanks outside parentheses."""
    rules: list[str] = []
    for value in values:
        depth, start = 0, 0
        for at, letter in enumerate(value):
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if depth <= 0 and letter in ", \t\n":
                rules.append(value[start:at])
                start = at + 1
        rules.append(value[start:])
    return tuple(rule for rule in (r.strip() for r in rules) if rule)


def split_commas(values: Sequence[str]) -> tuple[str, ...]:
    """The comma-separated parts of flag values, blanks trimmed, empty ones left out."""
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(part for part in parts if part)
