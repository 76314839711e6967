"""Several hooks on one event: what they say together."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hames.hooks.events import HookEvent
from hames.hooks.result import (
    AddedContext,
    HookResult,
    HookRun,
    Outcome,
    Permission,
    RequestDecision,
    Verdict,
)

_STRICTEST: tuple[Verdict, ...] = ("deny", "defer", "ask", "allow")
_CLASSIFIER_CHARS = 2000
_UNTITLED_SOURCES = ("clear", "compact")


def combined(event: HookEvent, runs: Sequence[HookRun], cut: dict[str, Path]) -> Outcome:
    """The outcome of `runs`, in the order in which they finished.

    `cut` maps the id of a run to the file with its whole context, when that was shortened.
    """
    results = [run.result for run in runs]
    titled = event.fields.get("source") not in _UNTITLED_SOURCES
    paths = _last(results, "watchPaths")
    return Outcome(
        runs=tuple(runs),
        permission=_permission(results),
        request=_request(results),
        updated_input=_last(results, "updatedInput"),
        blocked=any(result.blocked for result in results),
        reason=_joined(result.reason for result in results if result.blocked),
        stop=any(result.stop for result in results),
        stop_reason=_joined(result.stop_reason for result in results if result.stop),
        contexts=tuple(
            AddedContext(run.hook_name, run.result.context, cut.get(run.hook_id))
            for run in runs
            if run.result.context
        ),
        system_messages=tuple(r.system_message for r in results if r.system_message),
        notices=tuple(notice for result in results for notice in result.notices),
        terminal_sequences=tuple(r.terminal_sequence for r in results if r.terminal_sequence),
        updated_output=_last(results, "updatedToolOutput"),
        updated_mcp_output=_last(results, "updatedMCPToolOutput"),
        classifier_context=_joined(_all(results, "classifierContext"))[:_CLASSIFIER_CHARS],
        display_content=_last(results, "displayContent"),
        initial_user_message=_last(results, "initialUserMessage"),
        session_title=_last(results, "sessionTitle") if titled else None,
        watch_paths=None if paths is None else tuple(paths),
        reload_skills=any(_all(results, "reloadSkills")),
        suppress_prompt=any(_all(results, "suppressOriginalPrompt")),
        retry=any(_all(results, "retry")),
        action=_last(results, "action"),
        content=_last(results, "content"),
        worktree_path=_last(results, "worktreePath"),
    )


def _permission(results: Sequence[HookResult]) -> Permission | None:
    """The strictest judgement with the reasons of all that gave it."""
    given = [result.permission for result in results if result.permission is not None]
    for behavior in _STRICTEST:
        same = [permission for permission in given if permission.behavior == behavior]
        if same:
            return Permission(behavior, _joined(permission.reason for permission in same))
    return None


def _request(results: Sequence[HookResult]) -> RequestDecision | None:
    """The first deny, else the first allow."""
    given = list(_all(results, "decision"))
    ordered = sorted(given, key=lambda decision: decision["behavior"] != "deny")
    if not ordered:
        return None
    first = ordered[0]
    return RequestDecision(
        behavior=first["behavior"],
        updated_input=first.get("updatedInput"),
        updated_permissions=tuple(first.get("updatedPermissions") or ()),
        message=first.get("message") or "",
        interrupt=first.get("interrupt") is True,
    )


def _all(results: Sequence[HookResult], name: str) -> Iterable[Any]:
    return (result.fields[name] for result in results if name in result.fields)


def _last(results: Sequence[HookResult], name: str) -> Any:
    """The value of the hook that finished last; None when nobody gave one."""
    value = None
    for value in _all(results, name):  # noqa: B007 - the last one is wanted
        pass
    return value


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)
