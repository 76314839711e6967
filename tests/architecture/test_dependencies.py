"""Dependencies: none unused, none undeclared, none under a licence that binds users, all pinned."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME: list[str] = PROJECT["project"]["dependencies"]
MEDIA: list[str] = PROJECT["project"]["optional-dependencies"]["media"]
DEV: list[str] = PROJECT["dependency-groups"]["dev"]
SOURCES = [
    path
    for name in ("system", "settings", "hooks", "tools", "harness", "cli")
    for path in (ROOT / name).rglob("*.py")
    if "demo" not in path.parts
]

MODULES = {
    "gitpython": "git",
    "pillow": "PIL",
    "prompt-toolkit": "prompt_toolkit",
    "pyyaml": "yaml",
    "tree-sitter": "tree_sitter",
    "tree-sitter-bash": "tree_sitter_bash",
}
"""Import names that differ from the name of the distribution."""

PROGRAMS = {"ripgrep"}
"""Distributions that bring a program."""

PROMISED = {"gitpython", "mcp", "prompt-toolkit", "rich"}
"""The stack that the product stands on; parts of it are used by what is still being built."""

PINNED = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!-]+")


def name_of(requirement: str) -> str:
    return canonicalize_name(Requirement(requirement).name)


def module_of(name: str) -> str:
    return MODULES.get(name, name)


def imported() -> set[str]:
    """Top-level names that the product imports, by statement or by name.

    pydantic_core is a part of pydantic.
    """
    found: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.split(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "import_module",
                "require",
            ):
                names = (word.value for word in node.args[:1] if isinstance(word, ast.Constant))
                found |= {str(name).split(".")[0] for name in names}
    return found - set(sys.stdlib_module_names) - {"hames", "pydantic_core"}


def installed(requirements: list[str]) -> Iterator[Distribution]:
    """The distributions that the requirements bring into this environment."""
    seen: set[tuple[str, str]] = set()
    left = [(Requirement(text), "") for text in requirements]
    while left:
        requirement, extra = left.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            pytest.fail(f"{name} is not installed: make setup")
        for wanted in ("", *requirement.extras):
            if (name, wanted) not in seen:
                seen.add((name, wanted))
                left += [(Requirement(text), wanted) for text in found.requires or ()]
        yield found


def licence(found: Distribution) -> str:
    """Everything the metadata says about the licence."""
    data = found.metadata
    classifiers = [c for c in data.get_all("Classifier", []) if c.startswith("License")]
    texts = (data.get("License-Expression"), data.get("License"), *classifiers)
    return "\n".join(text for text in texts if text)


def test_every_dependency_is_used() -> None:
    names = {name_of(text) for text in RUNTIME + MEDIA} - PROGRAMS - PROMISED
    used = imported()
    assert {name for name in names if module_of(name) not in used} == set()


def test_every_library_is_declared() -> None:
    declared = {module_of(name_of(text)) for text in RUNTIME + MEDIA}
    assert imported() - declared == set()


def test_no_dependency_is_under_a_licence_that_binds_users() -> None:
    texts = {found.name: licence(found) for found in installed(RUNTIME + MEDIA)}
    assert {name: text for name, text in texts.items() if not text} == {}
    strict = re.compile(r"(?<!L)(?<!Lesser )\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)
    assert {name: text for name, text in texts.items() if strict.search(text)} == {}


def test_constraints_pin_everything_that_is_installed() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not PINNED.fullmatch(line)] == []
    pinned = {canonicalize_name(line.split("==")[0]) for line in lines}
    wanted = {canonicalize_name(found.name) for found in installed(RUNTIME + MEDIA + DEV)}
    assert wanted - pinned == set()
