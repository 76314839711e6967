"""Read shows images, PDF files and notebooks; what is none of it stays a readable note."""

import asyncio
import base64
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from hames.tools.base import ToolError, ToolResult
from hames.tools.effects import ReadState
from hames.tools.read import Read
from support.media_files import image_bytes, noise_bytes, notebook_text, pdf_bytes
from support.tool_context import after, call, tool_context


def read(folder: Path, name: str, data: bytes, **options: object) -> ToolResult:
    (folder / name).write_bytes(data)
    env = {"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": str(options.pop("tokens", ""))}
    return asyncio.run(call(Read(), tool_context(folder, env=env), file_path=name, **options))


def kinds(result: ToolResult) -> list[str]:
    assert isinstance(result.content, list)
    return [block["type"] for block in result.content]


def full(result: ToolResult) -> bool:
    (effect,) = result.effects
    assert isinstance(effect, ReadState)
    return effect.mark.full


def test_an_image_is_an_image_block_whatever_its_name(tmp_path: Path) -> None:
    data = image_bytes(30, 20)
    encoded = base64.b64encode(data).decode()
    result = read(tmp_path, "picture.txt", data)
    assert result.content == [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": encoded},
        }
    ]
    assert result.structured == {
        "type": "image",
        "file": {
            "base64": encoded,
            "type": "image/png",
            "originalSize": len(data),
            "dimensions": {
                "originalWidth": 30,
                "originalHeight": 20,
                "displayWidth": 30,
                "displayHeight": 20,
            },
        },
    }
    assert full(result)


def test_a_shrunk_image_says_how_much(tmp_path: Path) -> None:
    result = read(tmp_path, "wide.png", image_bytes(4000, 20))
    assert kinds(result) == ["image", "text"]
    assert isinstance(result.content, list)
    assert result.content[1]["text"] == "Shown at 2000x10 pixels; the original has 4000x20."


@pytest.mark.fault
@pytest.mark.parametrize(
    ("name", "data", "note"),
    [
        ("a.png", b"", "exists but is empty"),
        ("a.png", noise_bytes(50)[:300], "looks like image/png, but it cannot be decoded"),
        ("a.svg", b"<svg><circle r='1'/></svg>", "1\t<svg><circle r='1'/></svg>"),
        ("a.pdf", b"%PDF-1.7 broken", "looks like application/pdf, but it cannot be decoded"),
        ("a.pdf", pdf_bytes(1, password="x"), "it is encrypted and needs a password"),
        ("a.ipynb", b"not json", "1\tnot json"),
        ("a.ipynb", b"[1]", "1\t[1]"),
    ],
)
def test_what_cannot_be_shown_is_a_note(tmp_path: Path, name: str, data: bytes, note: str) -> None:
    result = read(tmp_path, name, data)
    assert isinstance(result.content, str)
    assert note in result.content
    assert isinstance(result.structured, dict)
    assert result.structured["type"] == "text"


@pytest.mark.fault
@pytest.mark.parametrize(
    ("name", "head", "limit"), [("a.png", b"\x89PNG\r\n\x1a\n", 128), ("a.ipynb", b"{", 100)]
)
def test_huge_media_are_not_opened(tmp_path: Path, name: str, head: bytes, limit: int) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.write(head)
        file.truncate((limit << 20) + 1)
    with pytest.raises(ToolError, match=f"is larger than {limit} MB"):
        asyncio.run(call(Read(), tool_context(tmp_path), file_path=name))


def test_a_short_pdf_is_a_document_block(tmp_path: Path) -> None:
    data = pdf_bytes(2)
    encoded = base64.b64encode(data).decode()
    result = read(tmp_path, "a.pdf", data)
    source = {"type": "base64", "media_type": "application/pdf", "data": encoded}
    assert result.content == [{"type": "document", "source": source}]
    assert result.structured == {
        "type": "pdf",
        "file": {
            "filePath": str(tmp_path / "a.pdf"),
            "originalSize": len(data),
            "base64": encoded,
        },
    }


def test_pages_are_images_and_private_files(tmp_path: Path) -> None:
    result = read(tmp_path, "a.pdf", pdf_bytes(30), pages="4-5")
    assert kinds(result) == ["text", "image", "image"]
    assert isinstance(result.content, list)
    assert result.content[0]["text"] == f"Pages 4 to 5 of 30 of {tmp_path}/a.pdf."
    assert isinstance(result.structured, dict)
    assert result.structured["type"] == "parts"
    assert result.structured["file"]["count"] == 2
    folder = Path(result.structured["file"]["outputDir"])
    assert sorted(p.name for p in folder.iterdir()) == ["page-4.jpg", "page-5.jpg"]
    assert {stat.S_IMODE(p.stat().st_mode) for p in folder.iterdir()} == {0o600}
    assert not full(result)


def test_a_long_pdf_names_the_file_and_asks_for_pages(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"a\.pdf: It has 11 pages: say which"):
        read(tmp_path, "a.pdf", pdf_bytes(11))


CODE: dict[str, Any] = {
    "cell_type": "code",
    "id": "c0de",
    "execution_count": 7,
    "metadata": {},
    "source": ["x = 1\n", "x"],
    "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["hi\n"]},
        {
            "output_type": "execute_result",
            "data": {
                "text/plain": ["1"],
                "image/png": base64.b64encode(image_bytes(5, 5)).decode(),
            },
        },
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mE: v\x1b[0m"]},
    ],
}
PROSE: dict[str, Any] = {"cell_type": "markdown", "id": "text", "metadata": {}, "source": "# Hi"}


def test_a_notebook_shows_cells_and_outputs(tmp_path: Path) -> None:
    result = read(tmp_path, "a.ipynb", notebook_text([PROSE, CODE]).encode())
    assert kinds(result) == ["text", "image", "text"]
    assert isinstance(result.content, list)
    assert result.content[0]["text"] == (
        "[cell text: markdown]\n# Hi\n\n[cell c0de: python, run 7]\nx = 1\nx\n\n"
        "[stream of c0de]\nhi\n\n[execute_result of c0de]\n1"
    )
    assert result.content[2]["text"] == "[error of c0de]\nE: v"
    assert isinstance(result.structured, dict)
    assert result.structured["type"] == "notebook"
    first, second = result.structured["file"]["cells"]
    assert first == {"cellType": "markdown", "source": "# Hi", "cell_id": "text"}
    assert second["execution_count"] == 7
    assert [out["output_type"] for out in second["outputs"]] == [
        "stream",
        "execute_result",
        "error",
    ]
    assert full(result)


@pytest.mark.fault
def test_huge_outputs_are_cut(tmp_path: Path) -> None:
    flood = {"output_type": "stream", "text": "y\n" * (10 << 20)}
    result = read(tmp_path, "a.ipynb", notebook_text([CODE | {"outputs": [flood]}]).encode())
    assert isinstance(result.content, list)
    (block,) = result.content
    assert len(block["text"]) < 11_000
    assert "[20961520 characters of this output left out]" in block["text"]
    assert len(json.dumps(result.structured)) < 25_000


def test_a_notebook_over_the_token_cap_is_a_partial_view(tmp_path: Path) -> None:
    cells = [PROSE | {"id": f"id{n}", "source": "word " * 20} for n in range(10)]
    result = read(tmp_path, "a.ipynb", notebook_text(cells).encode(), tokens=100)
    assert isinstance(result.content, list)
    assert result.content[-1]["text"].startswith("PARTIAL view: the first 2 of 10 cells.")
    assert not full(result)


def test_the_text_of_a_notebook_is_read_with_a_window(tmp_path: Path) -> None:
    result = read(tmp_path, "a.ipynb", notebook_text([PROSE]).encode(), limit=2)
    assert isinstance(result.content, str)
    assert result.content.startswith('1\t{\n2\t "cells": [')


@pytest.mark.parametrize(
    "notebook",
    [
        {"cells": []},
        {"worksheets": [{"cells": [{"cell_type": "code", "input": "1", "outputs": []}]}]},
        {"cells": [3, None, {"outputs": [5, {"output_type": "stream"}]}]},
        {"cells": [{"cell_type": "code", "source": 5, "outputs": "none"}], "metadata": 3},
        {"cells": [{"outputs": [{"data": {"image/png": "?!"}}, {"output_type": "error"}]}]},
    ],
)
def test_odd_notebooks_are_shown_as_far_as_they_go(
    tmp_path: Path, notebook: dict[str, object]
) -> None:
    result = read(tmp_path, "a.ipynb", json.dumps(notebook).encode())
    assert isinstance(result.structured, dict)
    assert result.structured["type"] == "notebook"


def test_an_unchanged_image_is_not_sent_again(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(image_bytes(5, 5))
    context = tool_context(tmp_path)

    async def scenario() -> ToolResult:
        first = await call(Read(), context, file_path="a.png")
        return await call(Read(), after(context, first), file_path="a.png")

    structured = asyncio.run(scenario()).structured
    assert isinstance(structured, dict)
    assert structured["type"] == "file_unchanged"


def test_decoding_leaves_the_loop_free(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(image_bytes(4000, 4000))

    async def scenario() -> int:
        work = asyncio.ensure_future(call(Read(), tool_context(tmp_path), file_path="a.png"))
        ticks = 0
        while not work.done():
            await asyncio.sleep(0.005)
            ticks += 1
        return ticks

    assert asyncio.run(scenario()) > 5
