"""The repository speaks of hames alone, every public name says what it is, and lists are whole."""

import ast
import re
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from hames.cli.commands.registry import COMMANDS
from hames.tools import schemas

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("system", "settings", "hooks", "tools", "harness", "cli", "benchmarks")
SOURCES = sorted(
    path for name in FOLDERS for path in (ROOT / name).rglob("*.py") if "demo" not in path.parts
)
TEXTS = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".sh", ""}

FOREIGN = re.compile(
    r"/(?:work|tmp)/(?:main|wt|base|shared)\b|\.\./shared/|\bissues? #?\d+\b",
    re.IGNORECASE,
)
"""Words of the place where the code was written."""


def tracked() -> Iterator[Path]:
    command = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    for name in listed.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and path.suffix in TEXTS:
            yield path


def undocumented(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if tree.body and not ast.get_docstring(tree):
        yield f"{path.relative_to(ROOT)}: the module"
    for node in tree.body:
        yield from _undocumented(node, path)


def _undocumented(node: ast.stmt, path: Path) -> Iterator[str]:
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return
    if node.name.startswith("_"):
        return
    if not ast.get_docstring(node):
        yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
    if isinstance(node, ast.ClassDef):
        overrides = any(ast.unparse(base).startswith("Tool") for base in node.bases)
        for member in node.body:
            if not (overrides and isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)):
                yield from _undocumented(member, path)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_public_names_have_a_docstring(path: Path) -> None:
    assert list(undocumented(path)) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_is_left_to_do_or_commented_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"\b(?:TODO|FIXME|XXX)\b", text) == []
    assert re.findall(r"(?m)^\s*# (?:return|import|from \w+ import|raise) .*$", text) == []


SUPPRESSION = re.compile(
    r"# (?:type: ignore|pyright: ignore|noqa)(\[[\w-]+\]|: [A-Z]+\d+)?( - \S)?"
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_suppressions_name_their_code_and_reason(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        found = SUPPRESSION.search(line)
        if found:
            code, reason = found.groups()
            assert code and (reason or before.strip().startswith("# ")), line


def test_nothing_names_the_place_where_it_was_written() -> None:
    own = Path(__file__).resolve()
    found = {
        str(path.relative_to(ROOT)): FOREIGN.findall(
            path.read_text(encoding="utf-8", errors="replace")
        )
        for path in tracked()
        if path != own
    }
    assert {name: words for name, words in found.items() if words} == {}


def test_the_catalog_of_tools_is_current() -> None:
    assert schemas.render() == (ROOT / "tools" / "catalog.json").read_text(encoding="utf-8")


def test_make_schemas_runs_every_generator() -> None:
    rule = (
        (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nschemas:")[2].split("\n\n")[0]
    )
    generators = {
        f"hames.{path.parent.name}.{path.stem}"
        for name in FOLDERS
        for path in (ROOT / name).glob("schemas.py")
    }
    assert set(re.findall(r"-m (hames[\w.]+)", rule)) == generators


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_subcommand_exists(name: str) -> None:
    module = import_module(f"hames.cli.commands.{name.replace('-', '_')}")
    assert isinstance(module.command, click.Command)
    assert module.command.help or module.command.short_help


def test_every_subcommand_is_listed() -> None:
    found = {
        path.stem.replace("_", "-")
        for path in (ROOT / "cli" / "commands").glob("*.py")
        if re.search(r"(?m)^(?:def command\(|command = )", path.read_text(encoding="utf-8"))
    }
    assert found == set(COMMANDS)
