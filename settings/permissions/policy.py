"""A policy: every rule of a session compiled once, with the folders it is judged by."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from hames.settings.permissions.match import RuleIndex, build_index
from hames.settings.permissions.paths import Anchors
from hames.settings.permissions.rule import Rule, parse_rule
from hames.settings.permissions.rule_text import Behavior, RuleSource, RuleText
from hames.settings.permissions.subject import Resolver, real_path


class Locks(NamedTuple):
    """Restrictions of the settings that no mode lifts.

    `unreadable_settings`: a settings file that nobody can read may hold protections, so only
    what needs no permission runs unasked.
    """

    block_reads_outside: bool = False
    block_writes_outside: bool = False
    deny_instead_of_prompting: bool = False
    unreadable_settings: bool = False


class Policy(NamedTuple):
    """Compiled rules and folders. Every list is layered: later layers are session grants.

    `directories` are the working directories, each as it was given and as it really lies.
    `granted` are the allow rules that a person gave in this session. `writable` are files
    of hames itself that may be written unasked (the plan) and folders whose Markdown may be
    (memory), `readable` folders that may be read
    unasked (tool results, memory).
    """

    rules: tuple[Rule, ...]
    root: str
    home: str
    directories: tuple[str, ...]
    locks: Locks = Locks()
    settings_dir: str | None = None
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    allow: tuple[RuleIndex, ...] = ()
    granted: tuple[RuleIndex, ...] = ()
    ask: tuple[RuleIndex, ...] = ()
    deny: tuple[RuleIndex, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """One line per rule that is skipped, ignored or looks misspelt."""
        return tuple(
            f"{rule.place}: {rule.text.behavior} rule `{rule}` {rule.problem}"
            for rule in self.rules
            if rule.problem is not None
        )

    def layers(self, behavior: Behavior) -> tuple[RuleIndex, ...]:
        """The indexes of one list."""
        if behavior == "allow":
            return (*self.granted, *self.allow)
        return self.ask if behavior == "ask" else self.deny

    def with_grants(self, rules: Iterable[RuleText]) -> "Policy":
        """The policy with more rules, e.g. grants of the session or of a turn."""
        added = _parse(rules, Path(self.home))
        if not added:
            return self
        session = tuple(rule for rule in added if rule.text.source.kind == "session")
        others = tuple(rule for rule in added if rule.text.source.kind != "session")
        return self._replace(
            rules=(*self.rules, *added),
            allow=(*self.allow, *_layer(others, "allow")),
            granted=(*self.granted, *_layer(session, "allow")),
            ask=(*self.ask, *_layer(added, "ask")),
            deny=(*self.deny, *_layer(added, "deny")),
        )

    def with_directories(self, directories: Iterable[Path]) -> "Policy":
        """The policy with more working directories."""
        return self._replace(directories=_both((*self.directories, *map(str, directories))))

    def with_own_files(self, readable: Iterable[Path], writable: Iterable[Path]) -> "Policy":
        """The policy with files of the session that need no question."""
        return self._replace(
            readable=_both(map(str, readable)),
            writable=_both(map(str, writable)),
        )

    def removed_tools(self, names: Iterable[str]) -> frozenset[str]:
        """The tools that bare and glob deny rules take out of the model's list."""
        return frozenset(
            name for name in names if name != "EndConversation" and self._removes(name)
        )

    def _removes(self, name: str) -> bool:
        found = (layer.by_name(name) for layer in self.deny)
        return any(rule and (rule.kind != "tool" or rule.tool == name) for rule in found)


def _both(paths: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for path in paths:
        found[path] = None
        real = real_path(path)
        if real is not None:
            found[real] = None
    return tuple(found)


def _parse(rules: Iterable[RuleText], home: Path) -> tuple[Rule, ...]:
    resolver = Resolver()

    def real(folder: str) -> str:
        return resolver.real(folder) or folder

    return tuple(parse_rule(text, Anchors(home, text.source.root, real)) for text in rules)


def _layer(rules: tuple[Rule, ...], behavior: Behavior) -> tuple[RuleIndex, ...]:
    chosen = [rule for rule in rules if rule.text.behavior == behavior]
    return (build_index(chosen, fold=behavior != "allow"),) if chosen else ()


def compile_policy(
    rules: Iterable[RuleText],
    *,
    root: Path,
    home: Path,
    directories: tuple[Path, ...] = (),
    locks: Locks | None = None,
    settings_dir: Path | None = None,
) -> Policy:
    """Compile the rules of a session; never raises, what cannot be used is in `problems`."""
    compiled = _parse(rules, home)
    return Policy(
        rules=compiled,
        root=str(root),
        home=str(home),
        directories=_both((str(root), *map(str, directories))),
        locks=locks or Locks(),
        settings_dir=str(settings_dir) if settings_dir is not None else None,
        allow=_layer(compiled, "allow"),
        ask=_layer(compiled, "ask"),
        deny=_layer(compiled, "deny"),
    )


def session_rule(text: str, behavior: Behavior, root: Path) -> RuleText:
    """A rule that a dialog, a client or a hook gave for this session."""
    return RuleText(behavior, text, RuleSource("session", root))
