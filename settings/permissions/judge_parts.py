"""One simple command: approved by a rule, as read-only, or as an accepted edit."""

from hames.settings.permissions.bash_options import read_arguments
from hames.settings.permissions.bash_readonly import read_only_problem, sed_scripts
from hames.settings.permissions.bash_script import Part
from hames.settings.permissions.bash_sed import harmless
from hames.settings.permissions.bash_table import command_table, spec_of
from hames.settings.permissions.bash_wrappers import (
    base_name,
    safe_assignment,
    special_variable,
)
from hames.settings.permissions.facts import Facts, Mode
from hames.settings.permissions.judge import Finding, rule_finding
from hames.settings.permissions.judge_touches import TouchJudge
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.rule import Rule

_EDIT_COMMANDS = frozenset({"mkdir", "touch", "rm", "rmdir", "mv", "cp", "sed"})
_SED_EDIT_OPTIONS = frozenset({"-f", "--file"})


class PartJudge:
    """Approves the parts of a command line."""

    def __init__(self, policy: Policy, facts: Facts, files: TouchJudge) -> None:
        self.policy = policy
        self.facts = facts
        self.files = files
        self.layers = policy.layers("allow")
        self.bare = next(
            (rule for layer in self.layers for name in (facts.tool, "Bash")
             if (rule := layer.by_name(name))),
            None,
        )  # fmt: skip

    def approved(self, part: Part, mode: Mode) -> Finding:
        """The approval, or why there is none."""
        found = self._command(part, mode)
        if found.behavior != "allow":
            return found
        return self.files.opened(part, mode) or found

    def _command(self, part: Part, mode: Mode) -> Finding:
        exact = self._exact_rule(part)
        if exact is not None:
            return rule_finding(exact)
        if found := self._never(part):
            return found
        if not part.command.words:
            return self._without_command(part)
        if rule := self._rule(part):
            return rule_finding(rule)
        if part.command.odd and self.bare is None:
            return Finding(f"{part.command.odd[0]} may run code", "unreadable")
        if self.bare is not None:
            return rule_finding(self.bare)
        return self._unruled(part, mode)

    def _unruled(self, part: Part, mode: Mode) -> Finding:
        problem = self._read_only_problem(part)
        if problem is None:
            return Finding("only reads", "default", behavior="allow")
        if mode == "acceptEdits" and self._accepted_edit(part):
            return Finding("acceptEdits accepts edits inside", "mode", behavior="allow")
        return problem

    def _never(self, part: Part) -> Finding | None:
        """What no prefix rule approves."""
        if name := special_variable(part.command):
            return Finding(f"it sets {name}, which changes what other programs do", "safety")
        names = [base_name(word) for word in part.stripped.core[:1]]
        if "git" in names and self._elsewhere(part):
            return Finding("git in a folder that a `cd` leads to may run code there", "safety")
        return None

    @staticmethod
    def _elsewhere(part: Part) -> bool:
        return part.places is None or any(place.moved for place in part.places)

    def _without_command(self, part: Part) -> Finding:
        """Assignments, loop heads and redirections alone."""
        command = part.command
        if command.odd and self.bare is None:
            return Finding(f"{command.odd[0]} may run code", "unreadable")
        variable = command.loop_variable
        if variable is not None and not variable.islower() and self.bare is None:
            return Finding(f"the loop sets {variable}, which is not known to be safe", "safety")
        for assignment in command.assignments:
            if not safe_assignment(assignment) and self.bare is None:
                reason = f"it sets {assignment.name}, which is not known to be safe"
                return Finding(reason, "safety")
        return Finding("only reads", "default", behavior="allow")

    def _exact_rule(self, part: Part) -> Rule | None:
        for text in part.stripped.texts:
            for layer in self.layers:
                if rule := layer.command_exact(self.facts.tool, text):
                    return rule
        return None

    def has_rule(self, part: Part) -> bool:
        """Whether an allow rule names the command."""
        return any((self.bare, self._exact_rule(part), self._rule(part)))

    def _rule(self, part: Part) -> Rule | None:
        """A prefix rule; none for code, exec wrappers and computed command names."""
        core = part.stripped.core
        if part.command.odd or not core or core[0].literal is None:
            return None
        if _exact_only(part):
            return None
        for text in part.stripped.texts:
            for layer in self.layers:
                if rule := layer.command(self.facts.tool, text):
                    return rule
        return None

    def _read_only_problem(self, part: Part) -> Finding | None:
        stripped = part.stripped
        if not all(map(safe_assignment, part.command.assignments)):
            return Finding("a variable is set that is not known to be safe", "safety")
        if stripped.name == "cd":
            return self._cd_problem(part)
        reason = read_only_problem(stripped.core, self.policy.home, piped=stripped.piped)
        if reason is not None:
            return Finding(f"no rule allows `{part.text}`: {reason}", "default")
        return self.files.reads_allowed(part)

    def _cd_problem(self, part: Part) -> Finding | None:
        known = any(t.subjects and t.file.access == "read" for t in part.touches if not t.patterns)
        if not known or any("glob" in word.kinds for word in part.stripped.core):
            return Finding(f"it is not known where `{part.text}` leads", "unreadable")
        return self.files.reads_allowed(part)

    def _accepted_edit(self, part: Part) -> bool:
        """`mkdir touch rm rmdir mv cp sed` on paths that are all inside."""
        stripped = part.stripped
        name = stripped.name
        if name not in _EDIT_COMMANDS or stripped.piped:
            return False
        if not all(map(safe_assignment, part.command.assignments)):
            return False
        files = [touch for touch in part.touches if not touch.file.redirect]
        if not files or not all(touch.subjects for touch in files):
            return False
        if any(touch.file.access == "mention" for touch in files):
            return False
        if name == "sed" and not _sed_edits(part):
            return False
        return all(self.files.rules.inside(s) for touch in files for s in touch.subjects)

    def changes(self, part: Part) -> bool:
        """Whether the command is more than reading: plan mode asks for it."""
        if any(t.file.redirect and t.access == "write" for t in part.touches):
            return True
        if not part.command.words:
            return self._without_command(part).behavior != "allow"
        return bool(part.command.odd) or self._read_only_problem(part) is not None


def _exact_only(part: Part) -> bool:
    """Whether only a rule with the very text approves the command."""
    table = command_table()
    for word in part.stripped.core[:1]:
        name = base_name(word)
        if name in table.exact_only:
            return True
        if name == "find":
            return any(word.spelled in table.find_actions for word in part.stripped.core)
    return False


def _sed_edits(part: Part) -> bool:
    core = part.stripped.core
    arguments = read_arguments(core[1:], spec_of("sed"))
    scripts = sed_scripts(arguments)
    if any(option.name in _SED_EDIT_OPTIONS for option in arguments.options):
        return False
    return bool(scripts) and all(harmless(script, editing=True) for script in scripts)
