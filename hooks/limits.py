"""How long a hook may take, and how much of its text goes on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hames.hooks.result import HookResult, Permission
from hames.hooks.spec import SETTINGS_KINDS, Callback, HookSpec, Prompt
from hames.system.spill import spill

LONGEST_TEXT = 10_000
"""Characters of a hook's text that go on as they are; the rest is in a file."""

UNLIMITED = float(1 << 30)
"""Seconds for hooks that nobody waits for."""

SESSION_END_BUDGET = 1.5
_SESSION_END_MOST = 60.0
_SESSION_END_VARIABLE = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"
_SHORTER = {"UserPromptSubmit": 30.0, "MessageDisplay": 10.0}
_PREVIEW = 2_000


def timeout_of(spec: HookSpec) -> float:
    """Seconds the handler may run when its event has no budget of its own."""
    if spec.timeout is not None:
        return spec.timeout
    match spec.handler:
        case Prompt(agent=agent):
            return 60.0 if agent else 30.0
        case Callback():
            return 60.0
        case _:
            return _SHORTER.get(spec.event, 600.0)


def time_limits(specs: Sequence[HookSpec], env: Mapping[str, str]) -> list[float]:
    """Seconds for each of the hooks that one event runs."""
    if not specs or specs[0].event != "SessionEnd":
        return [timeout_of(spec) for spec in specs]
    budget = session_end_budget(specs, env)
    return [min(spec.timeout or budget, budget) for spec in specs]


def session_end_budget(specs: Iterable[HookSpec], env: Mapping[str, str]) -> float:
    """Seconds that all SessionEnd hooks share."""
    told = env.get(_SESSION_END_VARIABLE, "")
    if told.isascii() and told.isdigit():
        return int(told) / 1000
    wanted = [spec.timeout or 0.0 for spec in specs if spec.source.kind in SETTINGS_KINDS]
    return min(max([SESSION_END_BUDGET, *wanted]), _SESSION_END_MOST)


def shortened(result: HookResult, hook_id: str, folder: Path) -> tuple[HookResult, Path | None]:
    """The result with texts of sane length, and the file that holds the whole context if cut."""
    context, path = short(result.context, f"{hook_id}-context", folder)
    reason, _ = short(result.reason, f"{hook_id}-reason", folder)
    message, _ = short(result.system_message, f"{hook_id}-message", folder)
    stop_reason, _ = short(result.stop_reason, f"{hook_id}-stop", folder)
    permission = result.permission
    if permission is not None:
        why = reason if permission.reason == result.reason else permission.reason
        why, _ = short(why, f"{hook_id}-permission", folder)
        permission = Permission(permission.behavior, why)
    return replace(
        result,
        context=context,
        reason=reason,
        system_message=message,
        stop_reason=stop_reason,
        permission=permission,
    ), path


def short(text: str, name: str, folder: Path) -> tuple[str, Path | None]:
    """The text, or its two ends and the private file in `folder` that holds all of it."""
    if len(text) <= LONGEST_TEXT:
        return text, None
    kept = spill(folder, name, text, edge=_PREVIEW)
    where = f"all of it is in {kept.path}" if kept.path else f"not kept: {kept.problem}"
    note = f"[{len(text)} characters, shortened; {where}]"
    return f"{kept.head}\n{note}\n{kept.tail}", kept.path
