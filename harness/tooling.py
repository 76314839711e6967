"""Wires what tool calls go through; imported when the first call comes, or by the warm-up."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hames.harness.attention import plan_file
from hames.harness.calls import Call
from hames.harness.dispatch import Tools
from hames.harness.gate import Gate
from hames.harness.grants import Grants
from hames.harness.library import Library
from hames.harness.live_settings import LiveSettings
from hames.harness.permission_updates import Updates
from hames.harness.place import KeyLocks
from hames.harness.services import Services
from hames.harness.start import Start
from hames.settings.destinations import SettingsWriter
from hames.tools.registry import Registry

if TYPE_CHECKING:
    from hames.harness.skill_runs import SkillRuns
    from hames.harness.surroundings import Surroundings
    from hames.settings.definitions import Skill


class Extras(NamedTuple):
    """What the main conversation has beyond its tools: skills, memory, a plan.

    `register_hooks` puts the hooks of an invoked skill in force.
    """

    library: Library
    session_id: str
    register_hooks: "Callable[[Skill], None]"

    @property
    def own_files(self) -> tuple[Path, ...]:
        """What the model may write unasked: the plan, Markdown in the folder of memory."""
        memory = self.library.memory_folder
        plan = plan_file(self.library, self.session_id)
        return (plan, memory) if memory is not None else (plan,)


def make_tools(
    registry: Registry,
    live: LiveSettings,
    services: Services,
    start: Start,
    extras: Extras | None = None,
) -> Tools:
    """The tools, the gate and the locks of a session; without `extras` it has no skills."""
    writer = SettingsWriter(start.cwd, start.env, start.home)
    updates = Updates(writer, start.may_bypass)
    own = extras.own_files if extras is not None else ()
    grants = Grants(live, start.env, start.home, updates, own)
    if extras is None:
        return Tools(registry, Gate(grants, services), KeyLocks())
    around, runs = _late(registry, services, extras)

    def is_plain(call: Call) -> bool:
        return call.name == "Skill" and runs().is_plain(call)

    return Tools(registry, Gate(grants, services, is_plain), KeyLocks(), runs, around)


def _late(
    registry: Registry, services: Services, extras: Extras
) -> "tuple[Callable[[], Surroundings], Callable[[], SkillRuns]]":
    """What file tools and skills need; a first command must not wait for their modules."""

    @cache
    def around() -> "Surroundings":
        module: Any = import_module("hames.harness.surroundings")
        made: Surroundings = module.Surroundings(
            extras.library, services, tell_skills="Skill" in registry.names
        )
        return made

    @cache
    def runs() -> "SkillRuns":
        module: Any = import_module("hames.harness.skill_runs")
        made: SkillRuns = module.SkillRuns(
            extras.library, services, around(), extras.register_hooks
        )
        return made

    return around, runs
