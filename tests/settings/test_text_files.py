"""Odd files are named problems, never crashes and never waits."""

import os
from pathlib import Path

from hames.settings.text_files import MAX_BYTES, Problem, markdown_files, read_optional, read_text


def test_text_is_normalised(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"\xef\xbb\xbfone\r\ntwo\rthree\xff\n")
    assert read_text(file) == "one\ntwo\nthree�\n"


def test_missing_is_none(tmp_path: Path) -> None:
    assert read_text(tmp_path / "none") is None
    (tmp_path / "file").write_text("x")
    assert read_text(tmp_path / "file" / "below") is None


def test_each_bad_file_is_a_named_problem(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "binary.md").write_bytes(b"MZ\0\0")
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    problems: list[Problem] = []
    names = ("pipe.md", "folder.md", "binary.md", "loop.md", "huge.md")
    for name in names:
        assert read_optional(tmp_path / name, problems) is None
    assert [p.path.name for p in problems] == list(names)
    assert "not a regular file" in str(problems[0])
    assert "larger than 4 MiB" in str(problems[4])
    assert isinstance(read_text(tmp_path / "a\0b"), Problem)


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * MAX_BYTES)
    text = read_text(tmp_path / "a")
    assert isinstance(text, str)
    assert len(text) == MAX_BYTES


def test_markdown_files_follow_links_once(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    (rules / "sub").mkdir(parents=True)
    (rules / "b.md").write_text("b")
    (rules / "sub" / "a.MD").write_text("a")
    (rules / "note.txt").write_text("no")
    (rules / "sub" / "circle").symlink_to(rules)
    (rules / "dangling.md").symlink_to(tmp_path / "gone")
    problems: list[Problem] = []
    found = [p.relative_to(rules).as_posix() for p in markdown_files(rules, problems)]
    assert found == ["b.md", "dangling.md", "sub/a.MD"]
    assert problems == []
    assert markdown_files(tmp_path / "none", problems) == []


def test_a_link_to_a_huge_tree_is_cut(tmp_path: Path) -> None:
    for number in range(1002):
        (tmp_path / "rules" / str(number)).mkdir(parents=True)
    problems: list[Problem] = []
    assert markdown_files(tmp_path / "rules", problems) == []
    assert len(problems) == 1
    assert "more than 1000 directories" in str(problems[0])
