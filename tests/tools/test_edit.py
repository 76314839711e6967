"""An edit changes exactly its span, only where it is unmistakable, and only what is known."""

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.tools.base import ToolError, ToolResult
from hames.tools.context import ToolContext
from hames.tools.edit import Edit
from hames.tools.effects import ReadState
from hames.tools.read import Read
from hames.tools.read_mark import ReadMark
from support.tool_context import after, call, everywhere, marked, tool_context


def edit(
    context: ToolContext, path: Path, old: str, new: str, *, replace_all: bool = False
) -> ToolResult:
    given = {"file_path": str(path), "old_string": old, "new_string": new}
    return asyncio.run(call(Edit(), context, **given, replace_all=replace_all))


def refused(context: ToolContext, path: Path, old: str, new: str, **options: Any) -> str:
    with pytest.raises(ToolError) as caught:
        edit(context, path, old, new, **options)
    return str(caught.value)


def known(folder: Path, name: str, data: bytes, **options: Any) -> tuple[Path, ToolContext]:
    """A file, and the context of a model that has read all of it."""
    path = folder / name
    path.write_bytes(data)
    context = tool_context(folder, **options)
    return path, after(context, asyncio.run(call(Read(), context, file_path=str(path))))


def test_one_occurrence_is_replaced(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file.py", b"a\nb\nc\n")
    result = edit(context, path, "b\n", "B\nB\n")
    info = path.stat()
    assert path.read_bytes() == b"a\nB\nB\nc\n"
    assert result == ToolResult(
        f"Edited {path} at line 2.",
        {
            "filePath": str(path),
            "oldString": "b\n",
            "newString": "B\nB\n",
            "originalFile": "a\nb\nc\n",
            "structuredPatch": [
                {
                    "oldStart": 1,
                    "oldLines": 3,
                    "newStart": 1,
                    "newLines": 4,
                    "lines": [" a", "-b", "+B", "+B", " c"],
                }
            ],
            "userModified": False,
            "replaceAll": False,
        },
        (ReadState(ReadMark(path, info.st_mtime_ns, info.st_size, full=True)),),
    )


@pytest.mark.parametrize(
    ("data", "old", "new", "written"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", b"a\r\nx\r\nb\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "a\r\nc", b"a\r\nc\r\n"),
        (b"a\rb\r", "a\nb", "a\nc", b"a\rc\r"),
        (b"a\r\nb\nc\n", "a\nb\nc", "a\nb\nd", b"a\r\nb\nd\n"),
        (b"two  \nspaces  \n", "two", "2", b"2  \nspaces  \n"),
        (b"no end", "end", "newline", b"no newline"),
        (b"\tx\n", "\tx", "\t\ty", b"\t\ty\n"),
        ("“a” b".encode(), "b", '"c"', '“a” "c"'.encode()),
        (b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n"),
        (
            b"\xff\xfe" + "aä\n".encode("utf-16-le"),
            "a",
            "o",
            b"\xff\xfe" + "oä\n".encode("utf-16-le"),
        ),
        (b"caf\xe9 x = 1\n", "x = 1", "x = 2", b"caf\xe9 x = 2\n"),
        (b"caf\xe9 x\n", "x", "é", b"caf\xe9 \xe9\n"),
        ("これはx\n".encode("shift_jis"), "は", "が", "これがx\n".encode("shift_jis")),
        (b"ok \xe2\x9c\x93 \xff x\n", "x", "y", b"ok \xe2\x9c\x93 \xff y\n"),
        (b"a\n", "a", "lone \ud83d", b"lone \xef\xbf\xbd\n"),
    ],
)
def test_all_other_bytes_stay(
    tmp_path: Path, data: bytes, old: str, new: str, written: bytes
) -> None:
    path, context = known(tmp_path, "file", data)
    edit(context, path, old, new)
    assert path.read_bytes() == written


def test_every_occurrence_is_replaced_on_request(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"x\r\nx\nx")
    result = edit(context, path, "x", "yy", replace_all=True)
    assert path.read_bytes() == b"yy\r\nyy\nyy"
    assert result.content == f"Replaced 3 occurrences in {path}, the first at line 1."


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x", "x", "are equal"),
        ("x", "y", "occurs 2 times in {path}. Add surrounding lines until it is unique"),
        ("absent", "y", "does not occur in {path}. Read the file again"),
        ("1\tx  =\t1", "y", "does without the line numbers"),
        ("x = 1", "y", "The text at line 1 differs only in white space."),
        ("x =\n\tx", "y", "does not occur"),
        ('say "hi"', "y", "Line 2 differs only in the kind of quotes."),
        ("", "y", "exists and is not empty"),
    ],
)
def test_what_does_not_match_is_explained(tmp_path: Path, old: str, new: str, message: str) -> None:
    path, context = known(tmp_path, "file", "x  =\t1\nsay “hi” x\n".encode())
    assert message.format(path=path) in refused(context, path, old, new)
    assert path.read_bytes() == "x  =\t1\nsay “hi” x\n".encode()


@pytest.mark.parametrize("existing", [None, b""])
def test_an_empty_old_string_makes_a_file(tmp_path: Path, existing: bytes | None) -> None:
    path = tmp_path / "new" / "file"
    if existing is not None:
        path.parent.mkdir()
        path.write_bytes(existing)
    result = edit(tool_context(tmp_path), path, "", "text\n")
    assert path.read_bytes() == b"text\n"
    assert isinstance(result.structured, dict)
    assert result.structured["originalFile"] == (None if existing is None else "")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "File does not exist" in refused(tool_context(tmp_path), tmp_path / "no", "a", "b")


# Whether the model may edit: what it knows x whether a read would need no prompt.
@pytest.mark.parametrize(
    ("name", "knowledge", "readable", "message"),
    [
        ("a.py", "all", False, None),
        ("a.py", "none", True, None),
        ("a.py", "none", False, "has not been read"),
        ("a.py", "page", True, None),
        ("a.py", "page", False, "Only a part of"),
        ("a.py", "stale", True, None),
        ("a.py", "stale", False, "has changed since"),
        ("a.ipynb", "none", True, "has not been read"),
        ("a.ipynb", "stale", True, "has changed since"),
        ("a.ipynb", "all", False, None),
    ],
)
def test_only_what_is_known_or_freely_readable_is_edited(
    tmp_path: Path, name: str, knowledge: str, readable: bool, message: str | None
) -> None:
    path = tmp_path / name
    path.write_bytes(b"a\nb\n")
    context = tool_context(tmp_path, **({"may_read": everywhere} if readable else {}))
    if knowledge != "none":
        context = marked(context, path, full=knowledge != "page")
    if knowledge == "stale":
        path.write_bytes(b"a\nb\nnew\n")
    if message is not None:
        assert message in refused(context, path, "b", "B")
        return
    result = edit(context, path, "b", "B")
    assert path.read_bytes().startswith(b"a\nB\n")
    assert ("other changes" in str(result.content)) == (knowledge == "stale")
    (effect,) = result.effects
    assert isinstance(effect, ReadState)
    assert effect.mark.full == (knowledge == "all")


def test_a_changed_file_is_edited_only_where_it_is_unmistakable(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"x\n", may_read=everywhere)
    path.write_bytes(b"x\nx\n")
    assert "has changed since" in refused(context, path, "x", "y", replace_all=True)


def test_overlapping_occurrences_are_ambiguous(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"aaa")
    assert "occurs 2 times" in refused(context, path, "aa", "b")


def test_edits_follow_each_other_without_a_new_read(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"a\n")
    context = after(context, edit(context, path, "a", "b"))
    context = after(context, edit(context, path, "b", "c"))
    assert path.read_bytes() == b"c\n"


def test_a_link_is_refused_and_its_target_named(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"a\n", may_read=everywhere)
    (tmp_path / "link").symlink_to("file")
    assert f"is a link to {path}" in refused(context, tmp_path / "link", "a", "b")


def test_a_linked_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to("real")
    path, context = known(tmp_path / "real", "file", b"a\n")
    edit(context, tmp_path / "linked" / "file", "a", "b")
    assert path.read_bytes() == b"b\n"


@pytest.mark.parametrize("mode", [0o755, 0o444, 0o2644])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path, context = known(tmp_path, "run.sh", b"a\n")
    path.chmod(mode)
    edit(context, path, "a", "b")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_hard_link_sees_the_edit(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"a\n")
    os.link(path, tmp_path / "other")
    edit(context, path, "a", "b")
    assert (tmp_path / "other").read_bytes() == b"b\n"


@pytest.mark.parametrize("name", ["é", "e\u0301", "sp ace", "new\nline", "quo'te"])
def test_odd_names_are_edited_as_they_are(tmp_path: Path, name: str) -> None:
    path, context = known(tmp_path, name, b"a\n")
    edit(context, path, "a", "b")
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == [name]


def test_a_character_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"caf\xe9 x\n")
    assert "has no character '→'" in refused(context, path, "x", "→")
    assert path.read_bytes() == b"caf\xe9 x\n"


@pytest.mark.fault
@pytest.mark.parametrize("names", [1, 2])
def test_parallel_edits_are_all_applied_or_refused(tmp_path: Path, names: int) -> None:
    path, context = known(tmp_path, "file", b"".join(b"<%d>\n" % n for n in range(24)))
    context = tool_context(tmp_path, may_read=everywhere)
    if names == 2:
        os.link(path, tmp_path / "other")
    tool = Edit()

    async def one(number: int) -> int | None:
        given = {"old_string": f"<{number}>", "new_string": f"[{number}]"}
        try:
            await call(tool, context, file_path=str(path), **given)
        except ToolError:
            return None
        return number

    async def scenario() -> list[int | None]:
        return await asyncio.gather(*(one(n) for n in range(24)))

    done = asyncio.run(scenario())
    expected = "".join(f"[{n}]\n" if n in done else f"<{n}>\n" for n in range(24))
    assert path.read_text(encoding="utf-8") == expected
    assert len([n for n in done if n is not None]) >= 1


def test_agents_exclude_each_other_by_the_real_path(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to("real")
    tool = Edit()
    keys = {
        tool.lock_key(
            tool.parse({"file_path": f"{tmp_path}/{name}/f", "old_string": "", "new_string": "x"})
        )
        for name in ("real", "linked", "linked/../real")
    }
    assert keys == {f"file:{tmp_path}/real/f"}
    assert not tool.parallel_safe(
        tool.parse({"file_path": "f", "old_string": "", "new_string": "x"})
    )


@pytest.mark.fault
def test_a_cancelled_edit_is_over_when_it_returns(tmp_path: Path) -> None:
    path, context = known(tmp_path, "file", b"a\n")

    async def scenario() -> tuple[bytes, bytes]:
        given = {"file_path": str(path), "old_string": "a", "new_string": "b"}
        task = asyncio.ensure_future(call(Edit(), context, **given))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        first = path.read_bytes()
        await asyncio.get_running_loop().shutdown_default_executor()
        return first, path.read_bytes()

    first, last = asyncio.run(scenario())
    assert first == last


PIECES = st.sampled_from(["a", "ü", "x  ", "\t", "\r\n", "\n", "“", "🙂", "\xa0"])


@pytest.mark.property
@given(
    st.lists(PIECES, min_size=1, max_size=60).map("".join),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.text(st.sampled_from("aq\nü"), max_size=5),
    st.data(),
)
def test_random_edits_change_no_byte_outside_the_span(
    tmp_path_factory: pytest.TempPathFactory, raw: str, codec: str, new: str, draw: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "random"
    data = raw.encode(codec)
    path.write_bytes(data)
    cuts = [i for i in range(len(raw) + 1) if raw[max(i - 1, 0) : i + 1] != "\r\n"]
    first, last = sorted((draw.draw(st.sampled_from(cuts)), draw.draw(st.sampled_from(cuts))))
    old = raw[first:last].replace("\r\n", "\n")
    text = raw.replace("\r\n", "\n")
    if old in ("", new) or text.find(old) != text.rfind(old):
        return
    edit(tool_context(path.parent, may_read=everywhere), path, old, new)
    result = path.read_bytes()
    empty = len("".encode(codec))
    head = raw[:first].encode(codec)
    tail = raw[last:].encode(codec)[empty:]
    assert result.startswith(head)
    assert result.endswith(tail)
    middle = data[:empty] + result[len(head) : len(result) - len(tail)]
    assert middle.decode(codec).replace("\r\n", "\n") == new
