"""The generated files are those of the models, and the catalog declares every key."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hames.settings import schemas
from hames.settings.check import load_catalog, salvage
from hames.settings.models import Settings

EXAMPLE = {
    "$schema": "https://example.org/x",
    "model": "opus",
    "permissions": {"allow": ["Read"], "defaultMode": "plan"},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]},
    "theme": "custom:mine",
    "strictPluginOnlyCustomization": ["hooks"],
    "unknown": {"kept": True},
}


def test_the_generated_files_are_current(tmp_path: Path) -> None:
    schemas.write(tmp_path)
    for name in ("catalog.json", "schema.json"):
        assert (tmp_path / name).read_text() == (schemas.FOLDER / name).read_text(), (
            f"{name}: run python -m hames.settings.schemas"
        )


def test_every_key_has_a_tier_and_a_type() -> None:
    for name, entry in load_catalog().items():
        assert entry["tier"] in (1, 2, 3), name


def test_a_good_file_passes_schema_models_and_catalog() -> None:
    schema = json.loads((schemas.FOLDER / "schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(EXAMPLE, schema)
    Settings.model_validate(EXAMPLE)
    assert salvage(dict(EXAMPLE), load_catalog(), managed=True) == (EXAMPLE, [])


@pytest.mark.parametrize(
    "bad",
    [
        {"model": 1},
        {"permissions": {"deny": "x"}},
        {"cleanupPeriodDays": 0},
        {"hooks": {"Stop": [{"hooks": [{"type": "other"}]}]}},
        {"effortLevel": "huge"},
    ],
)
def test_a_bad_file_fails_the_schema(bad: dict[str, object]) -> None:
    schema = json.loads((schemas.FOLDER / "schema.json").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bad, schema)


def test_the_schema_tells_nothing_internal() -> None:
    text = (schemas.FOLDER / "schema.json").read_text()
    assert all(f'"{fact}"' not in text for fact in ("tier", "broken", "brokenManaged", "guard"))


def effective_keys(table: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Dotted names of the keys that hames acts on now; status line and rules count as one."""
    for name, entry in table.items():
        if entry["tier"] == 1:
            whole = "properties" not in entry or name == "statusLine"
            yield from (
                [prefix + name]
                if whole
                else effective_keys(entry["properties"], f"{prefix}{name}.")
            )


def test_the_documentation_names_every_key_with_an_effect() -> None:
    text = (schemas.FOLDER.resolve().parent / "docs" / "settings.md").read_text()
    assert [key for key in effective_keys(dict(load_catalog())) if f"`{key}`" not in text] == []
