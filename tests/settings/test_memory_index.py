"""The index of auto memory: where it lies, and how much of it is loaded."""

from pathlib import Path

import pytest

from hames.settings.memory_files import MemoryFile
from hames.settings.memory_index import MAX_INDEX_BYTES, load_index, over_limit
from hames.settings.memory_place import memory_directory, memory_enabled
from hames.settings.text_files import Problem

HOME = Path("/home/u")


@pytest.mark.parametrize(
    ("setting", "env", "expected"),
    [
        (None, {}, True),
        (False, {}, False),
        (False, {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "0"}, True),
        (True, {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}, False),
        (True, {"CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1"}, False),
    ],
)
def test_switches(setting: bool | None, env: dict[str, str], expected: bool) -> None:
    assert memory_enabled(setting, env) is expected


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ("", "/home/u/.claude/projects/-repo/memory"),
        ("~/notes", "/home/u/notes"),
        ("/srv/notes", "/srv/notes"),
        ("relative", "/home/u/.claude/projects/-repo/memory"),
    ],
)
def test_directory(configured: str, expected: str) -> None:
    found = memory_directory(HOME / ".claude/projects/-repo", configured, HOME)
    assert found == Path(expected)


def test_no_index(tmp_path: Path) -> None:
    assert load_index(tmp_path) is None
    (tmp_path / "MEMORY.md").write_text("<!-- only a comment -->\n")
    assert load_index(tmp_path) is None
    (tmp_path / "MEMORY.md").write_bytes(b"\0")
    assert isinstance(load_index(tmp_path), Problem)


def test_a_short_index_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("---\nmodified: x\n---\n- one\n<!-- c -->\n- two\n")
    assert load_index(tmp_path) == MemoryFile(file, "auto", "- one\n- two")


def test_header_and_comments_do_not_count(tmp_path: Path) -> None:
    header = "---\n" + "a: b\n" * 300 + "---\n"
    comments = "<!-- c -->\n" * 300
    text = header + comments + "- x\n" * 200
    assert not over_limit(text)
    assert over_limit(text + "- y\n")
    (tmp_path / "MEMORY.md").write_text(text + "- y\n- z\n")
    found = load_index(tmp_path)
    assert isinstance(found, MemoryFile)
    lines = found.text.split("\n")
    assert len(lines) == 201
    assert lines[-1].startswith("[MEMORY.md goes on: 2 more lines")


def test_bytes_are_cut_at_a_line_and_never_inside_a_character(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("é" * 400 + "\n" + "ü" * MAX_INDEX_BYTES, "utf-8")
    found = load_index(tmp_path)
    assert isinstance(found, MemoryFile)
    assert found.text.startswith("é" * 400 + "\n[MEMORY.md goes on")
    (tmp_path / "MEMORY.md").write_text("€" * MAX_INDEX_BYTES, "utf-8")
    found = load_index(tmp_path)
    assert isinstance(found, MemoryFile)
    assert found.text.count("€") == MAX_INDEX_BYTES // 3
