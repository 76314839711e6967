"""Write makes files as the user would, and replaces only what the model knows."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from hames.tools.base import ToolError, ToolResult
from hames.tools.context import ToolContext
from hames.tools.effects import ReadState
from hames.tools.read import Read
from hames.tools.read_mark import ReadMark
from hames.tools.write import Write
from support.tool_context import after, call, everywhere, marked, tool_context


def write(context: ToolContext, path: Path | str, content: str) -> ToolResult:
    return asyncio.run(call(Write(), context, file_path=str(path), content=content))


def refused(context: ToolContext, path: Path, content: str = "new") -> str:
    with pytest.raises(ToolError) as caught:
        write(context, path, content)
    return str(caught.value)


def known(folder: Path, name: str, data: bytes) -> tuple[Path, ToolContext]:
    """A file, and the context of a model that has read all of it."""
    path = folder / name
    path.write_bytes(data)
    context = tool_context(folder)
    return path, after(context, asyncio.run(call(Read(), context, file_path=str(path))))


def test_a_new_file_and_its_folders_are_made(tmp_path: Path) -> None:
    old = os.umask(0o027)
    result = write(tool_context(tmp_path), "new/deep/file.txt", "a\nb\n")
    os.umask(old)
    path = tmp_path / "new" / "deep" / "file.txt"
    info = path.stat()
    assert path.read_bytes() == b"a\nb\n"
    assert stat.S_IMODE(info.st_mode) == 0o640
    assert result == ToolResult(
        f"Created {path} (2 lines).",
        {
            "type": "create",
            "filePath": str(path),
            "content": "a\nb\n",
            "structuredPatch": [],
            "originalFile": None,
            "userModified": False,
        },
        (ReadState(ReadMark(path, info.st_mtime_ns, info.st_size, full=True)),),
    )


def test_a_known_file_is_replaced(tmp_path: Path) -> None:
    path, context = known(tmp_path, "run.sh", b"a\nb\n")
    path.chmod(0o755)
    result = write(context, path, "a\nc\n")
    assert path.read_bytes() == b"a\nc\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert result.content == f"Replaced {path} (2 lines)."
    assert result.structured == {
        "type": "update",
        "filePath": str(path),
        "content": "a\nc\n",
        "structuredPatch": [
            {
                "oldStart": 1,
                "oldLines": 2,
                "newStart": 1,
                "newLines": 2,
                "lines": [" a", "-b", "+c"],
            }
        ],
        "originalFile": "a\nb\n",
        "userModified": False,
    }


@pytest.mark.parametrize(
    ("data", "content", "written"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\r\n", b"x\r\ny\r\n"),
        (b"\xef\xbb\xbfa", "b", b"\xef\xbb\xbfb"),
        (b"\xff\xfea\x00", "ü", b"\xff\xfe\xfc\x00"),
        (b"caf\xe9\n", "caf\xe9s\n", b"caf\xe9s\n"),
        (b"caf\xe9\n", "→\n", "→\n".encode()),
        (b"a\n", "", b""),
        (b"a\n", "\ud83d\ude42", "🙂".encode()),
    ],
)
def test_encoding_and_line_ends_of_the_old_file_are_kept(
    tmp_path: Path, data: bytes, content: str, written: bytes
) -> None:
    path, context = known(tmp_path, "file", data)
    write(context, path, content)
    assert path.read_bytes() == written


# Whether the model may replace: what it knows x whether a read would need no prompt.
@pytest.mark.parametrize(
    ("name", "knowledge", "readable", "message"),
    [
        ("a.py", "all", False, None),
        ("a.py", "none", True, None),
        ("a.py", "none", False, "has not been read"),
        ("a.py", "page", True, "Only a part of"),
        ("a.py", "page", False, "Only a part of"),
        ("a.py", "stale", True, "has changed since"),
        ("a.py", "stale", False, "has changed since"),
        ("a.ipynb", "none", True, "has not been read"),
        ("a.ipynb", "all", False, None),
    ],
)
def test_only_what_is_known_is_replaced(
    tmp_path: Path, name: str, knowledge: str, readable: bool, message: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    context = tool_context(tmp_path, **({"may_read": everywhere} if readable else {}))
    if knowledge != "none":
        context = marked(context, path, full=knowledge != "page")
    if knowledge == "stale":
        path.write_bytes(b"changed")
    before = path.read_bytes()
    if message is None:
        write(context, path, "new")
        assert path.read_bytes() == b"new"
    else:
        assert message in refused(context, path)
        assert path.read_bytes() == before


@pytest.mark.parametrize("target", ["file", "missing"])
def test_a_link_is_refused_and_its_target_named(tmp_path: Path, target: str) -> None:
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    context = tool_context(tmp_path, may_read=everywhere)
    assert f"is a link to {tmp_path}/{target}" in refused(context, tmp_path / "link")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "is a directory, not a file"),
        ("fifo", "is a FIFO, not a file"),
        ("file/below", "is a file, so nothing can be put below it"),
        ("x" * 300, "name too long"),
        ("/proc/self/environ", "refused"),
        ("/dev/null", "is a character device"),
    ],
)
def test_what_cannot_be_written_is_one_clear_error(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "fifo")
    context: ToolContext = tool_context(tmp_path, may_read=everywhere)
    assert message in refused(context, tmp_path / name)


@pytest.mark.parametrize("given", [{"file_path": "a"}, {"file_path": "a", "content": 1}])
def test_bad_input_is_refused_by_field(given: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="`content`"):
        Write().parse(given)
