"""Imports: hops, circles, approval, odd files; comments and code are respected."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.settings.memory import load_memory
from hames.settings.memory_files import ImportRequest, MemoryRequest
from hames.settings.memory_text import mentions, without_comments
from hames.settings.repository import Repository


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "work"


@pytest.fixture
def request_(tmp_path: Path, project: Path) -> MemoryRequest:
    return MemoryRequest(project, tmp_path / "home", tmp_path / "home" / ".claude")


def texts(request: MemoryRequest) -> list[str]:
    return [f.text.strip() for f in load_memory(request).files]


def test_four_hops_and_no_more(project: Path, request_: MemoryRequest) -> None:
    (project / "CLAUDE.md").write_text("@1.md")
    for n in range(1, 7):
        (project / f"{n}.md").write_text(f"@{n + 1}.md")
    memory = load_memory(request_)
    assert [f.path.name for f in memory.files] == ["CLAUDE.md", "1.md", "2.md", "3.md", "4.md"]
    assert [f.parent and f.parent.name for f in memory.files][-1] == "3.md"
    assert ["more than 4 files deep" in p.text for p in memory.problems] == [True]


def test_circles_end(project: Path, request_: MemoryRequest) -> None:
    (project / "CLAUDE.md").write_text("@a.md @CLAUDE.md")
    (project / "a.md").write_text("@b.md @a.md")
    (project / "b.md").write_text("@a.md @CLAUDE.md end")
    memory = load_memory(request_)
    assert [f.path.name for f in memory.files] == ["CLAUDE.md", "a.md", "b.md"]
    assert memory.problems == ()


def test_spellings(tmp_path: Path, project: Path, request_: MemoryRequest) -> None:
    (tmp_path / "home" / "mine.md").write_text("home")
    (tmp_path / "home" / ".claude").mkdir()
    (project / "docs").mkdir()
    for name in ("README", "docs/a b.md", "docs/c.md", "d.md"):
        (project / name).write_text(name)
    (project / "CLAUDE.md").write_text(
        f"See @README. Then (@docs/c.md), @docs/a\\ b.md and @{project}/d.md\na@README\n@docs\n"
    )
    assert texts(request_)[1:] == ["README", "docs/c.md", "docs/a b.md", "d.md"]
    (tmp_path / "home" / ".claude" / "CLAUDE.md").write_text("@~/mine.md @/etc/hostname-none")
    assert texts(request_)[:2] == ["@~/mine.md @/etc/hostname-none", "home"]


def test_missing_and_directories_stay_text(project: Path, request_: MemoryRequest) -> None:
    (project / "dir").mkdir()
    (project / "CLAUDE.md").write_text("ask @alice about @dir and @missing.md")
    memory = load_memory(request_)
    assert [f.text for f in memory.files] == ["ask @alice about @dir and @missing.md"]
    assert (memory.problems, memory.imports) == ((), ())


def test_odd_files_are_named_and_the_rest_loads(project: Path, request_: MemoryRequest) -> None:
    (project / "pic.png").write_bytes(b"\x89PNG\0\0")
    with (project / "huge.md").open("wb") as file:
        file.truncate(5 << 20)
    (project / "loop.md").symlink_to(project / "loop.md")
    (project / "fine.md").write_text("fine")
    (project / "CLAUDE.md").write_text("@pic.png @huge.md @loop.md @fine.md")
    memory = load_memory(request_)
    assert [f.path.name for f in memory.files] == ["CLAUDE.md", "fine.md"]
    assert [p.path.name for p in memory.problems] == ["pic.png", "huge.md"]


def test_a_huge_claude_md_is_skipped_with_a_name(project: Path, request_: MemoryRequest) -> None:
    (project / "CLAUDE.md").write_text("x" * (5 << 20))
    memory = load_memory(request_)
    assert memory.files == ()
    assert [str(p) for p in memory.problems] == [
        f"{project / 'CLAUDE.md'}: is larger than 4 MiB and was skipped"
    ]


@pytest.mark.parametrize("answer", ["ask", "allow", "deny"])
def test_outside_files_need_an_approval(
    tmp_path: Path, project: Path, request_: MemoryRequest, answer: str
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    (project / "inner.md").symlink_to(outside)
    (project / "CLAUDE.md").write_text("@../outside.md and @../outside.md and @inner.md")
    choice = replace(request_, outside="allow" if answer == "allow" else "ask")
    if answer == "deny":
        choice = replace(request_, outside="deny")
    memory = load_memory(choice)
    asked = (
        ImportRequest(outside, project / "CLAUDE.md"),
        ImportRequest(project / "inner.md", project / "CLAUDE.md"),
    )
    assert memory.imports == (asked if answer == "ask" else ())
    assert [f.text for f in memory.files][1:] == (["secret"] if answer == "allow" else [])


def test_the_repository_of_the_working_directory_is_not_outside(
    project: Path, request_: MemoryRequest
) -> None:
    sub = project / "sub"
    sub.mkdir()
    (project / "docs.md").write_text("docs")
    (sub / "CLAUDE.md").write_text("@../docs.md")
    inside = replace(request_, cwd=sub)
    assert len(load_memory(inside).imports) == 1
    git = project / ".git"
    known = replace(inside, repository=Repository(project, git, git, project))
    assert [f.text for f in load_memory(known).files] == ["@../docs.md", "docs"]


def test_user_files_import_from_anywhere(tmp_path: Path, request_: MemoryRequest) -> None:
    (tmp_path / "x.md").write_text("x")
    config = tmp_path / "home" / ".claude"
    config.mkdir()
    (config / "CLAUDE.md").write_text("@../../x.md")
    assert texts(request_) == ["@../../x.md", "x"]


def test_the_number_of_imports_is_bounded(project: Path, request_: MemoryRequest) -> None:
    for n in range(510):
        (project / f"{n}.md").write_text("x")
    (project / "CLAUDE.md").write_text(" ".join(f"@{n}.md" for n in range(510)))
    memory = load_memory(request_)
    assert len(memory.files) == 501
    assert len(memory.problems) == 10


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@a", [("a",)]),
        ("- @a/b.md, x", [("a/b.md,", "a/b.md")]),
        ("`@a` ``x ` @b`` @c", [("c",)]),
        ("```\n@a\n```\n@b", [("b",)]),
        ("~~~~\n@a\n~~~\n@b\n~~~~\n@c", [("c",)]),
        ("```x`y\n@a", [("a",)]),
        ("lone ` @a\n\nnext ` @b", [("a",), ("b",)]),
        ("a `span\nover @x` lines @y", [("y",)]),
        ("me@x.org foo/@scope/x \\@no", []),
        ("@a @a", [("a",)]),
        ("```\n@never closed", []),
    ],
)
def test_mentions(text: str, expected: list[tuple[str, ...]]) -> None:
    assert mentions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n<!-- x -->\nb", "a\nb"),
        ("<!-- x\ny\n--> tail\nb", "tail\nb"),
        ("a <!-- inline --> b", "a <!-- inline --> b"),
        ("```\n<!-- code -->\n```", "```\n<!-- code -->\n```"),
        ("    <!-- indented code -->", "    <!-- indented code -->"),
        ("<!-- never closed\nrest", "<!-- never closed\nrest"),
        ("<!-- a -->\n<!-- b\n", "<!-- b\n"),
        ("<!-- ``` -->\n@x", "@x"),
    ],
)
def test_block_comments(text: str, expected: str) -> None:
    assert without_comments(text) == expected


def test_a_comment_imports_nothing(project: Path, request_: MemoryRequest) -> None:
    (project / "a.md").write_text("a")
    (project / "CLAUDE.md").write_text("<!-- @a.md -->\nrest")
    assert texts(request_) == ["rest"]


def test_hostile_text_is_quick() -> None:
    without_comments("<!-- x\n" * 200_000)
    assert mentions("` " * 200_000 + "`` " * 100_000) == []


@pytest.mark.property
@given(st.text(alphabet="@`~a/.\n <!->", max_size=80))
def test_any_text_can_be_a_memory_file(text: str) -> None:
    stripped = without_comments(text)
    assert len(stripped) <= len(text)
    assert all(spellings for spellings in mentions(stripped))
