"""Imports point one way: system <- settings <- hooks, tools <- harness <- cli."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BELOW = {
    "system": set[str](),
    "settings": {"system"},
    "hooks": {"system", "settings"},
    "tools": {"system", "settings"},
    "harness": {"system", "settings", "hooks", "tools"},
    "cli": {"system", "settings", "hooks", "tools", "harness"},
}
SOURCES = sorted(p for name in BELOW for p in (ROOT / name).rglob("*.py") if "demo" not in p.parts)

LAZY = {
    "cli/main.py",
    "cli/_hames/__main__.py",
    "harness/build.py",
    "harness/warmup.py",
    "harness/models/factory.py",
    "harness/mcp.py",
    "tools/registry.py",
}
"""Files that may import inside functions without a named library."""

LAZY_LIBRARIES = {
    "tree_sitter",
    "tree_sitter_bash",
    "git",
    "watchfiles",
    "PIL",
    "pypdf",
    "pypdfium2",
    "json5",
    "anthropic",
    "httpx2",
    "pathspec",
    "yaml",
}
"""Heavy libraries that any file may import on first use."""


def package(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def imports(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield node, node.module or ""


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_never_point_upward(path: Path) -> None:
    own = package(path)
    for node, name in imports(ast.parse(path.read_text(encoding="utf-8"))):
        parts = name.split(".")
        if parts[0] == "hames" and len(parts) > 1:
            assert parts[1] == own or parts[1] in BELOW[own], f"line {node.lineno}: {name}"
        assert parts[0] not in ("tests", "support"), f"line {node.lineno}: {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_inside_functions_stand_in_known_places(path: Path) -> None:
    if str(path.relative_to(ROOT)) in LAZY:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for statement, name in imports(node):
                assert name.split(".")[0] in LAZY_LIBRARIES, f"line {statement.lineno}: {name}"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("hames", *(p for p in parts if p != "__init__")))


def test_modules_import_each_other_without_circles() -> None:
    modules = {module_name(p): p for p in SOURCES if "_hames" not in p.parts}
    graph = {
        name: {
            target
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            for _, imported in imports(node)
            for target in (imported,)
            if target in modules and target != name
        }
        for name, path in modules.items()
    }
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for target in graph[name]:
                visit(target, (*trail, name))
            done.add(name)

    for name in graph:
        visit(name, ())
