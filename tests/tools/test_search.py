"""Grep and Glob answer the same whichever program searches."""

import asyncio
import os
import shutil
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hames.system.types import JsonObject
from hames.tools.base import ToolError, ToolResult
from hames.tools.context import ToolContext
from hames.tools.glob import Glob
from hames.tools.grep import Grep
from hames.tools.ripgrep import search_program
from support.processes import alive, left_after
from support.shell_context import shell_context

BUNDLED = Path(sys.executable).parent / "rg"


@pytest.fixture(params=["rg on PATH", "rg of the wheel", "stand-in"])
def env(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """An environment in which one of the three programs is found."""
    programs = tmp_path / "programs"
    programs.mkdir()
    match request.param:
        case "rg on PATH":
            (programs / "rg").symlink_to(BUNDLED)
            expected: tuple[str, ...] = (str(programs / "rg"),)
            switch = "0"
        case "rg of the wheel":
            expected = (str(BUNDLED),)
            switch = "1"
        case _:
            expected = (sys.executable, "-P", "-m", "hames.tools.pygrep")
            switch = "0"
    found = {"PATH": str(programs), "USE_BUILTIN_RIPGREP": switch}
    assert search_program(found) == expected
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project; every file has its own modification time, in the order written."""
    root = tmp_path / "work"
    files = {
        "a.py": "import os\nfoo = 1\n\nbar = foo\n",
        "src/b.py": "def foo():\n    return 'Foo'\n",
        "src/deep/c.ts": "let foo = 1;\r\nlet x = 2;\r\n",
        "src/deep/odd name;$(x).tsx": "foo\n",
        ".hidden/d.py": "foo hidden\n",
        "ignored.log": "foo ignored\n",
        "build/out.py": "foo built\n",
        "keep/build.py": "nothing\n",
        ".gitignore": "*.log\n/build/\n",
        ".git/config": "foo = git\n",
        "long.txt": f"{'x' * 2000}\nfoo {'y' * 2000}\n",
    }
    for number, (name, text) in enumerate(files.items()):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        os.utime(path, (1000 + number, 1000 + number))
    (root / "binary.bin").write_bytes(b"foo\0bar\n")
    (root / "utf16.txt").write_bytes("foo sixteen\n".encode("utf-16"))
    (root / "latin.txt").write_bytes(b"caf\xe9 foo\n")
    (root / "link.py").symlink_to("a.py")
    return root


def grep(ctx: ToolContext, pattern: str, **given: Any) -> ToolResult:
    tool = Grep()
    return asyncio.run(tool.run(tool.parse({"pattern": pattern, **given}), ctx))


def glob(ctx: ToolContext, pattern: str, **given: Any) -> ToolResult:
    tool = Glob()
    return asyncio.run(tool.run(tool.parse({"pattern": pattern, **given}), ctx))


def lines(result: ToolResult) -> list[str]:
    assert isinstance(result.structured, dict)
    found: str = result.structured["content"]
    return found.split("\n") if found else []


def names(result: ToolResult) -> list[str]:
    assert isinstance(result.structured, dict)
    found: list[str] = result.structured["filenames"]
    return found


FOO = [
    ".hidden/d.py",
    "a.py",
    "latin.txt",
    "long.txt",
    "src/b.py",
    "src/deep/c.ts",
    "src/deep/odd name;$(x).tsx",
    "utf16.txt",
]


def test_grep_lists_files_in_path_order_without_ignored_ones(
    root: Path, env: dict[str, str]
) -> None:
    assert grep(shell_context(root, env=env), "foo") == ToolResult(
        "\n".join([f"Found {len(FOO)} files", *FOO]),
        {
            "mode": "files_with_matches",
            "numFiles": len(FOO),
            "filenames": FOO,
            "totalFiles": len(FOO),
        },
    )


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"glob": "*.py"}, [".hidden/d.py", "a.py", "src/b.py"]),
        ({"glob": "*.{ts,tsx}"}, ["src/deep/c.ts", "src/deep/odd name;$(x).tsx"]),
        ({"glob": "src/**"}, FOO[4:7]),
        ({"glob": "!*.py"}, [*FOO[2:4], *FOO[5:]]),
        ({"type": "py"}, [".hidden/d.py", "a.py", "src/b.py"]),
        ({"path": "src"}, FOO[4:7]),
        ({"path": "src/deep", "glob": "*.ts"}, ["src/deep/c.ts"]),
        ({"path": "ignored.log"}, ["ignored.log"]),
        ({"path": ".git"}, [".git/config"]),
        ({"path": "keep"}, []),
    ],
)
def test_grep_narrows(given: JsonObject, found: list[str], root: Path, env: dict[str, str]) -> None:
    assert names(grep(shell_context(root, env=env), "foo", **given)) == found


@pytest.mark.parametrize(
    ("pattern", "given", "found"),
    [
        ("foo", {"path": "a.py"}, ["a.py:2:foo = 1", "a.py:4:bar = foo"]),
        ("foo", {"path": "a.py", "-n": False}, ["a.py:foo = 1", "a.py:bar = foo"]),
        ("foo$", {"path": "a.py"}, ["a.py:4:bar = foo"]),
        ("1;$", {"path": "src/deep/c.ts"}, ["src/deep/c.ts:1:let foo = 1;"]),
        (
            "foo",
            {"path": "src/b.py", "-i": True, "-o": True},
            ["src/b.py:1:foo", "src/b.py:2:Foo"],
        ),
        ("bar", {"path": "a.py", "-B": 1}, ["a.py-3-", "a.py:4:bar = foo"]),
        ("import", {"path": "a.py", "-A": 1}, ["a.py:1:import os", "a.py-2-foo = 1"]),
        (
            "import|bar",
            {"path": "a.py", "-C": 0, "-B": 1},
            ["a.py:1:import os", "--", "a.py-3-", "a.py:4:bar = foo"],
        ),
        ("= 1", {"path": "a.py", "context": 1}, ["a.py-1-import os", "a.py:2:foo = 1", "a.py-3-"]),
        ("os.foo", {"path": "a.py", "multiline": True}, ["a.py:1:import os", "a.py:2:foo = 1"]),
        ("os\nfoo", {"path": "a.py", "multiline": True}, ["a.py:1:import os", "a.py:2:foo = 1"]),
        ("os.foo", {"path": "a.py"}, []),
        ("sixteen", {}, ["utf16.txt:1:foo sixteen"]),
        ("caf", {}, ["latin.txt:1:caf\ufffd foo"]),
        ("[[:digit:]]+", {"path": "a.py", "-o": True}, ["a.py:2:1"]),
        ("-rf", {}, []),
        ("^$", {"path": "a.py"}, ["a.py:3:"]),
    ],
)
def test_grep_shows_lines(
    pattern: str, given: JsonObject, found: list[str], root: Path, env: dict[str, str]
) -> None:
    result = grep(shell_context(root, env=env), pattern, output_mode="content", **given)
    assert lines(result) == found
    assert result.content == ("\n".join(found) or "No matches found")


def test_grep_cuts_long_lines(root: Path, env: dict[str, str]) -> None:
    (line,) = lines(grep(shell_context(root, env=env), "foo y", output_mode="content"))
    assert line.startswith("long.txt:2:foo yyyy")
    assert line.endswith(" [... omitted end of long line]")
    assert len(line) < 600


def test_grep_counts_everything_whatever_the_page(root: Path, env: dict[str, str]) -> None:
    result = grep(shell_context(root, env=env), "foo", output_mode="count", head_limit=2, offset=1)
    assert result == ToolResult(
        "a.py:2\nlatin.txt:1\n9 matching lines in 8 files\n[2 to 3 of 8; more with offset 3]",
        {
            "mode": "count",
            "numFiles": 8,
            "filenames": ["a.py", "latin.txt"],
            "content": "a.py:2\nlatin.txt:1",
            "numMatches": 9,
            "appliedLimit": 2,
            "appliedOffset": 1,
        },
    )


@pytest.mark.parametrize("mode", ["content", "files_with_matches", "count"])
def test_grep_pages_add_up_to_the_whole(mode: str, root: Path, env: dict[str, str]) -> None:
    ctx = shell_context(root, env=env)
    key = "filenames" if mode == "files_with_matches" else "content"

    def entries(**page: int) -> list[str]:
        result = grep(ctx, "foo", output_mode=mode, **page)
        assert isinstance(result.structured, dict)
        return names(result) if key == "filenames" else lines(result)

    whole = entries(head_limit=0)
    assert [e for n in range(0, len(whole), 3) for e in entries(head_limit=3, offset=n)] == whole
    beyond = grep(ctx, "foo", output_mode=mode, offset=len(whole))
    assert beyond.content == "No entries at this offset"


def test_grep_tells_the_total_of_lines(root: Path, env: dict[str, str]) -> None:
    for number in range(30):
        (root / f"many{number:02}.txt").write_text("needle\n" * 30)
    result = grep(shell_context(root, env=env), "needle", output_mode="content", head_limit=5)
    assert isinstance(result.structured, dict)
    assert lines(result) == [f"many00.txt:{n}:needle" for n in range(1, 6)]
    assert (result.structured["totalLines"], result.structured["appliedLimit"]) == (900, 5)
    assert str(result.content).endswith("[1 to 5 of 900; more with offset 5]")


def test_denied_files_are_neither_shown_nor_counted(root: Path, env: dict[str, str]) -> None:
    secret = root / "src"
    ctx = shell_context(root, env=env, denied=lambda path: path.is_relative_to(secret))
    left = [name for name in FOO if not name.startswith("src/")]
    assert names(grep(ctx, "foo")) == left
    counted = grep(ctx, "foo", output_mode="count").structured
    assert isinstance(counted, dict)
    assert (counted["filenames"], counted["numMatches"]) == (left, 6)
    shown = grep(ctx, "foo", output_mode="content")
    assert isinstance(shown.structured, dict)
    assert (shown.structured["filenames"], shown.structured["totalLines"]) == (left, 6)
    found = glob(ctx, "**/*.py").structured
    assert isinstance(found, dict)
    assert str(root / "src/b.py") not in found["filenames"]
    assert found["totalMatches"] == len(found["filenames"])


@pytest.mark.parametrize(
    ("given", "diagnostic"),
    [
        ({"pattern": "("}, "regex parse error"),
        ({"pattern": "x", "glob": "["}, "error parsing glob '['"),
        ({"pattern": "x", "type": "nope"}, "unrecognized file type: nope"),
        ({"pattern": "a\nb"}, 'the literal "\\n" is not allowed in a regex'),
        ({"pattern": "x\0"}, "NUL byte"),
        ({"pattern": "x", "path": "a\0b"}, "NUL byte"),
        ({"pattern": "x", "path": "missing/dir"}, "missing/dir does not exist"),
    ],
)
def test_grep_says_what_is_wrong(
    given: JsonObject, diagnostic: str, root: Path, env: dict[str, str]
) -> None:
    with pytest.raises(ToolError, match=diagnostic.replace("\\", r"\\").replace("[", r"\[")):
        grep(shell_context(root, env=env), **given)


def test_a_named_binary_file_is_only_said_to_match(root: Path, env: dict[str, str]) -> None:
    result = grep(shell_context(root, env=env), "foo", path="binary.bin", output_mode="content")
    assert len(lines(result)) == 1
    assert lines(result)[0].startswith("binary.bin: binary file matches")


def test_hostile_names_and_lines_are_shown_as_text(root: Path, env: dict[str, str]) -> None:
    (root / "evil\x1b[31m.txt").write_text("needle \x1b]0;x\x07\n")
    result = grep(shell_context(root, env=env), "needle", output_mode="content")
    assert result.content == "evil\\x1b[31m.txt:1:needle \\x1b]0;x\\x07"
    assert glob(shell_context(root, env=env), "evil*").content == f"{root}/evil\\x1b[31m.txt"


def test_the_working_directory_decides_how_paths_are_shown(root: Path, env: dict[str, str]) -> None:
    ctx = shell_context(root, cwd=root / "src", env=env)
    assert names(grep(ctx, "foo", glob="*.py")) == ["b.py"]
    assert names(grep(ctx, "import", path="..")) == [str(root / "a.py")]


@pytest.mark.parametrize(
    ("pattern", "given", "found"),
    [
        ("*.py", {}, ["a.py"]),
        ("**/*.py", {}, ["keep/build.py", "build/out.py", ".hidden/d.py", "src/b.py", "a.py"]),
        ("src/*.py", {}, ["src/b.py"]),
        ("src/**", {}, ["src/deep/odd name;$(x).tsx", "src/deep/c.ts", "src/b.py"]),
        ("src/**/*.{ts,tsx}", {}, ["src/deep/odd name;$(x).tsx", "src/deep/c.ts"]),
        ("*.py", {"path": "src"}, ["src/b.py"]),
        ("./a.p?", {}, ["a.py"]),
        ("[ab].py", {}, ["a.py"]),
        ("a.py", {}, ["a.py"]),
        ("../work/a.*", {}, ["../work/a.py"]),
        ("**/config", {}, []),
        (".git/*", {}, [".git/config"]),
        ("nowhere/**", {}, []),
        ("**/*.log", {}, ["ignored.log"]),
    ],
)
def test_glob_finds_files_newest_first(
    pattern: str, given: JsonObject, found: list[str], root: Path, env: dict[str, str]
) -> None:
    result = glob(shell_context(root, env=env), pattern, **given)
    assert isinstance(result.structured, dict)
    expected = [f"{root}/{name}" for name in found]
    assert {**result.structured, "durationMs": 0} == {
        "durationMs": 0,
        "numFiles": len(found),
        "filenames": expected,
        "truncated": False,
        "totalMatches": len(found),
        "countIsComplete": True,
    }
    assert result.content == ("\n".join(expected) or "No files found")


def test_glob_takes_absolute_patterns(root: Path, env: dict[str, str]) -> None:
    ctx = shell_context(root, cwd=root / "src", env=env)
    assert names(glob(ctx, f"{root}/*.py")) == [f"{root}/a.py"]


def test_glob_honours_its_switches(root: Path, env: dict[str, str]) -> None:
    ctx = shell_context(root, env={**env, "CLAUDE_CODE_GLOB_NO_IGNORE": "false"})
    assert f"{root}/build/out.py" not in names(glob(ctx, "**/*.py"))
    ctx = shell_context(root, env={**env, "CLAUDE_CODE_GLOB_HIDDEN": "false"})
    assert f"{root}/.hidden/d.py" not in names(glob(ctx, "**/*.py"))


def test_glob_shows_the_newest_hundred(root: Path, env: dict[str, str]) -> None:
    for number in range(130):
        (root / f"n{number:03}.md").touch()
        os.utime(root / f"n{number:03}.md", (5000 + number, 5000 + number))
    result = glob(shell_context(root, env=env), "*.md")
    assert isinstance(result.structured, dict)
    assert names(result) == [f"{root}/n{number:03}.md" for number in range(129, 29, -1)]
    assert (result.structured["truncated"], result.structured["totalMatches"]) == (True, 130)
    assert str(result.content).endswith(
        "[The newest 100 of 130 files. Narrow the pattern or path for others.]"
    )


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"pattern": "a\0"}, "NUL byte"),
        ({"pattern": "*", "path": "a\0"}, "NUL byte"),
        ({"pattern": "*", "path": "missing"}, "does not exist"),
        ({"pattern": "*", "path": "a.py"}, "is a file"),
        ({"pattern": "*/../x"}, "only at the start"),
        ({"pattern": "/"}, "names no file"),
        ({"pattern": "[a"}, "unclosed character class"),
    ],
)
def test_glob_says_what_is_wrong(
    given: JsonObject, text: str, root: Path, env: dict[str, str]
) -> None:
    with pytest.raises(ToolError, match=text):
        glob(shell_context(root, env=env), **given)


def slow_program(folder: Path, script: str) -> dict[str, str]:
    folder.mkdir()
    (folder / "rg").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "rg").chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.mark.fault
def test_a_search_that_takes_too_long_gives_what_it_found(root: Path, tmp_path: Path) -> None:
    env = slow_program(tmp_path / "slow", r"printf './a.py\0'; sleep 60")
    env["CLAUDE_CODE_GLOB_TIMEOUT_SECONDS"] = "0.3"
    result = glob(shell_context(root, env=env), "*.py")
    assert isinstance(result.structured, dict)
    assert names(result) == [f"{root}/a.py"]
    assert (result.structured["truncated"], result.structured["countIsComplete"]) == (True, False)
    assert "Ended early" in str(result.content)


@pytest.mark.fault
def test_a_cancelled_search_ends_its_program(root: Path, tmp_path: Path) -> None:
    mark = f"1{uuid.uuid4().int % 10**9:09}"
    env = slow_program(tmp_path / "slow", f"sleep {mark}; sleep {mark}")

    async def work() -> None:
        tool = Grep()
        ctx = shell_context(root, env=env)
        task = asyncio.create_task(tool.run(tool.parse({"pattern": "x"}), ctx))
        while not alive(mark):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    assert left_after(mark) == []


@pytest.mark.fault
@pytest.mark.parametrize(
    ("mode", "limit", "output"),
    [
        ("files_with_matches", 3, b"./folder/%d" + b"x" * 60 + b"\0"),
        ("count", 3, b"./folder/%d" + b"x" * 60 + b"\x0012\n"),
        ("content", 3, b"./folder/%d" + b"x" * 60 + b"\x001:foo\n2-bar\n\n"),
        ("content", 0, b"%d:foo" + b"x" * 60 + b"\n"),
    ],
)
def test_a_flood_of_results_ends_the_search(
    mode: str, limit: int, output: bytes, root: Path, tmp_path: Path
) -> None:
    many = f"b''.join({output!r} % n for n in range(10000))"
    flood = f"import sys; many = {many}\nwhile True: sys.stdout.buffer.write(many)"
    start = r"printf './a.py\000'" if output.startswith(b"%d:") else ":"
    env = slow_program(tmp_path / "flood", f'{start}; exec {sys.executable} -c "{flood}"')
    result = grep(shell_context(root, env=env), "foo", output_mode=mode, head_limit=limit)
    assert isinstance(result.structured, dict)
    assert "totalLines" not in result.structured
    assert "totalFiles" not in result.structured
    if limit:
        assert len(result.content) < 2_000


def test_a_relative_program_of_the_project_is_never_run(
    root: Path, run_here: Callable[[Path], None]
) -> None:
    shutil.copy(BUNDLED, root / "rg")
    run_here(root)
    assert search_program({"PATH": ".:"})[0] == str(BUNDLED)


@pytest.fixture
def run_here(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    return monkeypatch.chdir


def test_the_options_of_grep_are_spelt_as_ripgrep_spells_them() -> None:
    properties = Grep.input_model.model_json_schema(by_alias=True)["properties"]
    assert set(properties) == {
        "pattern", "path", "glob", "type", "output_mode", "-i", "-n", "-o", "-A", "-B", "-C",
        "context", "head_limit", "offset", "multiline",
    }  # fmt: skip
