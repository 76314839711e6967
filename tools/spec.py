"""A tool as it is known without importing its module."""

from typing import NamedTuple

from hames.system.types import JsonObject


class ToolSpec(NamedTuple):
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
        fields: JsonObject = {**item, "aliases": tuple(item["aliases"])}
        return cls(**fields)

    def definition(self) -> JsonObject:
        """The tool definition of the Messages API."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": self.input_schema,
        }
