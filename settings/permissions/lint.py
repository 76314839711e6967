"""What is wrong with a list of rules: dead, shadowed, misspelt or too broad, with the fix."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from hames.settings.permissions.bash_table import command_table
from hames.settings.permissions.globs import Segment
from hames.settings.permissions.match import RuleIndex, build_index
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.rule import Rule
from hames.settings.permissions.rule_text import Behavior

Level = Literal["error", "warning"]

_SAMPLE = "hames-sample"
_INTERPRETERS = frozenset(
    [
        "python",
        "python2",
        "python3",
        "node",
        "deno",
        "bun",
        "ruby",
        "perl",
        "php",
        "lua",
        "osascript",
        "awk",
        "gawk",
        "npx",
        "bunx",
        "uvx",
        "pipx",
        "eval",
        "source",
        "ssh",
    ]
)
_SEPARATORS = re.compile(r"&&|\|\||;|\|")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_REAL_ROOTS = frozenset(
    [
        "etc",
        "usr",
        "var",
        "home",
        "tmp",
        "opt",
        "root",
        "proc",
        "sys",
        "dev",
        "bin",
        "lib",
        "srv",
        "mnt",
        "Users",
    ]
)


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding. `error`: the rule does not do what it says; `warning`: it does too much."""

    level: Level
    rule: Rule
    text: str
    fix: str

    def __str__(self) -> str:
        rule = self.rule
        return f"{rule.place}: {self.level}: {rule.text.behavior} `{rule}` {self.text}. {self.fix}."


def lint(policy: Policy) -> tuple[Issue, ...]:
    """Every issue, in the order of the rules."""
    return tuple(issue for rule in policy.rules for issue in _issues(rule, policy))


def _issues(rule: Rule, policy: Policy) -> Iterator[Issue]:
    if rule.problem is not None:
        yield Issue("error", rule, rule.problem, _fix_of(rule))
        return
    yield from _repeated(rule, policy.rules)
    if rule.kind == "command":
        yield from _command_issues(rule)
    if rule.kind == "path":
        yield from _path_issues(rule, policy)
    if rule.text.behavior != "deny":
        yield from _shadowed(rule, policy.rules)
    if rule.text.behavior == "allow":
        yield from _broad(rule)


def _fix_of(rule: Rule) -> str:
    problem = rule.problem or ""
    if "write `" in problem or "did you mean" in problem or "must read" in problem:
        return "Change the rule as it says"
    return "Remove the rule or correct it"


def _repeated(rule: Rule, rules: Iterable[Rule]) -> Iterator[Issue]:
    for other in rules:
        if other is rule:
            return
        if (other.text.behavior, str(other)) == (rule.text.behavior, str(rule)):
            text = f"stands already in {other.place}"
            yield Issue("warning", rule, text, "Remove one of them")
            return


def _command_issues(rule: Rule) -> Iterator[Issue]:
    unquoted = _QUOTED.sub("", rule.content)
    if _SEPARATORS.search(unquoted):
        yield Issue(
            "error",
            rule,
            "never matches, because commands are judged part by part",
            "Write one rule for each part",
        )
    first = rule.content.split(" ", 1)[0]
    if ":*" in rule.content[:-2] and rule.text.behavior == "allow":
        yield Issue(
            "warning", rule, "holds `:*` inside, where it is literal text", "Write ` *` instead"
        )
    exact = first in command_table().exact_only and len(rule.parts) > 1
    if exact and rule.text.behavior == "allow":
        text = f"approves nothing: `{first}` runs other commands and needs exact rules"
        yield Issue("error", rule, text, "Write the whole command without `*`")


def _path_issues(rule: Rule, policy: Policy) -> Iterator[Issue]:
    del policy
    first = rule.content.removeprefix("!").split("/")[1:2]
    single = rule.content.startswith("/") and not rule.content.startswith("//")
    if single and first and first[0] in _REAL_ROOTS:
        yield Issue(
            "warning",
            rule,
            f"begins at {rule.text.source.root}, not at the root of the file system",
            f"Write `{rule.tool}(/{rule.content})` if the system folder is meant",
        )


def _shadowed(rule: Rule, rules: Iterable[Rule]) -> Iterator[Issue]:
    """A rule that another list, or a broader rule of its own list, always overtakes."""
    lists: list[tuple[Behavior, str]] = [("deny", "never takes effect: it is denied by")]
    if rule.text.behavior == "allow":
        lists.append(("ask", "never takes effect: it is asked because of"))
    for behavior, text in lists:
        index = _index(rules, behavior, rule)
        found = _cover(rule, index)
        if found is not None:
            fix = f"Remove it, or narrow `{found}`"
            yield Issue("error", rule, f"{text} `{found}` ({found.place})", fix)
            return
    broader = _cover(rule, _index(rules, rule.text.behavior, rule))
    if broader is not None and str(broader) != str(rule):
        text = f"adds nothing to `{broader}` ({broader.place})"
        yield Issue("warning", rule, text, "Remove it")


def _index(rules: Iterable[Rule], behavior: Behavior, rule: Rule) -> RuleIndex:
    chosen = (r for r in rules if r.text.behavior == behavior and r is not rule)
    return build_index(chosen, fold=behavior != "allow")


def _cover(rule: Rule, index: RuleIndex) -> Rule | None:
    """A rule that matches all that `rule` matches, as far as a sample of it tells."""
    if rule.kind in ("tool", "server", "glob"):
        return index.by_name(rule.tool) if rule.kind != "glob" else None
    found = index.by_name(rule.tool)
    if found is not None:
        return found
    if rule.kind == "command":
        sample = _SAMPLE.join(rule.parts)
        return index.command(rule.tool, sample)
    if rule.kind == "path" and rule.path is not None and not rule.path.negated:
        return _cover_path(rule, index)
    if rule.kind == "domain":
        return index.host(rule.content.replace("*", _SAMPLE))
    return None


def _cover_path(rule: Rule, index: RuleIndex) -> Rule | None:
    assert rule.path is not None
    steps = rule.path.variants[0]
    names = [_sample_name(step) for step in steps if step is not None]
    if None in steps[:1] and rule.path.relative:
        names.insert(0, _SAMPLE)
    base = str(rule.text.source.root) if rule.path.relative else ""
    path = f"{base}/{'/'.join(names)}"
    if steps and steps[-1] is None:
        path += f"/{_SAMPLE}"
    return index.path(rule.tool, path, (str(rule.text.source.root),))


def _sample_name(step: Segment) -> str:
    if step.literal is not None:
        return step.literal
    return _SAMPLE.join(step.parts) if step.parts else _SAMPLE


def _broad(rule: Rule) -> Iterator[Issue]:
    if rule.tool in ("Bash", "Monitor", "PowerShell") and rule.kind == "tool":
        yield Issue("warning", rule, "approves every command", "Name the commands you need")
    elif rule.kind == "command" and len(rule.parts) > 1:
        yield from _broad_command(rule)
    elif rule.kind == "path" and rule.content in ("//**", "~/**", "//**/*", "~"):
        yield Issue("warning", rule, "covers nearly every file", "Name the folders you need")
    elif rule.tool == "WebFetch" and rule.kind == "tool":
        yield Issue("warning", rule, "approves every site", "Name the sites you need")


def _broad_command(rule: Rule) -> Iterator[Issue]:
    table = command_table()
    head = rule.parts[0]
    first = head.split(" ", 1)[0].rsplit("/", 1)[-1]
    bare = first.rstrip("0123456789.")
    if first in table.shells or first in _INTERPRETERS or bare in _INTERPRETERS:
        text = f"lets `{first}` run any code, which deny rules do not look into"
        yield Issue("warning", rule, text, "Write the exact command, or name a script")
    elif first in table.exec_wrappers and first not in table.plain_wrappers:
        text = f"lets `{first}` run any other command"
        yield Issue("warning", rule, text, f"Name the command behind `{first}`")
    elif " " not in head.rstrip(" ") and rule.parts[-1] != "":
        text = "has a `*` before the subcommand, so that it covers other commands too"
        yield Issue("warning", rule, text, "Name the subcommand")
    elif (
        not rule.boundary and rule.parts[-1] == "" and not head.endswith((" ", "/", "-", "=", ":"))
    ):
        text = f"also covers other words that begin with `{head.rsplit(' ', 1)[-1]}`"
        yield Issue("warning", rule, text, f"Write `{rule.tool}({head} *)`")
