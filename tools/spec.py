"""A tool as it is known without importing its module."""

from dataclasses import dataclass

from hames.system.types import JsonObject


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One row of `catalog.json`, which `make schemas` generates from the tool classes."""

    name: str
    module: str
    cls: str
    description: str
    input_schema: JsonObject
    aliases: tuple[str, ...] = ()
    read_only: bool = False
    deferred: bool = False

    @classmethod
    def from_json(cls, item: JsonObject) -> "ToolSpec":
        """The spec of a catalogue row."""
        return cls(**{**item, "aliases": tuple(item["aliases"])})

    def definition(self) -> JsonObject:
        """The tool definition of the Messages API."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        }
