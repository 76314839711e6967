"""The tests test this tree, and the wheel holds all of it."""

import tomllib
from pathlib import Path

import hames.tools

ROOT = Path(__file__).resolve().parents[2]


def test_the_packages_under_test_lie_in_this_tree() -> None:
    assert hames.tools.__file__ is not None
    assert Path(hames.tools.__file__).resolve() == ROOT / "tools" / "__init__.py"


def test_every_package_is_listed() -> None:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(table["tool"]["setuptools"]["packages"])
    found = {"hames"}
    for name in ("system", "settings", "hooks", "tools", "harness", "cli"):
        for init in (ROOT / name).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT).parts
            if parts != ("cli", "_hames") and "demo" not in parts:
                found.add(".".join(("hames", *parts)))
    assert listed == found
