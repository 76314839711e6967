"""One decision: the order in which hooks, rules, checks and modes are heard. No I/O."""

from collections.abc import Callable
from typing import NamedTuple

from hames.settings.permissions.facts import Answer, Facts, HookVerdict, Mode
from hames.settings.permissions.judge import Finding, Judge, NameJudge, WebJudge
from hames.settings.permissions.judge_files import FileJudge
from hames.settings.permissions.judge_shell import ShellJudge
from hames.settings.permissions.names import EDIT_TOOLS, NEEDS_USER, READ_TOOLS, SHELL_TOOLS
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.trace import Decision, Step


class _Case(NamedTuple):
    """Everything that the stages look at."""

    policy: Policy
    facts: Facts
    mode: Mode
    hook: HookVerdict | None
    judge: Judge


def decide(
    policy: Policy,
    facts: Facts,
    mode: Mode,
    hook: HookVerdict | None = None,
    answer: Answer | None = None,
) -> Decision:
    """Allow, ask or deny one call. An answer settles an ask and never beats a deny."""
    if policy.locks.unreadable_settings:
        policy = policy._replace(allow=(), granted=())
    case = _Case(policy, facts, mode, hook, judge_of(policy, facts))
    steps: list[Step] = []
    for name, stage in _STAGES:
        found = stage(case)
        if found is None:
            steps.append(Step(name, "nothing"))
            continue
        steps.append(Step(name, found.reason, found.behavior, found.rule))
        return _settle(case, name, found, steps, answer)
    found = Finding(_nobody_spoke(case), "default")
    steps.append(Step("otherwise", found.reason, "ask"))
    return _settle(case, "otherwise", found, steps, answer)


def judge_of(policy: Policy, facts: Facts) -> Judge:
    """The judge for the tool of the call."""
    tool = facts.tool
    if tool in READ_TOOLS or tool in EDIT_TOOLS:
        return FileJudge(policy, facts)
    if tool in SHELL_TOOLS:
        return ShellJudge(policy, facts)
    if tool == "WebFetch":
        return WebJudge(policy, facts)
    return NameJudge(policy, facts)


def _hook_denies(case: _Case) -> Finding | None:
    if case.hook is None or case.hook.behavior != "deny":
        return None
    return Finding(case.hook.reason or "denied by a hook", "hook", behavior="deny")


def _deny_rules(case: _Case) -> Finding | None:
    if case.facts.tool == "EndConversation":
        return None
    return case.judge.matched("deny")


def _ask_rules(case: _Case) -> Finding | None:
    if case.facts.tool == "EndConversation":
        return None
    return case.judge.matched("ask")


def _needs_user(case: _Case) -> Finding | None:
    """A hook that answers the question itself gives an `updatedInput`."""
    if not (case.facts.needs_user or case.facts.tool in NEEDS_USER):
        return None
    hook = case.hook
    if hook is not None and hook.behavior == "allow" and hook.rewrote:
        return None if case.facts.needs_user else _hook_allows(case)
    return Finding(f"{case.facts.tool} needs an answer of the user", "user")


def _hook_asks(case: _Case) -> Finding | None:
    if case.hook is None or case.hook.behavior != "ask":
        return None
    return Finding(case.hook.reason or "a hook wants a confirmation", "hook")


def _always(case: _Case) -> Finding | None:
    return case.judge.always()


def _bypass(case: _Case) -> Finding | None:
    if case.mode != "bypassPermissions" or case.policy.locks.unreadable_settings:
        return None
    return Finding("bypassPermissions runs everything else", "mode", behavior="allow")


def _plan(case: _Case) -> Finding | None:
    if case.mode != "plan" or not case.judge.writes():
        return None
    return Finding("plan mode changes nothing without a confirmation", "mode")


def _hook_allows(case: _Case) -> Finding | None:
    if case.hook is None or case.hook.behavior != "allow":
        return None
    if case.policy.locks.unreadable_settings:
        return None
    return Finding(case.hook.reason or "allowed by a hook", "hook", behavior="allow")


def _guarded(case: _Case) -> Finding | None:
    return case.judge.guarded()


def _approved(case: _Case) -> Finding | None:
    found = case.judge.approved(case.mode)
    if case.policy.locks.unreadable_settings and found is not None and found.kind != "default":
        return Finding("a settings file that may hold protections cannot be read", "unreadable")
    return found


_STAGES: tuple[tuple[str, Callable[[_Case], Finding | None]], ...] = (
    ("hook deny", _hook_denies),
    ("deny rules", _deny_rules),
    ("ask rules", _ask_rules),
    ("needs the user", _needs_user),
    ("hook ask", _hook_asks),
    ("checks of every mode", _always),
    ("bypass", _bypass),
    ("plan", _plan),
    ("hook allow", _hook_allows),
    ("protected paths", _guarded),
    ("mode, allow rules, defaults", _approved),
)


def _nobody_spoke(case: _Case) -> str:
    return f"no rule allows this use of {case.facts.tool}"


def _settle(
    case: _Case, stage: str, found: Finding, steps: list[Step], answer: Answer | None
) -> Decision:
    """Turn an ask into a deny where nobody may be asked, or apply the answer."""
    behavior, reason, kind = found.behavior, found.reason, found.kind
    if behavior == "ask":
        if case.mode == "dontAsk":
            behavior, reason = "deny", f"{reason}; dontAsk denies instead of asking"
        elif case.policy.locks.deny_instead_of_prompting:
            behavior, reason = "deny", f"{reason}; the settings deny instead of asking"
        elif answer is not None:
            behavior, kind = answer.behavior, "answer"
            reason = answer.message or reason
        if behavior != "ask":
            steps.append(Step("nobody to ask" if answer is None else "answer", reason, behavior))
    return Decision(
        behavior=behavior,
        reason=reason,
        reason_type=kind,
        rule=found.rule,
        blocked_path=found.path,
        trace=tuple(steps),
        asked_by_rule=stage == "ask rules",
        critical=found.critical,
    )
