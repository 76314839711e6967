"""The hooks of a session, in groups that come and go; which of them an event concerns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from hames.hooks.context import HookContext
from hames.hooks.events import HookEvent
from hames.hooks.match import matcher_matches
from hames.hooks.policy import HookPolicy
from hames.hooks.spec import HookSpec


@dataclass(frozen=True, slots=True)
class _Group:
    """Hooks as registered, and those that may run by event; `agent_id`: of one agent only."""

    given: Sequence[HookSpec]
    specs: Mapping[str, Sequence[HookSpec]]
    agent_id: str | None = None


class HookRegistry:
    """Registered hooks that the policy lets run."""

    def __init__(self, policy: HookPolicy) -> None:
        self._policy = policy
        self._groups: dict[str, _Group] = {}
        self._spent: set[tuple[object, ...]] = set()

    def register(self, group: str, specs: Iterable[HookSpec], agent_id: str | None) -> int:
        """Replace the hooks of `group`; how many of them the policy lets run."""
        given = tuple(specs)
        by_event: dict[str, list[HookSpec]] = {}
        for spec in given:
            if self._policy.permits(spec):
                by_event.setdefault(spec.event, []).append(spec)
        self._groups[group] = _Group(given, by_event, agent_id)
        return sum(map(len, by_event.values()))

    def apply(self, policy: HookPolicy) -> None:
        """Judge every registered hook by another policy."""
        self._policy = policy
        for name, group in list(self._groups.items()):
            self.register(name, group.given, group.agent_id)

    def unregister(self, group: str) -> None:
        """Forget the hooks of `group`."""
        self._groups.pop(group, None)

    def concerns(self, event_name: str) -> bool:
        """Whether any hook waits for the event."""
        return any(event_name in group.specs for group in self._groups.values())

    def matchers(self, event_name: str) -> list[str]:
        """The matchers of the event's hooks; hooks for everything have none."""
        found = (
            spec.matcher
            for group in self._groups.values()
            for spec in group.specs.get(event_name, ())
        )
        return [matcher for matcher in found if matcher and matcher != "*"]

    def matching(self, event: HookEvent, context: HookContext) -> list[HookSpec]:
        """The hooks that the event runs; identical handlers of settings files once."""
        agent_id = context.agent_id or event.fields.get("agent_id")
        chosen: dict[object, HookSpec] = {}
        for group in self._groups.values():
            if group.agent_id is None or group.agent_id == agent_id:
                for spec in group.specs.get(event.name, ()):
                    if self._selected(spec, event, context):
                        chosen.setdefault(spec.identity, spec)
        return list(chosen.values())

    def spend(self, specs: Iterable[HookSpec]) -> None:
        """Note that these ran: a skill's `once` hook runs no second time."""
        for spec in specs:
            if spec.once and spec.source.kind == "skill":
                self._spent.add(_key(spec))

    def _selected(self, spec: HookSpec, event: HookEvent, context: HookContext) -> bool:
        return (
            matcher_matches(spec.matcher, event)
            and _key(spec) not in self._spent
            and (spec.condition is None or _condition_holds(spec, event, context))
        )


def _condition_holds(spec: HookSpec, event: HookEvent, context: HookContext) -> bool:
    """The rule engine is large, and most hooks have no `if`."""
    holds: bool = import_module("hames.hooks.condition").condition_holds(spec, event, context)
    return holds


def _key(spec: HookSpec) -> tuple[object, ...]:
    return (*spec.identity, spec.where)
