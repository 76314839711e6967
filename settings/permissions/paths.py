"""Path patterns of Read and Edit rules: gitignore syntax behind four anchors."""

import posixpath
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from hames.settings.permissions.globs import Segment, parse_segment, path_matches
from hames.settings.permissions.rule_text import Behavior

Steps = tuple[Segment | None, ...]
"""A pattern, one item per segment; None is `**`."""

_ANY = Segment(None, ("", ""))


class PathPattern(NamedTuple):
    """A compiled pattern: relative to the current directory, or absolute in every variant.

    `key` is a literal segment that every match holds somewhere; None when there is none.
    `ending` is `*` and a file ending that one segment of every match has, as `*.env`.
    """

    variants: tuple[Steps, ...]
    relative: bool
    negated: bool = False
    key: str | None = None
    ending: str | None = None

    def hits(self, names: Sequence[str]) -> bool:
        """Whether the path (its segments below the anchor) or a folder above it matches."""
        return any(path_matches((*steps, None), names) for steps in self.variants)

    def hits_above(self, names: Sequence[str]) -> bool:
        """Whether a folder above the path is matched as a whole."""
        for steps in self.variants:
            whole = (*steps[:-1], _ANY, None) if steps and steps[-1] is None else steps
            if any(path_matches(whole, names[:size]) for size in range(1, len(names))):
                return True
        return False


class Anchors(NamedTuple):
    """Where the four forms of a pattern begin; `real` resolves links of a folder."""

    home: Path
    source_root: Path
    real: Callable[[str], str]


def split_path(path: str) -> tuple[str, ...]:
    """The segments of an absolute, normalised path."""
    return tuple(name for name in path.split("/") if name)


def below(path: Sequence[str], anchor: Sequence[str]) -> tuple[str, ...] | None:
    """The segments of `path` below `anchor`; None when it is not at or below it."""
    if tuple(path[: len(anchor)]) != tuple(anchor):
        return None
    return tuple(path[len(anchor) :])


def parse_path_pattern(text: str, behavior: Behavior, anchors: Anchors) -> PathPattern | str:
    """Compile a pattern; a text that says what is wrong with it when it cannot be used."""
    strict = behavior == "allow"
    negated = text.startswith("!") and not strict
    body = text[1:] if negated else text
    base, rest = _anchor(body, anchors)
    if not strict:
        rest = rest.lower()
    if base is None:
        steps = _relative_steps(body if strict else body.lower(), rest, strict)
    else:
        steps = _compile(rest)
    if steps is None:
        if strict:
            return "is no valid path pattern and approves nothing"
        steps = tuple(Segment(name) for name in split_path(rest))
    if any(step is not None and step.literal == ".." for step in steps):
        return "matches nothing above its anchor; write an absolute pattern (`//...`)"
    key = _key(steps)
    if base is None:
        return PathPattern((steps,), True, negated, key, _ending(steps))
    variants = _absolute_variants(base, steps, strict, anchors)
    return PathPattern(variants, False, negated, key, _ending(steps))


def _anchor(body: str, anchors: Anchors) -> tuple[str | None, str]:
    if body.startswith("//"):
        return "/", body[2:]
    if body == "~" or body.startswith("~/"):
        return str(anchors.home), body[2:]
    if body.startswith("/"):
        return str(anchors.source_root), body[1:]
    return None, body.removeprefix("./")


def _relative_steps(body: str, rest: str, strict: bool) -> Steps | None:
    """Bare names match at any depth, and so does `name/**` in deny and ask."""
    steps = _compile(rest)
    if steps is None or body.startswith("./"):
        return steps
    bare = "/" not in rest.rstrip("/")
    one_folder = rest.endswith("/**") and rest.count("/") == 1
    if bare and not (strict and rest.endswith("/")):
        return (None, *steps)
    if one_folder and not strict:
        return (None, *steps)
    return steps


def _compile(rest: str) -> Steps | None:
    steps: list[Segment | None] = []
    for raw in rest.split("/"):
        if raw in ("", "."):
            continue
        if raw == "**":
            if not (steps and steps[-1] is None):
                steps.append(None)
            continue
        segment = parse_segment(raw)
        if segment is None:
            return None
        steps.append(segment)
    return tuple(steps)


def _key(steps: Steps) -> str | None:
    literals = [step.literal for step in steps if step is not None and step.literal is not None]
    return literals[-1] if literals else None


def _ending(steps: Steps) -> str | None:
    for step in reversed(steps):
        if step is not None and step.parts and "." in step.parts[-1]:
            return "*" + ending_of(step.parts[-1])
    return None


def ending_of(name: str) -> str:
    """The ending of a file name with its dot; the whole name when it has none."""
    return name[name.rfind(".") :] if "." in name else name


def _absolute_variants(
    base: str, steps: Steps, strict: bool, anchors: Anchors
) -> tuple[Steps, ...]:
    """The pattern at its anchor, and where the anchor really lies when it is a link.

    Deny and ask also follow links inside the literal part of the pattern; allow must not.
    """

    def at(folder: str, rest: Steps) -> Steps:
        name = folder if strict else folder.lower()
        return (*(Segment(part) for part in split_path(name)), *rest)

    found = [at(base, steps), at(anchors.real(base), steps)]
    if not strict:
        size = 0
        while size < len(steps) and (step := steps[size]) is not None and step.literal is not None:
            size += 1
        literal = [step.literal for step in steps[:size] if step is not None and step.literal]
        found.append(at(anchors.real(posixpath.join(base, *literal)), steps[size:]))
    return tuple(dict.fromkeys(found))
