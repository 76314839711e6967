"""Writes `catalog.json` from the tool classes: `python -m hames.tools.schemas`."""

import inspect
import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from hames.system.types import JsonObject, is_list, is_object
from hames.tools.base import Tool
from hames.tools.registry import CATALOG
from hames.tools.spec import ToolSpec

HERE = Path(__file__).parent


def tool_classes() -> Iterator[type[Tool[Any]]]:
    """Every concrete tool of this package, sorted by name."""
    found: dict[str, type[Tool[Any]]] = {}
    for path in HERE.glob("*.py"):
        if path.stem == "__init__":
            continue
        module = import_module(f"hames.tools.{path.stem}")
        for cls in vars(module).values():
            own = inspect.isclass(cls) and cls.__module__ == module.__name__
            if own and not inspect.isabstract(cls) and issubclass(cls, Tool):
                found[cls.name] = cls
    for name in sorted(found):
        yield found[name]


def prompt_file(cls: type[Tool[Any]]) -> Path:
    """The description of a tool for the model: `prompts/<module>.md`."""
    return HERE / "prompts" / f"{cls.__module__.rsplit('.', 1)[-1]}.md"


def spec_of(cls: type[Tool[Any]]) -> ToolSpec:
    """The catalogue row of a tool class."""
    model: type[BaseModel] = inspect.getattr_static(cls, "input_model")
    schema = _without_titles(model.model_json_schema(by_alias=True))
    schema.pop("description", None)
    return ToolSpec(
        name=cls.name,
        module=cls.__module__,
        cls=cls.__name__,
        description=prompt_file(cls).read_text(encoding="utf-8").strip(),
        input_schema=schema,
        aliases=cls.aliases,
        read_only=cls.read_only,
        deferred=cls.deferred,
    )


def _without_titles(schema: Any) -> Any:
    """The schema without the `title` keys that pydantic adds (a property may be called title)."""
    if is_list(schema):
        return [_without_titles(item) for item in schema]
    if not is_object(schema):
        return schema
    return {
        key: (
            {name: _without_titles(value) for name, value in member.items()}
            if key in ("properties", "$defs") and is_object(member)
            else _without_titles(member)
        )
        for key, member in schema.items()
        if not (key == "title" and isinstance(member, str))
    }


def render() -> str:
    """The text of `catalog.json`."""
    rows: list[JsonObject] = [spec_of(cls)._asdict() for cls in tool_classes()]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    CATALOG.write_text(render(), encoding="utf-8")
