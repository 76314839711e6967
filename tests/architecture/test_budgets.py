"""No file that nobody wants to open: sizes have budgets and there is no exception list."""

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("system", "settings", "hooks", "tools", "harness", "cli")
SOURCES = sorted(
    p for name in FOLDERS for p in (ROOT / name).rglob("*.py") if "demo" not in p.parts
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("\n")


def functions() -> Iterator[tuple[str, int]]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Function):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", length


def test_files_are_short() -> None:
    sizes = {str(p.relative_to(ROOT)): lines(p) for p in SOURCES}
    assert {name: n for name, n in sizes.items() if n > 400} == {}
    assert statistics.median(sizes.values()) <= 130


def test_session_only_wires() -> None:
    session = ROOT / "harness" / "session.py"
    assert not session.exists() or lines(session) <= 250


def test_functions_are_short() -> None:
    sizes = dict(functions())
    assert {name: n for name, n in sizes.items() if n > 50} == {}
    ordered = sorted(sizes.values())
    assert ordered[int(len(ordered) * 0.95)] <= 35


def test_the_pipeline_reads_like_its_description() -> None:
    dispatch = ROOT / "harness" / "dispatch.py"
    if dispatch.exists():
        tree = ast.parse(dispatch.read_text(encoding="utf-8"))
        long = [
            node.name
            for node in ast.walk(tree)
            if isinstance(node, Function) and (node.end_lineno or 0) - node.lineno + 1 > 40
        ]
        assert long == []


def test_classes_have_few_public_methods() -> None:
    crowded: list[str] = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                public = [
                    m for m in node.body if isinstance(m, Function) and not m.name.startswith("_")
                ]
                if len(public) > 15:
                    crowded.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert crowded == []
