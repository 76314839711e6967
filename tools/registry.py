"""The built-in tools by name. A tool's module is imported when its tool is first used."""

import json
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from hames.system.types import JsonObject
from hames.tools.spec import ToolSpec

CATALOG = Path(__file__).with_name("catalog.json")


def load_specs() -> list[ToolSpec]:
    """The specs of `catalog.json`, sorted by name."""
    stored: list[JsonObject] = json.loads(CATALOG.read_bytes())
    return [ToolSpec.from_json(item) for item in stored]


class Registry:
    """The tools of a session. Names are exact; aliases find their tool.

    `options` are keyword arguments for the constructors of single tools, by tool name. `withheld`
    are tools that new conversations are not offered; older ones list them, and the gate denies.
    """

    def __init__(
        self,
        specs: Iterable[ToolSpec],
        options: Mapping[str, Mapping[str, Any]] | None = None,
        withheld: Collection[str] = (),
    ) -> None:
        self._specs = {spec.name: spec for spec in specs}
        self._aliases = {alias: s.name for s in self._specs.values() for alias in s.aliases}
        self._options = options or {}
        self._withheld = frozenset(withheld)
        self._tools: dict[str, Any] = {}

    @property
    def names(self) -> list[str]:
        """The names of the tools that are offered, in catalogue order."""
        return [name for name in self._specs if name not in self._withheld]

    def find(self, name: str) -> ToolSpec | None:
        """The spec of a tool by name or alias."""
        return self._specs.get(self._aliases.get(name, name))

    def tool(self, spec: ToolSpec) -> Any:
        """The `Tool` of a spec; imports its module on first use."""
        found = self._tools.get(spec.name)
        if found is None:
            cls = getattr(import_module(spec.module), spec.cls)
            found = self._tools[spec.name] = cls(**self._options.get(spec.name, {}))
        return found

    def schemas(self) -> list[JsonObject]:
        """The tool definitions as the API wants them, in catalogue order."""
        return [self._specs[name].definition() for name in self.names]
