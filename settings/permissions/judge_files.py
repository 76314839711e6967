"""Read, Grep, Glob, Edit, Write and NotebookEdit, judged by their paths."""

from hames.settings.permissions.facts import Facts, Mode
from hames.settings.permissions.judge import Finding, rule_finding, tool_rule
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.protected import process_secret, protected_name, within_any
from hames.settings.permissions.rule import Rule
from hames.settings.permissions.rule_text import Behavior
from hames.settings.permissions.subject import Subject
from hames.settings.permissions.trace import Step


class PathRules:
    """Path rules of a policy, seen from one current directory."""

    def __init__(self, policy: Policy, anchors: tuple[str, ...]) -> None:
        self.policy = policy
        self.anchors = anchors
        roots = policy.directories[:2] if policy.directories else (policy.root,)
        self.guard_anchors = tuple(dict.fromkeys((*anchors, policy.root, *roots[:1])))

    def blocking(self, behavior: Behavior, tool: str, paths: tuple[str, ...]) -> Rule | None:
        """A deny or ask rule that covers any of the spellings of one file."""
        for layer in self.policy.layers(behavior):
            for path in paths:
                if found := layer.path(tool, path, self.guard_anchors):
                    return found
        return None

    def permitting(self, tool: str, subject: Subject, *, granted: bool = False) -> Rule | None:
        """An allow rule that covers the file as named and as it really lies."""
        if subject.real is None:
            return None
        layers = self.policy.granted if granted else self.policy.layers("allow")
        first: Rule | None = None
        for path in subject.paths:
            found = next(
                (rule for layer in layers if (rule := layer.path(tool, path, self.anchors))), None
            )
            if found is None:
                return None
            first = first or found
        return first

    def bare(self, behavior: Behavior, tool: str, *, granted: bool = False) -> Rule | None:
        """A rule on a whole tool."""
        layers = self.policy.granted if granted else self.policy.layers(behavior)
        return next((rule for layer in layers if (rule := layer.tools.get(tool))), None)

    def inside(self, subject: Subject) -> bool:
        """Whether the file really lies in a working directory."""
        return subject.real is not None and within_any(subject.real, self.policy.directories)

    def own(self, subject: Subject) -> bool:
        """Whether it may be written unasked: the plan, or Markdown in the folder of memory."""
        if subject.real is None:
            return False
        is_note = subject.real.endswith(".md") and within_any(subject.real, self.policy.writable)
        return is_note or subject.real in self.policy.writable

    def readable(self, subject: Subject) -> bool:
        """Whether reading the file needs no rule."""
        if subject.real is None:
            return False
        return self.inside(subject) or within_any(
            subject.real, (*self.policy.readable, *self.policy.writable)
        )

    def protected(self, subject: Subject) -> str | None:
        """What makes a file protected from unasked writes, if anything does."""
        if self.own(subject):
            return None
        for path in subject.paths:
            if found := protected_name(path, self.policy.settings_dir):
                return found
        return None


class FileJudge:
    """A call of a file tool."""

    def __init__(self, policy: Policy, facts: Facts) -> None:
        self.policy = policy
        self.facts = facts
        self.rules = PathRules(policy, facts.anchors or (str(facts.cwd),))
        self.files = tuple(s for s in facts.subjects if s.kind == "path")
        self.editing = any(s.access == "write" for s in self.files)

    def matched(self, behavior: Behavior) -> Finding | None:
        """A rule on the tool, or a path rule; a Read deny also blocks Edit and Write."""
        rule = tool_rule(self.policy.layers(behavior), self.facts, behavior)
        if rule is not None:
            return rule_finding(rule)
        kinds = ["Edit"] if self.editing else ["Read"]
        if behavior == "deny" and self.facts.tool in ("Edit", "Write"):
            kinds.append("Read")
        for subject in self.files:
            for kind in kinds:
                if rule := self.rules.blocking(behavior, kind, subject.paths):
                    return rule_finding(rule, subject.value)
        return None

    def always(self) -> Finding | None:
        """Link loops, secrets of processes and the directory locks of the settings."""
        locks = self.policy.locks
        locked = locks.block_writes_outside if self.editing else locks.block_reads_outside
        for subject in self.files:
            path = subject.value
            if subject.real is None:
                reason = f"{path} cannot be resolved (a link loop or an unreadable folder)"
                return Finding(reason, "safety", path=path, behavior="deny")
            if locked and not self.rules.inside(subject):
                reason = f"{path} lies outside the working directories; /add-dir adds a directory"
                return Finding(reason, "directory", path=path, behavior="deny")
        return None

    def writes(self) -> bool:
        """Every edit, but not of the plan file."""
        return self.editing and not all(self.rules.own(subject) for subject in self.files)

    def guarded(self) -> Finding | None:
        """Protected paths, unless a person granted them in this session; process secrets."""
        for subject in self.files:
            path = subject.value
            if any(process_secret(name) for name in subject.paths):
                reason = f"{path} shows the environment or memory of a process"
                return Finding(reason, "safety", path=path, behavior="deny")
            if not self.editing or self._granted(subject):
                continue
            if name := self.rules.protected(subject):
                reason = f"{path} is protected ({name}); no rule approves writing it"
                return Finding(reason, "safety", path=path)
        return None

    def _granted(self, subject: Subject) -> bool:
        return self.rules.permitting("Edit", subject, granted=True) is not None or (
            self.rules.bare("allow", "Edit", granted=True) is not None
        )

    def approved(self, mode: Mode) -> Finding | None:
        """The mode, an allow rule for every path, or a read inside."""
        rule = tool_rule(self.policy.layers("allow"), self.facts, "allow")
        if rule is not None:
            return rule_finding(rule)
        found: Finding | None = None
        for subject in self.files:
            found = self._approved_path(subject, mode)
            if found is None:
                return None
        return found

    def _approved_path(self, subject: Subject, mode: Mode) -> Finding | None:
        if self.editing:
            if self.rules.own(subject):
                return Finding("a file of this session", "default", behavior="allow")
            if mode == "acceptEdits" and self.rules.inside(subject):
                return Finding("acceptEdits accepts edits inside", "mode", behavior="allow")
            rule = self.rules.permitting("Edit", subject)
        else:
            if self.rules.readable(subject):
                return Finding("reads inside need no permission", "default", behavior="allow")
            rule = self.rules.permitting("Read", subject) or self.rules.permitting("Edit", subject)
        return rule_finding(rule, subject.value) if rule is not None else None

    def notes(self, mode: Mode) -> tuple[Step, ...]:
        """The paths as they were resolved."""
        del mode
        return tuple(
            Step("path", f"{s.value} lies at {s.real}" if s.real else f"{s.value} unresolvable")
            for s in self.files
            if s.real != s.value
        )
