"""Bash and Monitor: every simple command and every file of a command line is judged."""

from collections.abc import Iterator

from hames.settings.permissions.bash_script import Part, Script
from hames.settings.permissions.bash_tree import Unreadable
from hames.settings.permissions.bash_wrappers import guard_texts, programs_known
from hames.settings.permissions.critical import Surroundings, critical_removal
from hames.settings.permissions.facts import Facts, Mode
from hames.settings.permissions.judge import Finding, rule_finding, tool_rule
from hames.settings.permissions.judge_files import PathRules
from hames.settings.permissions.judge_parts import PartJudge
from hames.settings.permissions.judge_touches import TouchJudge
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.rule import Rule
from hames.settings.permissions.rule_text import Behavior
from hames.settings.permissions.trace import Step

_NO_SCRIPT = Script("", unreadable=Unreadable("it was not read"))


class ShellJudge:
    """A shell command."""

    def __init__(self, policy: Policy, facts: Facts) -> None:
        self.policy = policy
        self.facts = facts
        self.script = facts.script or _NO_SCRIPT
        self.rules = PathRules(policy, facts.anchors or (str(facts.cwd),))
        self.files = TouchJudge(policy, self.rules)
        self.commands = PartJudge(policy, facts, self.files)

    def matched(self, behavior: Behavior) -> Finding | None:
        """A rule on the tool, on any part of the command, or on a file it names."""
        layers = self.policy.layers(behavior)
        rule = tool_rule(layers, self.facts, behavior) if layers else None
        spared = self.facts.sandboxed and behavior == "ask" and rule and rule.kind != "param"
        if rule is not None and not spared:
            return rule_finding(rule)
        if layers:
            for text in self._guarded_texts():
                if rule := self._command_rule(behavior, text):
                    return rule_finding(rule)
        for part in self.script.parts:
            if found := self.files.matched(part, behavior):
                return found
        return self._unclear(behavior)

    def _guarded_texts(self) -> Iterator[str]:
        if self.script.unreadable is not None:
            yield from self.script.unreadable.pieces
        seen: set[str] = set()
        for part in self.script.parts:
            for text in guard_texts(part.command):
                if text not in seen:
                    seen.add(text)
                    yield text

    def _command_rule(self, behavior: Behavior, text: str) -> Rule | None:
        for layer in self.policy.layers(behavior):
            if found := layer.command(self.facts.tool, text):
                return found
        return None

    def _unclear(self, behavior: Behavior) -> Finding | None:
        """What cannot be compared with the deny rules needs a person in every mode."""
        if behavior != "ask":
            return None
        if self.script.unreadable is not None:
            return Finding(
                f"the command cannot be judged: {self.script.unreadable.reason}", "unreadable"
            )
        if not any(layer.commands for layer in (*self.policy.deny, *self.policy.ask)):
            return None
        for part in self.script.parts:
            if not programs_known(part.command.words):
                reason = f"it cannot be told which program `{part.text}` runs"
                return Finding(reason, "unreadable")
        return None

    def always(self) -> Finding | None:
        """Removals that nothing approves, and the read lock of the settings."""
        around = Surroundings(
            self.policy.home, str(self.facts.cwd), (self.policy.root, *self.policy.directories)
        )
        removed = critical_removal(self.script.parts, around)
        if removed is not None:
            reason = f"removing `{removed}` may destroy more than is meant"
            return Finding(reason, "safety", path=removed, critical=True)
        if self.policy.locks.block_reads_outside:
            for part in self.script.parts:
                if found := self.files.outside(part):
                    return found
        return None

    def writes(self) -> bool:
        """Whether some part does more than read."""
        return any(self.commands.changes(part) for part in self.script.parts)

    def guarded(self) -> Finding | None:
        """Protected targets, secrets of processes, and files under deny rules that may be meant."""
        for part in self.script.parts:
            if found := self.files.guarded(part):
                return found
        below = self.facts.denied_below
        if below is None:
            return None
        if below:
            reason = f"it reads a whole folder with {below}, which is denied; name the files"
            return Finding(reason, "rule", path=below)
        if all(self.commands.has_rule(part) for part in self.script.parts if _is_deep(part)):
            return None
        return Finding("it reads a folder too large to look for denied files in", "unreadable")

    def approved(self, mode: Mode) -> Finding | None:
        """Every part must be approved, and so must every file that the shell opens."""
        if self.facts.sandboxed:
            return Finding("runs in the sandbox", "mode", behavior="allow")
        last: Finding | None = None
        for part in self.script.parts:
            found = self.commands.approved(part, mode)
            if found.behavior != "allow":
                return found
            if last is None or (last.rule is None and found.rule is not None):
                last = found
        if last is None:
            return Finding("nothing is run", "default", behavior="allow")
        return last

    def notes(self, mode: Mode) -> tuple[Step, ...]:
        """The parts of the command, each with what speaks for it by itself."""
        if self.script.unreadable is not None:
            return (Step("command", f"cannot be read: {self.script.unreadable.reason}"),)
        steps: list[Step] = []
        for part in self.script.parts:
            found = self.commands.approved(part, mode)
            text = f"{part.text}: {found.reason}"
            steps.append(Step("part", text, found.behavior, found.rule))
        return tuple(steps)

    def unapproved(self, mode: Mode) -> tuple[Part, ...]:
        """The parts that nothing approves yet, for suggestions."""
        return tuple(
            part
            for part in self.script.parts
            if self.commands.approved(part, mode).behavior != "allow"
        )


def _is_deep(part: Part) -> bool:
    return any(touch.file.deep for touch in part.touches)
