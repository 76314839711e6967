"""Path patterns of Read and Edit rules: gitignore syntax behind four anchors."""

import posixpath
from collections.abc import Callable, Sequence
from itertools import takewhile
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
    base, written = _anchor(body, anchors)
    rest = written if strict else written.lower()
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
    if base is None:
        return PathPattern((steps,), True, negated, _key((steps,)), _ending(steps))
    at_anchor = _absolute_variants(base, steps, strict, anchors)
    variants = at_anchor if strict else (*at_anchor, *_real_variants(base, written, steps, anchors))
    variants = tuple(dict.fromkeys(variants))
    return PathPattern(variants, False, negated, _key(variants), _ending(steps))


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


def _key(variants: Sequence[Steps]) -> str | None:
    """The last literal segment that every variant holds."""
    held = [[step.literal for step in steps if step is not None] for steps in variants]
    shared = (name for name in reversed(held[0]) if name and all(name in other for other in held))
    return next(shared, None)


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
    """The pattern at its anchor, and where the anchor really lies when it is a link."""
    return _at(base, steps, strict), _at(anchors.real(base), steps, strict)


def _real_variants(base: str, written: str, steps: Steps, anchors: Anchors) -> tuple[Steps, ...]:
    """Where a deny or ask pattern really lies when its literal part leads through a link.

    `written` is the pattern below its anchor before letter case was folded.
    """
    exact = _compile(written) or tuple(Segment(name) for name in split_path(written))
    literal = [step.literal for step in takewhile(_is_literal, exact) if step and step.literal]
    real = anchors.real(posixpath.join(base, *literal))
    return (_at(real, steps[len(literal) :], strict=False),)


def _is_literal(step: Segment | None) -> bool:
    return step is not None and step.literal is not None


def _at(folder: str, rest: Steps, strict: bool) -> Steps:
    name = folder if strict else folder.lower()
    return (*(Segment(part) for part in split_path(name)), *rest)
