"""Wires what tool calls go through; imported when the first call comes, or by the warm-up."""

from hames.harness.dispatch import Tools
from hames.harness.gate import Gate
from hames.harness.grants import Grants
from hames.harness.live_settings import LiveSettings
from hames.harness.permission_updates import Updates
from hames.harness.place import KeyLocks
from hames.harness.services import Services
from hames.harness.start import Start
from hames.settings.destinations import SettingsWriter
from hames.tools.registry import Registry


def make_tools(registry: Registry, live: LiveSettings, services: Services, start: Start) -> Tools:
    """The tools, the gate and the locks of a session."""
    writer = SettingsWriter(start.cwd, start.env, start.home)
    updates = Updates(writer, start.may_bypass)
    grants = Grants(live, start.env, start.home, updates)
    return Tools(registry, Gate(grants, services), KeyLocks())
