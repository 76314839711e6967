"""Understands a hook: exit code, stdout and stderr become a `HookResult`."""

import re
from dataclasses import replace

from hames.hooks.answer import Answer, Broken, Text, read_answer
from hames.hooks.event_table import EVENTS, NEVER_BLOCKED_BY_FAILURE, PERMISSION_EVENTS
from hames.hooks.events import HookEvent
from hames.hooks.ports import RawOutput
from hames.hooks.result import HookResult, Permission
from hames.hooks.spec import Callback, Command, HookSpec, Prompt
from hames.hooks.verdict import judged

BLOCKING_EXIT = 2

_CALLBACK_MUST_ANSWER = frozenset({"PreToolUse", "UserPromptSubmit"})
_STOP_IGNORED = frozenset({"TaskCreated"})
_SEQUENCE = re.compile(r"(?:\x07|\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\))+")


def understand(spec: HookSpec, event: HookEvent, raw: RawOutput) -> HookResult:
    """What the hook said. Never raises: what cannot be understood is a notice."""
    if raw.timed_out or raw.failure is not None:
        return _worktree(event, spec, raw, failed(spec, event, raw.failure or "", raw.timed_out))
    if isinstance(spec.handler, Prompt):
        verdict = judged(spec.handler, event, raw.stdout)
        return verdict if verdict is not None else failed(spec, event, "gave no verdict")
    answer = read_answer(raw.stdout, event.name)
    match answer:
        case Answer():
            result = _applied(spec, event, answer)
        case Broken(problem=problem):
            result = failed(spec, event, f"its JSON is not a hook answer: {problem}")
        case Text():
            result = _spoken(spec, event, raw, answer)
    if raw.exit_code == BLOCKING_EXIT:
        result = _exit_two(spec, event, raw, result)
    return _worktree(event, spec, raw, result)


def title(spec: HookSpec, event: HookEvent) -> str:
    """The hook as notices name it, e.g. `PreToolUse:Bash hook error [guard.sh]`."""
    return f"{event.label} hook error [{spec.summary[:80]}]"


def failed(spec: HookSpec, event: HookEvent, why: str, timed_out: bool = False) -> HookResult:
    """A hook that did not work: a notice, or a block when the configuration wants that."""
    why = why or "timed out"
    text = f"{title(spec, event)}: {why}"
    result = HookResult(outcome="cancelled" if timed_out else "error", notices=(text,))
    must_answer = timed_out and isinstance(spec.handler, Callback)
    closed = spec.on_failure == "block" or (must_answer and event.name in _CALLBACK_MUST_ANSWER)
    if not closed or event.name in NEVER_BLOCKED_BY_FAILURE:
        return result
    return blocking(event, result, f"{text}; this hook must work for the action to go on")


def blocking(event: HookEvent, result: HookResult, reason: str) -> HookResult:
    """`result` with a block, where the event can be blocked."""
    if not EVENTS[event.name].blocks:
        return result
    permission = result.permission
    if event.name in PERMISSION_EVENTS:
        permission = Permission("deny", reason)
    return replace(result, blocked=True, reason=reason, permission=permission)


def _applied(spec: HookSpec, event: HookEvent, answer: Answer) -> HookResult:
    """The members of a valid answer; the exit code does not matter."""
    top, fields = answer.top, answer.specific
    info = EVENTS[event.name]
    notices = tuple(f"{title(spec, event)}: {hint}" for hint in answer.hints)
    if top.get("async") is True:
        return HookResult(notices=notices)
    stop = top.get("continue") is False and not info.discards and event.name not in _STOP_IGNORED
    sequence = str(top.get("terminalSequence", ""))
    if sequence and not _SEQUENCE.fullmatch(sequence):
        notices += (f"{title(spec, event)}: terminalSequence may only set titles or notify",)
        sequence = ""
    result = HookResult(
        stop=stop,
        stop_reason=str(top.get("stopReason", "")) if stop else "",
        context=str(fields.get("additionalContext", "")),
        system_message="" if info.discards else str(top.get("systemMessage", "")),
        terminal_sequence=sequence,
        notices=notices,
        fields={key: fields[key] for key in info.fields if key in fields},
    )
    return _decided(event, result, top.get("decision"), str(top.get("reason", "")))


def _decided(event: HookEvent, result: HookResult, decision: object, reason: str) -> HookResult:
    """The decisions of an answer, the legacy spelling of PreToolUse included; deny wins."""
    behavior = result.fields.get("permissionDecision")
    if behavior is not None:
        why = str(result.fields.get("permissionDecisionReason", "")) or reason
        result = replace(result, permission=Permission(behavior, why))
        if behavior == "deny":
            return replace(result, blocked=True, reason=why)
    elif decision == "approve" and event.name == "PreToolUse":
        result = replace(result, permission=Permission("allow", reason))
    return blocking(event, result, reason) if decision == "block" else result


def _spoken(spec: HookSpec, event: HookEvent, raw: RawOutput, said: Text) -> HookResult:
    """Plain text: context on a few events after exit 0, an error after another code."""
    notices = (f"{title(spec, event)}: {said.hint}",) if said.hint else ()
    if raw.exit_code == 0:
        context = said.text if EVENTS[event.name].text_context else ""
        return HookResult(context=context, notices=notices)
    if raw.exit_code == BLOCKING_EXIT:
        return HookResult(notices=notices)
    line = raw.stderr.strip().split("\n", 1)[0] or "nothing on stderr"
    code = f"exit code {raw.exit_code}"
    if raw.exit_code is not None and raw.exit_code < 0:
        code = f"killed by signal {-raw.exit_code}"
    result = failed(spec, event, f"Failed with non-blocking status code: {line} ({code})")
    return replace(result, notices=result.notices + notices)


def _exit_two(spec: HookSpec, event: HookEvent, raw: RawOutput, result: HookResult) -> HookResult:
    """Exit 2 blocks whatever else was said; the reason of a blocking answer stands."""
    said = raw.stderr.strip()
    reason = said or f"blocked by hook {spec.summary[:80]} (exit code 2, nothing on stderr)"
    if not EVENTS[event.name].blocks:
        text = f"{title(spec, event)}: {said or 'nothing on stderr'} (exit code 2)"
        return replace(result, outcome="error", notices=(*result.notices, text))
    if result.blocked and result.reason and result.outcome == "success":
        return result
    if not said and raw.stdout.strip() and not result.fields and not result.notices:
        hint = f"{title(spec, event)}: exit code 2 takes its reason from stderr, which is empty"
        result = replace(result, notices=(hint,))
    return blocking(event, result, reason)


def _worktree(event: HookEvent, spec: HookSpec, raw: RawOutput, result: HookResult) -> HookResult:
    """WorktreeCreate must give a path and exit 0; the last line of a command is the path."""
    if event.name != "WorktreeCreate" or result.blocked:
        return result
    path = result.fields.get("worktreePath")
    if path is None and isinstance(spec.handler, Command):
        path = next((line for line in reversed(raw.stdout.splitlines()) if line.strip()), None)
    if raw.exit_code == 0 and path and raw.failure is None and not raw.timed_out:
        return replace(result, fields={**result.fields, "worktreePath": str(path).strip()})
    why = result.notices[-1] if result.notices else f"{title(spec, event)}: gave no path"
    return blocking(event, replace(result, outcome="error"), why)
