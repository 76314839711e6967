"""The files that one simple command names, against path rules and working directories."""

from collections.abc import Iterator

from hames.settings.permissions.bash_script import Part, Touch
from hames.settings.permissions.facts import Mode
from hames.settings.permissions.judge import Finding, rule_finding
from hames.settings.permissions.judge_files import PathRules
from hames.settings.permissions.overlap import Tokens, can_meet, literal_tokens, segments_meet
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.protected import glob_may_be_protected, process_secret
from hames.settings.permissions.rule import Rule
from hames.settings.permissions.rule_text import Behavior
from hames.settings.permissions.subject import Subject


class TouchJudge:
    """Path checks of shell commands."""

    def __init__(self, policy: Policy, rules: PathRules) -> None:
        self.policy = policy
        self.rules = rules
        self._path_rules = {
            behavior: any(layer.paths for layer in policy.layers(behavior))
            for behavior in ("deny", "ask")
        }

    def matched(self, part: Part, behavior: Behavior) -> Finding | None:
        """A deny or ask rule on a file of the command; a mention of one is asked."""
        for touch in part.touches:
            kinds = ["Edit", "Read"] if touch.access == "write" else ["Read"]
            if behavior == "ask" and touch.access == "write":
                kinds = ["Edit"]
            for kind in kinds:
                if found := self._rule_on(touch, kind, behavior):
                    return found
        if behavior == "ask" and self._path_rules["deny"]:
            return self._possibly_denied(part)
        return None

    def _rule_on(self, touch: Touch, kind: str, behavior: Behavior) -> Finding | None:
        if touch.file.access == "mention":
            return None
        if rule := self.rules.bare(behavior, kind):
            return rule_finding(rule, touch.spelled)
        if self._path_rules[behavior]:
            for subject in touch.subjects:
                if rule := self.rules.blocking(behavior, kind, subject.paths):
                    return rule_finding(rule, subject.value)
        return None

    def _possibly_denied(self, part: Part) -> Finding | None:
        """A glob that can expand to a denied file."""
        for touch in part.touches:
            for pattern in touch.patterns:
                rule = self._meeting(pattern, touch)
                if rule is not None:
                    reason = f"`{touch.spelled}` can expand to a file that {rule} denies"
                    return Finding(reason, "rule", rule, touch.spelled)
        return None

    def _meeting(self, pattern: tuple[Tokens, ...], touch: Touch) -> Rule | None:
        kinds = ("Edit", "Read") if touch.access == "write" else ("Read",)
        folded = tuple(tuple((kind, text.lower()) for kind, text in segment) for segment in pattern)
        inner = tuple(self._below_anchors(folded))
        for layer in self.policy.deny:
            for kind in kinds:
                index = layer.paths.get(kind)
                for rule in index.rules() if index is not None else ():
                    if _meets(folded, inner, rule):
                        return rule
        return None

    def _below_anchors(self, pattern: tuple[Tokens, ...]) -> Iterator[tuple[Tokens, ...]]:
        """The pattern as relative rules see it."""
        for anchor in self.rules.guard_anchors:
            names = [name for name in anchor.lower().split("/") if name]
            head = [tuple(("char", char) for char in name) for name in names]
            if list(pattern[: len(names)]) == head:
                yield pattern[len(names) :]

    def mentioned(self, part: Part) -> Finding | None:
        """An argument of an unknown command that is a denied file."""
        if not self._path_rules["deny"]:
            return None
        for touch in part.touches:
            if touch.file.access != "mention":
                continue
            for subject in touch.subjects:
                if rule := self.rules.blocking("deny", "Read", subject.paths):
                    reason = f"`{part.text}` names {subject.value}, which {rule} denies to read"
                    return Finding(reason, "rule", rule, subject.value)
        return None

    def outside(self, part: Part) -> Finding | None:
        """A file that is read outside the working directories, for the read lock."""
        for touch in part.touches:
            if touch.access == "write" or touch.file.access == "mention":
                continue
            if not touch.subjects or not all(map(self.rules.inside, touch.subjects)):
                reason = f"`{touch.spelled}` may lie outside the working directories"
                return Finding(reason, "directory", path=touch.spelled)
        return None

    def guarded(self, part: Part) -> Finding | None:
        """Checks that allow rules do not satisfy."""
        for touch in part.touches:
            if touch.file.access == "mention":
                continue
            for subject in touch.subjects:
                if any(process_secret(path) for path in subject.paths):
                    reason = f"{subject.value} shows the environment or memory of a process"
                    return Finding(reason, "safety", path=subject.value)
            if touch.access == "write" and (found := self._protected(touch)):
                return found
        return self.mentioned(part)

    def _protected(self, touch: Touch) -> Finding | None:
        for subject in touch.subjects:
            granted = self.rules.permitting("Edit", subject, granted=True)
            if granted is None and (name := self.rules.protected(subject)):
                reason = f"{subject.value} is protected ({name}); no rule approves writing it"
                return Finding(reason, "safety", path=subject.value)
        if any(glob_may_be_protected(pattern) for pattern in touch.patterns):
            return Finding(f"`{touch.spelled}` may be a protected file", "safety")
        return None

    def reads_allowed(self, part: Part) -> Finding | None:
        """Why an argument that is read is not approved; None when all are."""
        for touch in part.touches:
            if not touch.file.redirect and (found := self._read_problem(touch)):
                return found
        return None

    def _read_problem(self, touch: Touch) -> Finding | None:
        if touch.file.access == "mention":
            return None
        if not touch.subjects:
            return Finding(f"it is not known which file `{touch.spelled}` is", "unreadable")
        for subject in touch.subjects:
            if not self._may_read(subject):
                reason = f"`{touch.spelled}` lies outside the working directories"
                return Finding(reason, "directory", path=subject.value)
        return None

    def _may_read(self, subject: Subject) -> bool:
        if self.rules.readable(subject):
            return True
        return any(
            self.rules.bare("allow", kind) or self.rules.permitting(kind, subject)
            for kind in ("Read", "Edit")
        )

    def opened(self, part: Part, mode: Mode) -> Finding | None:
        """Why a redirection or a file that tee writes is not approved; None when all are."""
        for touch in self._opened(part):
            if found := self._opened_problem(touch, mode):
                return found
        return None

    def _opened(self, part: Part) -> Iterator[Touch]:
        for touch in part.touches:
            tee = part.stripped.name == "tee" and touch.access == "write"
            if touch.file.redirect or tee:
                yield touch

    def _opened_problem(self, touch: Touch, mode: Mode) -> Finding | None:
        spelled = touch.spelled
        plain = touch.file.word.literal is not None and not spelled.startswith(
            ("/dev/tcp", "/dev/udp")
        )
        if not plain or not touch.subjects:
            return Finding(f"it is not known which file `{spelled}` is", "unreadable")
        if not touch.certain or (touch.access == "read" and self._after_cd(touch)):
            return Finding(f"`{spelled}` depends on a `cd` before it", "unreadable")
        if touch.access == "read":
            return self._read_problem(touch)
        return self.write_problem(touch, mode)

    @staticmethod
    def _after_cd(touch: Touch) -> bool:
        return len(touch.subjects) > 1

    def write_problem(self, touch: Touch, mode: Mode) -> Finding | None:
        """Why a file may not be written unasked; None when it may."""
        if not touch.subjects:
            return Finding(f"it is not known which file `{touch.spelled}` is", "unreadable")
        for subject in touch.subjects:
            accepted = mode == "acceptEdits" and self.rules.inside(subject)
            allowed = self.rules.bare("allow", "Edit") or self.rules.permitting("Edit", subject)
            if not (accepted or (allowed and subject.real is not None) or self.rules.own(subject)):
                reason = f"writing `{touch.spelled}` needs a confirmation"
                return Finding(reason, "directory", path=subject.value)
        return None


def _meets(pattern: tuple[Tokens, ...], inner: tuple[tuple[Tokens, ...], ...], rule: Rule) -> bool:
    """Whether a glob, absolute and below the anchors, can expand to what a rule covers."""
    if rule.path is None:
        return False
    if rule.path.key is not None:
        key = literal_tokens(rule.path.key)
        if not any(segments_meet(segment, key) for segment in pattern):
            return False
    seen = inner if rule.path.relative else (pattern,)
    return any(can_meet(glob, steps) for glob in seen for steps in rule.path.variants)
