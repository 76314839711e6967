"""What is wrong with configured hooks although they are well formed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from hames.hooks.condition import condition_problem
from hames.hooks.config import HookProblem
from hames.hooks.event_table import EVENTS, NEVER_BLOCKED_BY_FAILURE, TOOL_EVENTS
from hames.hooks.lint_commands import command_faults
from hames.hooks.match import exact_alternatives, expression, is_everything, matcher_fault
from hames.hooks.spec import Command, HookSource, HookSpec
from hames.settings.permissions.names import KNOWN, canonical

_MILLISECONDS = 1000
_SERVER = re.compile(r"mcp__[^_]+(?:_[^_]+)*")


@dataclass(frozen=True, slots=True)
class Finding:
    """One remark about one place; `line` is 1-based when known."""

    source: HookSource
    where: str
    text: str
    line: int | None = None

    def __str__(self) -> str:
        place = str(self.source.path or self.source.label)
        line = f":{self.line}" if self.line is not None else ""
        return f"{place}{line}: hooks.{self.where}: {self.text}"


def lint_hooks(
    specs: Iterable[HookSpec], problems: Iterable[HookProblem], project_dir: Path
) -> list[Finding]:
    """Findings in the order of the configuration, those of unusable entries first."""
    found = [Finding(p.source, p.where, _with_guess(p)) for p in problems]
    for spec in specs:
        texts = [*_matcher_faults(spec), *_key_faults(spec, project_dir)]
        if isinstance(spec.handler, Command):
            texts += command_faults(spec.handler, spec.source, project_dir)
        found += [Finding(spec.source, spec.where, text, spec.line) for text in texts]
    return found


def _with_guess(problem: HookProblem) -> str:
    near = get_close_matches(problem.where, list(EVENTS), 1) if problem.kind == "event" else []
    return f"{problem.text}; did you mean {near[0]}?" if near else problem.text


def _matcher_faults(spec: HookSpec) -> Iterator[str]:
    matcher = spec.matcher
    info = EVENTS[spec.event]
    if matcher is None or is_everything(matcher):
        return
    if info.subject is None:
        yield f'matcher "{matcher}" is ignored: {spec.event} has no matcher'
        return
    alternatives = exact_alternatives(matcher, spec.event)
    if alternatives is None:
        yield from _expression_faults(spec.event, matcher)
    elif info.values:
        for name in alternatives:
            if name not in info.values:
                yield f'matcher "{name}" matches nothing: {spec.event} knows {_list(info.values)}'
    elif spec.event in TOOL_EVENTS:
        for name in alternatives:
            yield from _tool_faults(name)


def _expression_faults(event: str, matcher: str) -> Iterator[str]:
    if matcher_fault(matcher, event) is not None:
        return
    pattern = expression(matcher)
    values = EVENTS[event].values
    if values and not any(map(pattern.search, values)):
        yield f'matcher "{matcher}" matches nothing: {event} knows {_list(values)}'
    name, opening, rest = matcher.partition("(")
    if event in TOOL_EVENTS and opening and rest.endswith(")") and canonical(name) in KNOWN:
        yield f'matcher "{matcher}" is a regular expression: write "if": "{matcher}" instead'


def _tool_faults(name: str) -> Iterator[str]:
    if _SERVER.fullmatch(name):
        yield f'matcher "{name}" is an exact name and matches no tool: write "{name}__.*"'
    elif not name.startswith("mcp__") and canonical(name) not in KNOWN:
        near = [known for known in KNOWN if known.lower() == name.lower()]
        near = near or get_close_matches(name, list(KNOWN), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        yield f'matcher "{name}" matches nothing: there is no such tool{hint}'


def _key_faults(spec: HookSpec, project_dir: Path) -> Iterator[str]:
    if spec.timeout is not None and spec.timeout >= _MILLISECONDS:
        minutes = spec.timeout / 60
        yield f"timeout {spec.timeout:g} is in seconds ({minutes:.0f} minutes), not milliseconds"
    if spec.condition is not None and spec.event not in TOOL_EVENTS:
        yield f'never runs: "if" is tested on {_list(sorted(TOOL_EVENTS))} only'
    elif spec.condition is not None:
        problem = condition_problem(spec.condition, project_dir)
        if problem is not None:
            yield f'"if": "{spec.condition}" {problem}'
    if spec.once and spec.source.kind != "skill":
        yield '"once" counts in the frontmatter of skills only'
    if spec.on_failure == "block":
        if spec.event in NEVER_BLOCKED_BY_FAILURE or not EVENTS[spec.event].blocks:
            yield f'"onFailure": "block" has no effect on {spec.event}'
        elif isinstance(spec.handler, Command) and spec.handler.background:
            yield '"onFailure": "block" has no effect on a background hook'


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)
