"""NotebookEdit changes one cell and leaves every other byte of the file alone."""

import asyncio
import difflib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.tools.base import ToolError, ToolResult
from hames.tools.context import ToolContext
from hames.tools.notebook_edit import NotebookEdit
from hames.tools.read import Read
from support.media_files import notebook_text
from support.tool_context import after, call, everywhere, tool_context


def code(name: str, *lines: str, **more: Any) -> dict[str, Any]:
    cell = {"cell_type": "code", "execution_count": 1, "id": name, "metadata": {"x": 1.50}}
    out = [{"name": "stdout", "output_type": "stream", "text": ["1\n"]}]
    return cell | {"outputs": out, "source": list(lines)} | more


CELLS = [code("a", "x = 1\n", "x"), code("b", "y"), code("c", "z")]


def known(folder: Path, text: str, name: str = "n.ipynb") -> tuple[Path, ToolContext]:
    """A notebook, and the context of a model that has read it."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    context = tool_context(folder)
    return path, after(context, asyncio.run(call(Read(), context, file_path=str(path))))


def change(context: ToolContext, path: Path, **given: Any) -> ToolResult:
    given = {"new_source": ""} | given
    return asyncio.run(call(NotebookEdit(), context, notebook_path=str(path), **given))


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def test_a_cell_is_replaced_and_its_results_are_cleared(tmp_path: Path) -> None:
    text = notebook_text(CELLS)
    path, context = known(tmp_path, text)
    result = change(context, path, cell_id="b", new_source="y = 2\nyö")
    new = code("b", "y = 2\n", "yö", execution_count=None, outputs=[])
    assert path.read_text(encoding="utf-8") == notebook_text([CELLS[0], new, CELLS[2]])
    assert result.content == f"Replaced cell b of {path}."
    assert result.structured == {
        "new_source": "y = 2\nyö",
        "old_source": "y",
        "cell_id": "b",
        "cell_type": "code",
        "language": "python",
        "edit_mode": "replace",
        "notebook_path": str(path),
        "original_file": text,
        "updated_file": path.read_text(encoding="utf-8"),
    }


def test_the_kind_of_a_cell_can_change(tmp_path: Path) -> None:
    path, context = known(tmp_path, notebook_text(CELLS))
    change(context, path, cell_id="a", cell_type="markdown", new_source="# x")
    expected = {"cell_type": "markdown", "id": "a", "metadata": {"x": 1.5}, "source": ["# x"]}
    assert cells(path)[0] == expected


@pytest.mark.parametrize(
    ("after_cell", "order"),
    [(None, "*abc"), ("a", "a*bc"), ("c", "abc*"), ("cell-1", "ab*c")],
)
def test_a_cell_is_inserted(tmp_path: Path, after_cell: str | None, order: str) -> None:
    path, context = known(tmp_path, notebook_text(CELLS))
    given = {} if after_cell is None else {"cell_id": after_cell}
    result = change(
        context, path, edit_mode="insert", cell_type="markdown", new_source="# new", **given
    )
    assert isinstance(result.structured, dict)
    new = result.structured["cell_id"]
    assert [cell["id"] for cell in cells(path)] == [new if c == "*" else c for c in order]
    expected = [
        {"cell_type": "markdown", "id": new, "metadata": {}, "source": ["# new"]}
        if c == "*"
        else CELLS["abc".index(c)]
        for c in order
    ]
    assert path.read_text(encoding="utf-8") == notebook_text(expected)


@pytest.mark.parametrize(("name", "left"), [("a", [1, 2]), ("b", [0, 2]), ("c", [0, 1])])
def test_a_cell_is_deleted(tmp_path: Path, name: str, left: list[int]) -> None:
    path, context = known(tmp_path, notebook_text(CELLS))
    result = change(context, path, cell_id=name, edit_mode="delete")
    assert path.read_text(encoding="utf-8") == notebook_text([CELLS[n] for n in left])
    assert result.content == f"Deleted cell {name} of {path}."


def test_the_last_cell_can_go_and_a_first_one_come(tmp_path: Path) -> None:
    path, context = known(tmp_path, notebook_text(CELLS[:1]))
    context = after(context, change(context, path, cell_id="a", edit_mode="delete"))
    assert cells(path) == []
    change(context, path, edit_mode="insert", cell_type="code", new_source="1")
    (cell,) = cells(path)
    assert cell["source"] == ["1"]
    assert path.read_text(encoding="utf-8") == notebook_text([cell])


def test_old_notebooks_have_places_instead_of_ids(tmp_path: Path) -> None:
    old = [{key: value for key, value in cell.items() if key != "id"} for cell in CELLS]
    path, context = known(tmp_path, notebook_text(old, minor=2))
    result = change(context, path, cell_id="cell-0", edit_mode="insert", cell_type="code")
    assert isinstance(result.structured, dict)
    assert result.structured["cell_id"] == "cell-1"
    assert [("id" in cell) for cell in cells(path)] == [False] * 4


@pytest.mark.parametrize(
    "text",
    [
        notebook_text(CELLS, indent=4),
        notebook_text(CELLS, indent="\t"),
        notebook_text(CELLS, indent=None),
        notebook_text(CELLS, indent=None, separators=(",", ":")),
        notebook_text(CELLS).replace("\n", "\r\n"),
        notebook_text(CELLS).rstrip("\n"),
        "\ufeff" + notebook_text(CELLS),
        notebook_text(CELLS).replace('"x": 1.5', '"x":   1.50e0'),
    ],
)
def test_the_style_of_the_file_is_kept(tmp_path: Path, text: str) -> None:
    path, context = known(tmp_path, text)
    change(context, path, cell_id="b", new_source="changed")
    result = path.read_bytes().decode()
    blocks = difflib.SequenceMatcher(None, text, result, autojunk=False).get_opcodes()
    changed = [block for block in blocks if block[0] != "equal"]
    start, end = text.index('"b"'), text.index('"c"')
    assert all(start - 200 < block[1] and block[2] < end for block in changed)
    assert json.loads(result.removeprefix("\ufeff"))["cells"][1]["source"] == ["changed"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cell_id": "nope"}, "There is no cell nope. The notebook has: a, b, c."),
        ({"cell_id": "cell-9"}, "There is no cell cell-9"),
        ({}, "replace needs cell_id"),
        ({"edit_mode": "delete"}, "delete needs cell_id"),
        ({"edit_mode": "insert"}, "insert needs cell_type"),
        ({"edit_mode": "move"}, "`edit_mode`"),
        ({"cell_id": "a", "cell_type": "raw"}, "`cell_type`"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    path, context = known(tmp_path, notebook_text(CELLS))
    with pytest.raises(ToolError, match=message):
        change(context, path, **given)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n.json", "{}", "is no notebook"),
        ("n.ipynb", "{", "is no notebook that can be changed"),
        ("n.ipynb", "[]", "holds no list of cells"),
        ("n.ipynb", '{"cells": 3}', "holds no list of cells"),
        ("n.ipynb", '{"worksheets": [{"cells": []}]}', "holds no list of cells"),
    ],
)
def test_what_is_no_notebook_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    path, context = known(tmp_path, text, name)
    with pytest.raises(ToolError, match=message):
        change(context, path, cell_id="a")
    assert path.read_text(encoding="utf-8") == text


def test_a_notebook_must_have_been_read_in_any_case(tmp_path: Path) -> None:
    path, context = known(tmp_path, notebook_text(CELLS))
    unread = tool_context(tmp_path, may_read=everywhere)
    with pytest.raises(ToolError, match="has not been read"):
        change(unread, path, cell_id="a")
    path.write_text(notebook_text(CELLS[:2]), encoding="utf-8")
    with pytest.raises(ToolError, match="has changed since"):
        change(context, path, cell_id="a")


def test_a_link_is_refused_and_a_missing_file_named(tmp_path: Path) -> None:
    _, context = known(tmp_path, notebook_text(CELLS))
    (tmp_path / "link.ipynb").symlink_to("n.ipynb")
    with pytest.raises(ToolError, match="is a link to"):
        change(context, tmp_path / "link.ipynb", cell_id="a")
    with pytest.raises(ToolError, match="File does not exist"):
        change(context, tmp_path / "m.ipynb", cell_id="a")


@pytest.mark.property
@given(
    st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=8), max_size=4),
    st.sampled_from([None, 1, 2, "\t"]),
    st.booleans(),
    st.data(),
)
def test_any_notebook_is_changed_in_one_place_only(
    tmp_path_factory: pytest.TempPathFactory,
    sources: list[str],
    indent: int | str | None,
    ascii_only: bool,
    draw: st.DataObject,
) -> None:
    before = [code(f"id{n}", source) for n, source in enumerate(sources)]
    text = notebook_text(before, indent=indent, ensure_ascii=ascii_only)
    path, context = known(tmp_path_factory.getbasetemp(), text)
    mode = draw.draw(st.sampled_from(["insert", "replace", "delete"] if sources else ["insert"]))
    at = draw.draw(st.integers(0, len(sources) - 1)) if sources else 0
    given: dict[str, Any] = {"edit_mode": mode, "cell_type": "code", "new_source": "n\u00e9w\n"}
    change(context, path, **given, **({"cell_id": f"id{at}"} if sources else {}))
    expected = [cell for n, cell in enumerate(before) if mode == "insert" or n != at]
    place = at if mode == "replace" else at + bool(sources)
    now = cells(path)
    if mode != "delete":
        assert now.pop(place)["source"] == ["n\u00e9w\n"]
    assert now == expected
