"""A rule as it was written, with the place it came from."""

from pathlib import Path
from typing import Literal, NamedTuple

SourceKind = Literal["managed", "flag", "local", "project", "user", "cli", "session", "turn"]
"""`flag` is `--settings`, `cli` is `--allowedTools` and `--disallowedTools`, `turn` is a skill."""

Behavior = Literal["allow", "ask", "deny"]


class RuleSource(NamedTuple):
    """Where a rule stands; `root` is the directory that a `/path` pattern anchors at."""

    kind: SourceKind
    root: Path
    path: Path | None = None


class RuleText(NamedTuple):
    """One entry of a permission list, unparsed; `line` is 1-based when known."""

    behavior: Behavior
    text: str
    source: RuleSource
    line: int | None = None
