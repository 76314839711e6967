"""Read shows what is there, says what is not, and never waits for or loads all of anything."""

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hames.tools.base import ToolError, ToolResult
from hames.tools.effects import ReadState
from hames.tools.read import Read
from hames.tools.read_mark import ReadMark
from support.patience import bound
from support.tool_context import after, call, tool_context


def read(folder: Path, name: str, **options: object) -> str:
    env = {"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": str(options.pop("tokens", ""))}
    result = asyncio.run(call(Read(), tool_context(folder, env=env), file_path=name, **options))
    assert isinstance(result.content, str)
    return result.content


def refused(folder: Path, name: str, **options: object) -> str:
    with pytest.raises(ToolError) as caught:
        read(folder, name, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"one\ntwo\n", "1\tone\n2\ttwo"),
        (b"one\r\ntwo", "1\tone\n2\ttwo"),
        (b"one\rtwo\r", "1\tone\n2\ttwo"),
        (b"\n", "1\t"),
        (b"\xef\xbb\xbfbom\n", "1\tbom"),
        (b"\xff\xfe" + "wide ä\r\n".encode("utf-16-le"), "1\twide ä"),
        ("größe".encode("latin-1"), "1\tgröße"),
        ("你好，世界。这是测试\n".encode("gbk"), "1\t你好，世界。这是测试"),
        ("ok ✓ ".encode() + b"\xff\n", "1\tok ✓ \ufffd"),
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            "1\t<svg xmlns='http://www.w3.org/2000/svg'/>",
        ),
    ],
)
def test_text_comes_as_numbered_lines(tmp_path: Path, data: bytes, shown: str) -> None:
    (tmp_path / "file").write_bytes(data)
    assert read(tmp_path, "file") == shown


def test_the_structured_output_is_the_public_one(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"a\nb\nc\n")
    info = path.stat()
    result = asyncio.run(call(Read(), tool_context(tmp_path), file_path="file.txt", offset=2))
    assert result.structured == {
        "type": "text",
        "file": {
            "filePath": str(path),
            "content": "b\nc\n",
            "numLines": 2,
            "startLine": 2,
            "totalLines": 3,
        },
    }
    assert result.effects == (
        ReadState(ReadMark(path, info.st_mtime_ns, info.st_size, full=False, offset=2)),
    )


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"offset": 2, "limit": 1}, "2\tb\n\nNotice: lines 2-2 of 4. Go on with offset=3."),
        ({"offset": 0, "limit": 9}, "1\ta\n2\tb\n3\tc\n4\td"),
        ({"offset": 4}, "4\td"),
        ({"offset": 5}, "Notice: {path} has 4 lines; there is no line 5."),
        (
            {"offset": 10**9, "limit": 10**9},
            "Notice: {path} has 4 lines; there is no line 1000000000.",
        ),
    ],
)
def test_a_window_is_shown(tmp_path: Path, options: dict[str, object], shown: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\nb\nc\nd")
    assert read(tmp_path, "file", **options) == shown.format(path=path)


def test_an_empty_file_is_a_notice(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert read(tmp_path, "file") == f"Notice: {tmp_path}/file exists but is empty."


def test_two_thousand_lines_are_shown_by_default(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x\n" * 2001, encoding="utf-8")
    shown = read(tmp_path, "file")
    assert shown.endswith("2000\tx\n\nNotice: lines 1-2000 of 2001. Go on with offset=2001.")


def test_a_whole_read_over_the_token_cap_is_a_partial_view(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("123456\n" * 10, encoding="utf-8")
    context = tool_context(tmp_path, env={"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "8"})
    result = asyncio.run(call(Read(), context, file_path="file"))
    assert result.content == (
        "1\t123456\n2\t123456\n3\t123456\n4\t123456\n\n"
        "PARTIAL view: lines 1-4 of 10. Go on with offset=5."
    )
    assert isinstance(result.structured, dict)
    assert result.structured["file"]["truncatedByTokenCap"] is True
    (effect,) = result.effects
    assert isinstance(effect, ReadState)
    assert not effect.mark.full


def test_a_window_over_the_token_cap_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("123456\n" * 10, encoding="utf-8")
    assert "exceed 8 tokens. Ask for fewer with `limit`" in refused(
        tmp_path, "file", limit=9, tokens=8
    )


def test_long_lines_are_cut(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("🙂" * 2001 + "\nshort\n", encoding="utf-8")
    assert read(tmp_path, "file") == (
        f"1\t{'🙂' * 2000} [line cut]\n2\tshort\n\nNotice: lines cut because of their length: 1."
    )


def test_an_unchanged_file_is_not_sent_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\nb\n")
    tool, context = Read(), tool_context(tmp_path)

    async def scenario() -> list[str]:
        kinds: list[str] = []
        now = context
        for options in ({}, {}, {"limit": 1}, {}, {"offset": 1}):
            result = await call(tool, now, file_path="file", **options)
            assert isinstance(result.structured, dict)
            kinds.append(result.structured["type"])
            now = after(now, result)
        path.write_bytes(b"a\nb\nc\n")
        result = await call(tool, now, file_path="file")
        assert isinstance(result.structured, dict)
        return [*kinds, result.structured["type"]]

    assert asyncio.run(scenario()) == [
        "text",
        "file_unchanged",
        "text",
        "file_unchanged",
        "text",
        "text",
    ]


def test_a_page_is_not_sent_again_either_but_a_partial_view_is(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"123456\n" * 10)
    tool = Read()
    context = tool_context(tmp_path, env={"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS": "8"})

    async def scenario() -> list[str]:
        kinds: list[str] = []
        for options in ({"offset": 2, "limit": 2}, {}):
            now = after(context, await call(tool, context, file_path="file", **options))
            again = await call(tool, now, file_path="file", **options)
            assert isinstance(again.structured, dict)
            kinds.append(again.structured["type"])
        return kinds

    assert asyncio.run(scenario()) == ["file_unchanged", "text"]


def test_a_memory_file_loaded_at_start_counts_as_read(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"be kind\n")
    info = path.stat()
    mark = ReadMark(path, info.st_mtime_ns, info.st_size, full=True, seeded=True)
    context = after(tool_context(tmp_path), ToolResult("", "", effects=(ReadState(mark),)))
    result = asyncio.run(call(Read(), context, file_path=str(path)))
    assert result.structured == {
        "type": "file_unchanged",
        "file": {"filePath": str(path)},
        "source": "seeded",
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "The path is empty."),
        ("a\0b", "The path holds a NUL character."),
        ("C:\\Users\\a.txt", "is a Windows path"),
        ("\\\\server\\share", "is a Windows path"),
        (
            "missing.py",
            "File does not exist: {folder}/missing.py (the working directory is",
        ),
        ("README.MD", "Did you mean {folder}/readme.md?"),
        ("readme.txt", "Did you mean {folder}/readme.md?"),
        ("readme.md/deeper", "readme.md/deeper"),
        ("folder", "{folder}/folder is a directory, not a file. List it with `ls`"),
        ("fifo", "{folder}/fifo is a FIFO, not a file."),
        ("loop", "loop"),
        ("binary", "{folder}/binary is a binary file."),
        ("/dev/zero", "/dev/zero is a character device, not a file."),
        ("/dev/stdin", "refused"),
        ("/dev/fd/0", "refused"),
        ("/proc/self/environ", "refused"),
        ("/proc/1/task/1/environ", "refused"),
        ("/proc/self/mem", "refused"),
        ("/proc/self/fd/0", "refused"),
        ("link-to-environ", "refused"),
        ("x" * 300, "name too long"),
    ],
)
@pytest.mark.fault
def test_what_cannot_be_read_is_one_clear_error(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "readme.md").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "link-to-environ").symlink_to("/proc/self/environ")
    (tmp_path / "binary").write_bytes(b"\x7fELF\x00\x01\x02")
    os.mkfifo(tmp_path / "fifo")
    assert message.format(folder=tmp_path) in refused(tmp_path, name)


@pytest.mark.parametrize(
    "given", [{}, {"file_path": 3}, {"file_path": "a", "limit": 0}, {"file_path": "a", "more": 1}]
)
def test_bad_input_is_refused_by_field(given: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="InputValidationError: Read failed"):
        Read().parse(given)


def test_home_and_relative_paths_are_made_absolute(tmp_path: Path) -> None:
    (tmp_path / "home" / "note").write_bytes(b"at home")
    (tmp_path / "work" / "note").write_bytes(b"at work")
    assert read(tmp_path / "work", "~/note") == "1\tat home"
    assert read(tmp_path / "work", "../work/./note") == "1\tat work"
    (tmp_path / "linked").symlink_to("work")
    assert read(tmp_path, "linked/note") == "1\tat work"


LARGE = """
import asyncio, sys, time
from pathlib import Path
from support.tool_context import call, tool_context
from hames.tools.read import Read
path, offset = sys.argv[1], int(sys.argv[2])
started = time.process_time()
options = {"offset": offset, "limit": 5} if offset else {}
result = asyncio.run(call(Read(), tool_context(Path("/")), file_path=path, **options))
seconds = time.process_time() - started
# Not ru_maxrss: that begins at the peak of the parent, which is all of pytest.
print(seconds, Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
print(result.structured["file"]["totalLines"], result.structured["file"]["startLine"])
"""


def read_large(path: Path, offset: int = 0) -> tuple[float, int, list[int]]:
    """CPU seconds, peak RSS in MiB, and total and first line of a Read in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(path), str(offset)],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    cost, lines = done.stdout.splitlines()
    seconds, rss = cost.split()
    return float(seconds), int(rss) // 1024, [int(n) for n in lines.split()]


@pytest.mark.fault
@pytest.mark.parametrize("offset", [0, 900_000])
def test_a_file_of_fifty_megabytes_is_read_in_passing(tmp_path: Path, offset: int) -> None:
    path = tmp_path / "large.log"
    path.write_bytes(b"2026-11-30 12:00:00 an ordinary line of a log file\n" * 1_000_000)
    seconds, rss, lines = read_large(path, offset)
    assert lines == [1_000_000, offset or 1]
    assert rss < 120
    assert seconds < bound(0.1)


@pytest.mark.fault
def test_a_window_far_inside_a_huge_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "huge.log"
    with path.open("wb") as file:
        file.write(b"first\n" * 2000)
        file.seek(600 << 20)
        file.write(b"\nsecond\nthird\n")
    _, rss, lines = read_large(path, 2002)
    assert lines == [2003, 2002]
    assert rss < 120


@pytest.mark.fault
def test_one_line_of_a_hundred_megabytes_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "line"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * (1 << 20))
    _, rss, lines = read_large(path)
    assert lines == [1, 1]
    assert rss < 120
    assert read(tmp_path, "line") == (
        f"1\t{'x' * 2000} [line cut]\n\nNotice: lines cut because of their length: 1."
    )


@pytest.mark.fault
def test_a_file_that_grows_is_read_as_far_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "growing"
    path.write_bytes(b"start\n")
    stop = threading.Event()

    def grow() -> None:
        with path.open("ab") as file:
            while not stop.is_set():
                file.write(b"more\n" * 1000)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        shown = [read(tmp_path, "growing", limit=1) for _ in range(5)]
    finally:
        stop.set()
        writer.join(10)
    assert all(text.startswith("1\tstart") for text in shown)


def test_files_that_state_no_size_are_read(tmp_path: Path) -> None:
    assert "MemTotal" in read(tmp_path, "/proc/meminfo")


def test_parallel_reads_are_safe(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / str(number)).write_text(f"{number}\n" * 500, encoding="utf-8")
    tool, context = Read(), tool_context(tmp_path)

    async def scenario() -> list[object]:
        calls = (call(tool, context, file_path=str(n)) for n in range(20))
        return [result.content for result in await asyncio.gather(*calls)]

    for number, content in enumerate(asyncio.run(scenario())):
        assert isinstance(content, str)
        assert {line.split("\t")[1] for line in content.splitlines()} == {str(number)}
    assert tool.parallel_safe(tool.parse({"file_path": "0"}))
