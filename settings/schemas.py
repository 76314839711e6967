"""Writes `catalog.json` and `schema.json` from the models: `python -m hames.settings.schemas`."""

import json
from pathlib import Path
from typing import Any, cast

from hames.settings.models import Settings
from hames.system.types import is_list, is_object

FOLDER = Path(__file__).parent
_FACTS = ("tier", "scope", "broken", "brokenManaged", "guard", "default")
_LIMITS = ("enum", "minimum", "maximum", "exclusiveMinimum", "maxItems")
_RAW = frozenset({"hooks"})
"""Checked by their own reader entry by entry, so the catalog does not look inside."""

Table = dict[str, Any]


def schema() -> Table:
    """The JSON Schema (draft 2020-12) of a settings file, for editors."""
    made = Settings.model_json_schema(by_alias=True)
    made = cast(Table, _without_facts(made))
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "hames settings"
    made["properties"] = {"$schema": {"type": "string"}, **made["properties"]}
    return made


def catalog() -> Table:
    """Checks and facts per key, for a start without pydantic."""
    made = Settings.model_json_schema(by_alias=True)
    properties = cast(dict[str, Table], made["properties"])
    return {name: _entry(name, value, made["$defs"]) for name, value in properties.items()}


def render(table: Table) -> str:
    """The text of a generated file."""
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Generate both files into `folder`."""
    (folder / "catalog.json").write_text(json.dumps(catalog(), separators=(",", ":")) + "\n")
    (folder / "schema.json").write_text(render(schema()), encoding="utf-8")


def _entry(name: str, value: Table, defs: Table) -> Table:
    facts = {key: value[key] for key in _FACTS if value.get(key) is not None}
    if name in _RAW:
        return {"type": "object", **facts}
    return {**_check(value, defs), **facts}


def _check(value: Table, defs: Table) -> Table:
    if "$ref" in value:
        return _check(defs[value["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in value:
        return {"anyOf": [_check(option, defs) for option in value["anyOf"]]}
    if "const" in value:
        return {"type": "string", "enum": [value["const"]]}
    made = {key: value[key] for key in ("type", *_LIMITS) if key in value}
    if "items" in value:
        made["items"] = _check(value["items"], defs)
    if "properties" in value:
        properties = cast(dict[str, Table], value["properties"])
        made["properties"] = {key: _entry(key, item, defs) for key, item in properties.items()}
    elif is_object(value.get("additionalProperties")):
        made["values"] = _check(value["additionalProperties"], defs)
    return made


def _without_facts(value: Any) -> Any:
    if is_list(value):
        return [_without_facts(item) for item in value]
    if not is_object(value):
        return value
    hidden = ("tier", "scope", "broken", "brokenManaged", "guard")
    return {
        key: _properties(item) if key == "properties" else _without_facts(item)
        for key, item in value.items()
        if key not in hidden and not (key == "default" and item is None) and key != "title"
    }


def _properties(value: Table) -> Table:
    """Property names may equal the names of facts, so only their schemas are cleaned."""
    return {key: _without_facts(item) for key, item in value.items()}


if __name__ == "__main__":
    write(FOLDER)
