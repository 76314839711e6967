"""Wires what tool calls go through; imported when the first call comes, or by the warm-up."""

from pathlib import Path

from hames.harness.dispatch import Dispatch, Tools
from hames.harness.gate import Gate
from hames.harness.grants import Grants
from hames.harness.live_settings import LiveSettings
from hames.harness.place import KeyLocks
from hames.harness.record import Record
from hames.harness.services import Services
from hames.tools.registry import Registry


def make_tools(
    registry: Registry, live: LiveSettings, services: Services, root: Path, home: Path
) -> Tools:
    """The tools, the gate and the locks of a session."""
    grants = Grants(live, root, home)
    return Tools(registry, Gate(grants, services), KeyLocks())


def make_dispatch(
    record: Record, services: Services, tools: Tools, offered: frozenset[str], spill: Path
) -> Dispatch:
    """The pipeline of one agent."""
    return Dispatch(record, services, tools, offered, spill)
