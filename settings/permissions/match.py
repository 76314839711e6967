"""Compiled rules, found fast: one index per list, so that a decision looks at few rules."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from hames.settings.permissions.globs import text_matches
from hames.settings.permissions.paths import ending_of, split_path
from hames.settings.permissions.rule import Rule, governed_tools


@dataclass(slots=True)
class CommandIndex:
    """Shell rules: exact texts, prefixes by their text, and the few with other wildcards."""

    exact: dict[str, Rule] = field(default_factory=dict[str, Rule])
    bounded: dict[str, Rule] = field(default_factory=dict[str, Rule])
    prefixes: dict[str, Rule] = field(default_factory=dict[str, Rule])
    wild: dict[str, list[Rule]] = field(default_factory=dict[str, list[Rule]])
    longest: int = 0
    lengths: list[int] = field(default_factory=list[int])

    def add(self, rule: Rule) -> None:
        """Take in a `command` rule."""
        parts = rule.parts
        self.exact.setdefault(rule.content, rule)
        if len(parts) == 1:
            return
        if rule.boundary:
            self.bounded.setdefault(parts[0][:-1], rule)
            self.longest = max(self.longest, len(parts[0]) - 1)
        elif len(parts) == 2 and parts[1] == "":
            self.prefixes.setdefault(parts[0], rule)
            if len(parts[0]) not in self.lengths:
                self.lengths.append(len(parts[0]))
        else:
            head = parts[0].split(" ", 1)[0] if " " in parts[0] else ""
            self.wild.setdefault(head, []).append(rule)

    def find(self, text: str) -> Rule | None:
        """A rule that covers the normalised text of one simple command."""
        found = self.exact.get(text)
        if found is None:
            found = self._bounded(text)
        if found is not None:
            return found
        for length in self.lengths:
            found = self.prefixes.get(text[:length])
            if found is not None:
                return found
        head = text.split(" ", 1)[0]
        for rule in self.wild.get(head, []) + self.wild.get("", []):
            if text_matches(rule.parts, text):
                return rule
        return None

    def _bounded(self, text: str) -> Rule | None:
        if not self.bounded:
            return None
        if found := self.bounded.get(text):
            return found
        at = text.find(" ")
        while 0 <= at <= self.longest:
            found = self.bounded.get(text[:at])
            if found is not None:
                return found
            at = text.find(" ", at + 1)
        return None


@dataclass(slots=True)
class PathIndex:
    """Path rules by a segment that every match must hold; `order` is their place in the list."""

    keyed: dict[str, list[Rule]] = field(default_factory=dict[str, list[Rule]])
    keyless: list[Rule] = field(default_factory=list[Rule])
    negated: list[Rule] = field(default_factory=list[Rule])
    order: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, rule: Rule) -> None:
        """Take in a `path` rule."""
        assert rule.path is not None
        self.order[id(rule)] = len(self.order)
        if rule.path.negated:
            self.negated.append(rule)
        elif (key := rule.path.key or rule.path.ending) is not None:
            self.keyed.setdefault(key, []).append(rule)
        else:
            self.keyless.append(rule)

    def __bool__(self) -> bool:
        return bool(self.keyed or self.keyless)

    def rules(self) -> Iterator[Rule]:
        """Every rule that is not a carve-out."""
        for found in self.keyed.values():
            yield from found
        yield from self.keyless

    def find(self, names: Sequence[str], anchors: Sequence[Sequence[str]]) -> Rule | None:
        """A rule that covers the absolute path (as segments), seen from the anchors."""
        for rule in self._candidates(names):
            if self._hit(rule, names, anchors):
                return rule
        return None

    def _candidates(self, names: Sequence[str]) -> Iterator[Rule]:
        keys = [*names, *("*" + ending_of(name) for name in names)]
        for key in dict.fromkeys(keys):
            yield from self.keyed.get(key, ())
        yield from self.keyless

    def _hit(self, rule: Rule, names: Sequence[str], anchors: Sequence[Sequence[str]]) -> bool:
        pattern = rule.path
        assert pattern is not None
        if not pattern.relative:
            return pattern.hits(names)
        for inner in _inside(names, anchors):
            if pattern.hits(inner):
                return not self._carved_out(rule, inner)
        return False

    def _carved_out(self, rule: Rule, inner: Sequence[str]) -> bool:
        """Whether a later `!pattern` of the same list takes the path out of the rule."""
        assert rule.path is not None
        for other in self.negated:
            later = self.order[id(other)] > self.order[id(rule)]
            if not later or other.path is None or other.text.source != rule.text.source:
                continue
            if other.path.hits(inner) and not rule.path.hits_above(inner):
                return True
        return False


def _inside(names: Sequence[str], anchors: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    for anchor in anchors:
        if tuple(names[: len(anchor)]) == tuple(anchor):
            yield names[len(anchor) :]


@dataclass(slots=True)
class RuleIndex:
    """All rules of one list (allow, ask or deny). `fold` compares paths without letter case."""

    fold: bool
    tools: dict[str, Rule] = field(default_factory=dict[str, Rule])
    globs: list[Rule] = field(default_factory=list[Rule])
    servers: dict[str, Rule] = field(default_factory=dict[str, Rule])
    commands: dict[str, CommandIndex] = field(default_factory=dict[str, CommandIndex])
    paths: dict[str, PathIndex] = field(default_factory=dict[str, PathIndex])
    domains: dict[str, Rule] = field(default_factory=dict[str, Rule])
    domain_globs: list[Rule] = field(default_factory=list[Rule])
    named: dict[str, list[Rule]] = field(default_factory=dict[str, list[Rule]])
    params: list[Rule] = field(default_factory=list[Rule])

    def add(self, rule: Rule) -> None:
        """Take in a rule; inert ones are left out."""
        match rule.kind:
            case "tool":
                self._add_tool(rule)
            case "glob":
                self.globs.append(rule)
            case "server":
                self.servers.setdefault(rule.tool, rule)
            case "command":
                self.commands.setdefault(rule.tool, CommandIndex()).add(rule)
            case "path":
                self.paths.setdefault(rule.tool, PathIndex()).add(rule)
            case "domain":
                self._add_domain(rule)
            case "agent" | "skill":
                self.named.setdefault(rule.tool, []).append(rule)
            case "param":
                self.params.append(rule)
            case "inert":
                pass

    def _add_tool(self, rule: Rule) -> None:
        for tool in governed_tools(rule):
            self.tools.setdefault(tool, rule)

    def _add_domain(self, rule: Rule) -> None:
        if "*" in rule.content:
            self.domain_globs.append(rule)
        else:
            self.domains.setdefault(rule.content, rule)

    def by_name(self, tool: str) -> Rule | None:
        """A rule that covers every use of the tool."""
        found = self.tools.get(tool)
        if found is not None:
            return found
        for rule in self.globs:
            if text_matches(rule.parts, tool):
                return rule
        if tool.startswith("mcp__") and self.servers:
            at = tool.find("__", 5)
            while at > 0:
                if found := self.servers.get(tool[:at]):
                    return found
                at = tool.find("__", at + 1)
        return None

    def command(self, tool: str, text: str) -> Rule | None:
        """A shell rule for one simple command; rules for Bash hold for every shell tool."""
        for name in dict.fromkeys((tool, "Bash")):
            index = self.commands.get(name)
            if index is not None and (found := index.find(text)):
                return found
        return None

    def command_exact(self, tool: str, text: str) -> Rule | None:
        """A shell rule whose text is the command itself."""
        for name in dict.fromkeys((tool, "Bash")):
            index = self.commands.get(name)
            if index is not None and (found := index.exact.get(text)):
                return found
        return None

    def path(self, tool: str, path: str, anchors: Sequence[str]) -> Rule | None:
        """A path rule of `tool` (Read or Edit) that covers one absolute path."""
        index = self.paths.get(tool)
        if index is None:
            return None
        if self.fold:
            path, anchors = path.lower(), [anchor.lower() for anchor in anchors]
        return index.find(split_path(path), [split_path(anchor) for anchor in anchors])

    def host(self, host: str) -> Rule | None:
        """A WebFetch rule for a host, which is given in lower case without a final dot."""
        found = self.domains.get(host)
        if found is not None:
            return found
        return next((rule for rule in self.domain_globs if domain_fits(rule.content, host)), None)

    def param(self, tool: str, given: dict[str, str]) -> Rule | None:
        """A parameter rule that fits the top-level scalar inputs, all as text."""
        for rule in self.params:
            value = given.get(rule.field)
            if value is None or not text_matches(rule.parts, value):
                continue
            if rule.tool == tool or text_matches(tuple(rule.tool.split("*")), tool):
                return rule
        return None


def domain_fits(pattern: str, host: str) -> bool:
    """`*.x` is any depth below x; every other `*` stays inside one label."""
    if pattern.startswith("*."):
        rest = pattern[2:]
        labels = rest.count(".") + 1
        tail = ".".join(host.split(".")[-labels:])
        return host.count(".") >= labels and _labels_fit(rest, tail)
    return _labels_fit(pattern, host)


def _labels_fit(pattern: str, host: str) -> bool:
    wanted, labels = pattern.split("."), host.split(".")
    return len(wanted) == len(labels) and all(
        label != "" and text_matches(tuple(want.split("*")), label)
        for want, label in zip(wanted, labels, strict=True)
    )


def build_index(rules: Iterable[Rule], *, fold: bool) -> RuleIndex:
    """One index over the rules, in their order."""
    index = RuleIndex(fold)
    for rule in rules:
        index.add(rule)
    return index
