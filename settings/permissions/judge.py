"""What every kind of tool must be able to say about a call, and the plain tools."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from hames.settings.permissions.facts import Facts, Mode
from hames.settings.permissions.globs import text_matches
from hames.settings.permissions.match import RuleIndex
from hames.settings.permissions.names import (
    NEEDS_USER,
    NO_PERMISSION,
    PREAPPROVED_HOSTS,
    SHELL_TOOLS,
)
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.protected import within_any
from hames.settings.permissions.rule import Rule
from hames.settings.permissions.rule_text import Behavior
from hames.settings.permissions.subject import Subject
from hames.settings.permissions.trace import ReasonType, Step
from hames.settings.permissions.urls import Host, host_of


class Finding(NamedTuple):
    """Something that decides: a rule that matched, a check that failed, a reason to allow."""

    reason: str
    kind: ReasonType
    rule: Rule | None = None
    path: str | None = None
    behavior: Behavior = "ask"
    critical: bool = False


class Judge(Protocol):
    """The questions of the decision order, answered for one kind of tool."""

    def matched(self, behavior: Behavior) -> Finding | None:
        """A deny or ask rule that covers the call or a part of it."""
        ...

    def always(self) -> Finding | None:
        """A check that holds in every mode, bypass included."""
        ...

    def writes(self) -> bool:
        """Whether the call changes files or runs what may: plan mode asks for it."""
        ...

    def guarded(self) -> Finding | None:
        """A check that no rule and no mode but bypass satisfies."""
        ...

    def approved(self, mode: Mode) -> Finding | None:
        """Why the call runs unasked, if it does: the mode, an allow rule, or the default."""
        ...

    def notes(self, mode: Mode) -> tuple[Step, ...]:
        """Details for an explanation."""
        ...


def rule_finding(rule: Rule, path: str | None = None) -> Finding:
    """A finding for a rule that matched."""
    behavior = rule.text.behavior
    verb = {"allow": "allowed", "ask": "made to ask", "deny": "denied"}[behavior]
    about = f", for {path}" if path else ""
    reason = f"{verb} by the rule {rule} of {rule.place}{about}"
    return Finding(reason, "rule", rule, path, behavior)


def scalar_inputs(given: Mapping[str, Any]) -> dict[str, str]:
    """The top-level scalar inputs as text, spelt as in JSON."""
    found: dict[str, str] = {}
    for name, value in given.items():
        if isinstance(value, bool):
            found[name] = "true" if value else "false"
        elif isinstance(value, str | int | float):
            found[name] = str(value)
    return found


def tool_rule(layers: tuple[RuleIndex, ...], facts: Facts, behavior: Behavior) -> Rule | None:
    """A rule on the tool as a whole or on one of its parameters."""
    names = (facts.tool, "Bash") if facts.tool in SHELL_TOOLS else (facts.tool,)
    for layer in layers:
        for name in names:
            if found := layer.by_name(name):
                return found
    if behavior != "allow":
        given = scalar_inputs(facts.input)
        for layer in layers:
            if layer.params and (found := layer.param(facts.tool, given)):
                return found
    return None


class NameJudge:
    """MCP tools, Agent, Skill and all that is judged by its name."""

    def __init__(self, policy: Policy, facts: Facts) -> None:
        self.policy = policy
        self.facts = facts

    def matched(self, behavior: Behavior) -> Finding | None:
        """A rule by name, parameter, agent type or skill name."""
        layers = self.policy.layers(behavior)
        rule = tool_rule(layers, self.facts, behavior)
        if rule is None:
            rule = self._named(layers, strict=behavior == "allow")
        return None if rule is None else rule_finding(rule)

    def _named(self, layers: tuple[RuleIndex, ...], *, strict: bool) -> Rule | None:
        name, text = self._texts()
        for layer in layers:
            for rule in layer.named.get(self.facts.tool, ()):
                if _text_fits(rule, text) or (not strict and _text_fits(rule, name)):
                    return rule
        return None

    def _texts(self) -> tuple[str, str]:
        given = self.facts.input
        if self.facts.tool == "Agent":
            kind = str(given.get("subagent_type") or "general-purpose")
            return kind, kind
        skill = str(given.get("skill") or "").strip().removeprefix("/")
        args = str(given.get("args") or "").strip()
        return skill, f"{skill} {args}" if args else skill

    def always(self) -> Finding | None:
        """Nothing."""
        return None

    def writes(self) -> bool:
        """Nothing that plan mode treats apart."""
        return False

    def guarded(self) -> Finding | None:
        """Nothing."""
        return None

    def approved(self, mode: Mode) -> Finding | None:
        """An allow rule, or a tool that needs no permission."""
        del mode
        if found := self.matched("allow"):
            return found
        tool = self.facts.tool
        if any(not self._inside(subject) for subject in self.facts.subjects):
            return None
        if tool in NO_PERMISSION:
            return Finding(f"{tool} needs no permission", "default", behavior="allow")
        if self.facts.read_only and not tool.startswith("mcp__") and tool not in NEEDS_USER:
            return Finding(f"{tool} only reads", "default", behavior="allow")
        return None

    def _inside(self, subject: Subject) -> bool:
        real = subject.real
        inside = real is not None and within_any(real, self.policy.directories)
        return subject.kind != "path" or inside

    def notes(self, mode: Mode) -> tuple[Step, ...]:
        """Nothing."""
        del mode
        return ()


def _text_fits(rule: Rule, text: str) -> bool:
    bare = rule.parts[0][:-1] if rule.boundary else None
    return text in (rule.content, bare) or (len(rule.parts) > 1 and text_matches(rule.parts, text))


class WebJudge(NameJudge):
    """WebFetch, judged by the host of its URL."""

    def __init__(self, policy: Policy, facts: Facts) -> None:
        super().__init__(policy, facts)
        self.host: Host = host_of(str(facts.input.get("url", "")))

    def matched(self, behavior: Behavior) -> Finding | None:
        """A rule on the tool or the host; allow needs a host that every parser reads alike."""
        layers = self.policy.layers(behavior)
        if rule := tool_rule(layers, self.facts, behavior):
            return rule_finding(rule)
        if behavior == "allow" and not self.host.certain:
            return None
        for layer in layers:
            for name in self.host.names:
                if rule := layer.host(name):
                    return rule_finding(rule)
        return None

    def always(self) -> Finding | None:
        """Only http and https are fetched."""
        if self.host.web:
            return None
        return Finding("only http and https addresses are fetched", "safety", behavior="deny")

    def guarded(self) -> Finding | None:
        """An address that parsers read differently is never pre-approved."""
        if self.host.certain:
            return None
        return Finding("the address names no host that every reader agrees on", "safety")

    def approved(self, mode: Mode) -> Finding | None:
        """An allow rule, or a documentation site."""
        del mode
        if found := self.matched("allow"):
            return found
        if self.host.names[:1] and self.host.names[0] in PREAPPROVED_HOSTS:
            return Finding("a documentation site that may be read", "default", behavior="allow")
        return None
