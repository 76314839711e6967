"""A rule as it was written, with the place it came from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

SourceKind = Literal["managed", "flag", "local", "project", "user", "cli", "session", "turn"]
"""`flag` is `--settings`, `cli` is `--allowedTools` and `--disallowedTools`, `turn` is a skill."""

Behavior = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class RuleSource:
    """Where a rule stands; `root` is the directory that a `/path` pattern anchors at."""

    kind: SourceKind
    root: Path
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class RuleText:
    """One entry of a permission list, unparsed; `line` is 1-based when known."""

    behavior: Behavior
    text: str
    source: RuleSource
    line: int | None = None
