"""What "don't ask again" would save for a call: only what really ends the question."""

import posixpath
import re

from hames.settings.permissions.bash_script import Part
from hames.settings.permissions.bash_table import command_table
from hames.settings.permissions.decide import decide
from hames.settings.permissions.facts import Facts, Mode
from hames.settings.permissions.judge_files import FileJudge
from hames.settings.permissions.judge_shell import ShellJudge
from hames.settings.permissions.names import EDIT_TOOLS, READ_TOOLS, SHELL_TOOLS
from hames.settings.permissions.policy import Policy, session_rule
from hames.settings.permissions.subject import Subject
from hames.settings.permissions.trace import Decision
from hames.settings.permissions.update import (
    DirectoryUpdate,
    ModeUpdate,
    PermissionUpdate,
    RuleUpdate,
    RuleValue,
)
from hames.settings.permissions.urls import host_of

MAX_RULES = 5
"""A compound command with more parts to approve gets no suggestion."""

_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")
_WITH_SUBCOMMANDS = frozenset(
    [
        "apt",
        "aws",
        "az",
        "brew",
        "bun",
        "bundle",
        "cargo",
        "composer",
        "deno",
        "docker",
        "dotnet",
        "flutter",
        "gcloud",
        "gem",
        "gh",
        "git",
        "go",
        "gradle",
        "helm",
        "hg",
        "jj",
        "just",
        "kubectl",
        "make",
        "mix",
        "mvn",
        "npm",
        "pip",
        "pip3",
        "pnpm",
        "podman",
        "poetry",
        "rustup",
        "svn",
        "terraform",
        "uv",
        "yarn",
    ]
)
_EXACT_ONLY = frozenset(
    [
        "python",
        "python2",
        "python3",
        "node",
        "ruby",
        "perl",
        "php",
        "lua",
        "Rscript",
        "osascript",
        "deno",
        "bun",
        "npx",
        "bunx",
        "pnpx",
        "uvx",
        "pipx",
        "sudo",
        "doas",
        "su",
        "env",
        "xargs",
        "ssh",
        "eval",
        "exec",
        "source",
        ".",
        "find",
        "rm",
        "rmdir",
        "mv",
        "dd",
        "chmod",
        "chown",
        "kill",
        "pkill",
        "curl",
        "wget",
        "tee",
        "awk",
        "sed",
        "make",
    ]
)


def suggestions(
    policy: Policy, facts: Facts, mode: Mode, decision: Decision
) -> tuple[PermissionUpdate, ...]:
    """Updates that a person may accept along with the call; empty when none would help."""
    if decision.behavior != "ask" or decision.critical or decision.asked_by_rule:
        return ()
    if facts.tool in SHELL_TOOLS:
        return _for_command(policy, facts, mode)
    if facts.tool in EDIT_TOOLS or facts.tool in READ_TOOLS:
        return _for_files(policy, facts, mode)
    return _for_name(facts)


def _for_command(policy: Policy, facts: Facts, mode: Mode) -> tuple[PermissionUpdate, ...]:
    rules: dict[RuleValue, None] = {}
    for part in ShellJudge(policy, facts).unapproved(mode):
        rule = _rule_for(part, facts.tool)
        if rule is None:
            return ()
        rules[rule] = None
    if not rules or len(rules) > MAX_RULES:
        return ()
    root = facts.cwd
    tried = policy.with_grants([session_rule(str(rule), "allow", root) for rule in rules])
    if decide(tried, facts, mode).behavior != "allow":
        return ()
    return (RuleUpdate("addRules", tuple(rules), "allow", "localSettings"),)


def _rule_for(part: Part, tool: str) -> RuleValue | None:
    """The rule that covers one part; None when no rule can show all that it would allow."""
    core = part.stripped.core
    if part.stripped.name == "cd":
        folder = next((t.subjects[0].value for t in part.touches if t.subjects), None)
        return None if folder is None else RuleValue("Read", f"/{escape_path(folder)}/**")
    text = " ".join(word.raw for word in core)
    if not core or "\n" in text or len(text) > 300:
        return None
    prefix = _prefix(part)
    if prefix is not None:
        return RuleValue(tool, f"{prefix} *")
    shown = all(word.literal is not None for word in core) and not part.stripped.piped
    return RuleValue(tool, text) if shown and "*" not in text else None


def _prefix(part: Part) -> str | None:
    """Command, or command and subcommand; None where only the exact command may be saved."""
    words = [word.literal for word in part.stripped.core[:2]]
    name = words[0]
    table = command_table()
    if name is None or not re.fullmatch(r"[\w./+-]+", name) or part.command.odd:
        return None
    base = posixpath.basename(name)
    if base in table.shells or base in table.exec_wrappers or base in table.plain_wrappers:
        return None
    if base in _WITH_SUBCOMMANDS:
        second = words[1] if len(words) > 1 else None
        return f"{name} {second}" if second and _SUBCOMMAND.fullmatch(second) else None
    return None if base in _EXACT_ONLY else name


def _for_files(policy: Policy, facts: Facts, mode: Mode) -> tuple[PermissionUpdate, ...]:
    judge = FileJudge(policy, facts)
    if len(judge.files) != 1 or judge.files[0].real is None:
        return ()
    subject = judge.files[0]
    folder = posixpath.dirname(subject.real or subject.value)
    if not judge.editing:
        rule = RuleValue("Read", f"/{escape_path(_read_folder(facts, subject))}/**")
        return (RuleUpdate("addRules", (rule,), "allow", "session"),)
    if judge.guarded() is not None:
        return _own_settings(subject)
    if judge.rules.inside(subject):
        return (ModeUpdate("acceptEdits", "session"),) if mode == "default" else ()
    added = DirectoryUpdate("addDirectories", (folder,), "session")
    return (added, ModeUpdate("acceptEdits", "session")) if mode == "default" else (added,)


def _read_folder(facts: Facts, subject: Subject) -> str:
    path = subject.real or subject.value
    return path if facts.tool in ("Grep", "Glob") else posixpath.dirname(path)


def _own_settings(subject: Subject) -> tuple[PermissionUpdate, ...]:
    """A protected file below `.claude` may be granted for the session."""
    head, found, _ = subject.value.partition("/.claude/")
    if not found:
        return ()
    rule = RuleValue("Edit", f"/{escape_path(head)}/.claude/**")
    return (RuleUpdate("addRules", (rule,), "allow", "session"),)


def _for_name(facts: Facts) -> tuple[PermissionUpdate, ...]:
    rule: RuleValue | None = None
    if facts.tool == "WebFetch":
        host = host_of(str(facts.input.get("url", "")))
        if host.certain and host.web:
            rule = RuleValue("WebFetch", f"domain:{host.names[0]}")
    elif facts.tool == "Skill":
        name = str(facts.input.get("skill") or "").strip().removeprefix("/")
        rule = RuleValue("Skill", name) if re.fullmatch(r"[\w:.-]+", name) else None
    elif facts.tool == "WebSearch" or facts.tool.startswith("mcp__"):
        rule = RuleValue(facts.tool) if not facts.needs_user else None
    return (RuleUpdate("addRules", (rule,), "allow", "localSettings"),) if rule else ()


def escape_path(path: str) -> str:
    """A path in which no character is a wildcard of a rule."""
    return "".join("\\" + char if char in "*?[]\\!" else char for char in path)


def granted(policy: Policy, update: PermissionUpdate, facts: Facts) -> Policy:
    """The policy after an accepted update; what it saves to disk is the caller's part."""
    match update:
        case RuleUpdate(type="addRules"):
            texts = [session_rule(str(rule), update.behavior, facts.cwd) for rule in update.rules]
            if update.destination != "session":
                texts = [t._replace(source=t.source._replace(kind="local")) for t in texts]
            return policy.with_grants(texts)
        case DirectoryUpdate(type="addDirectories"):
            return policy.with_directories([facts.cwd / name for name in update.directories])
        case _:
            return policy
