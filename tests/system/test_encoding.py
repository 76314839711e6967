"""An edit changes the bytes of its span and no others, whatever the file is made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.system.encoding import UnencodableText, decode_file

JAPANESE = "こんにちは、世界。\nこれはテストです。 name = 1\n"
CHINESE = "你好，世界。\n这是一个测试文件。 name = 1\n"
GERMAN = "größe = 1\nname = 1\n"

FILES = {
    "empty": b"",
    "lf": b"a\nname = 1\nz\n",
    "crlf": b"a\r\nname = 1\r\nz\r\n",
    "cr": b"a\rname = 1\rz\r",
    "mixed": b"a\r\nb\nname = 1\r\nc\rd\n\r\ne\n",
    "doubled returns": b"a\r\r\nname = 1\r\n\r\r",
    "no newline at end": b"a\nname = 1",
    "trailing spaces": b"line  \nname = 1  \n\t\n",
    "curly quotes": "“a” ‘name = 1’\n".encode(),
    "decomposed": "e\u0301 é name = 1\n".encode(),
    "utf-8 bom": b"\xef\xbb\xbfname = 1\r\n",
    "utf-16-le": b"\xff\xfe" + "ä\r\nname = 1\r\n🙂".encode("utf-16-le"),
    "utf-16-be": b"\xfe\xff" + "ä\nname = 1\n🙂".encode("utf-16-be"),
    "utf-32-le": b"\xff\xfe\x00\x00" + "ä\nname = 1\n".encode("utf-32-le"),
    "utf-16 odd length": b"\xff\xfea\x00b",
    "latin-1": GERMAN.encode("latin-1"),
    "undefined in cp1252": b"\x81 \xe9 name = 1\n",
    "shift-jis": JAPANESE.encode("shift_jis"),
    "gbk": CHINESE.encode("gbk"),
    "invalid utf-8": "größe ✓ ü\nname = 1\n".encode() + b"\xff\xfe\xe2\x82\n",
    "truncated utf-8": "ü€".encode()[:-1] + b" name = 1",
}
SAMPLES = pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())


@SAMPLES
def test_decoding_and_encoding_changes_nothing(data: bytes) -> None:
    file = decode_file(data)
    assert file.encode(file.text) == data
    assert file.splice([], "x") == data


@SAMPLES
def test_an_edit_of_an_ascii_region_keeps_all_other_bytes(data: bytes) -> None:
    file = decode_file(data)
    start = file.text.find("name = 1")
    if start < 0:
        return
    width = {"utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be", "utf-32-le": "utf-32-le"}
    codec = width.get(file.encoding, "ascii")
    expected = data.replace("name = 1".encode(codec), "title = 22".encode(codec))
    assert file.splice([(start, start + 8)], "title = 22") == expected
    assert file.encode(file.text.replace("name = 1", "title = 22")) == expected


@pytest.mark.parametrize(
    ("name", "encoding", "newline", "text"),
    [
        ("empty", "utf-8", "\n", ""),
        ("crlf", "utf-8", "\r\n", "a\nname = 1\nz\n"),
        ("cr", "utf-8", "\r", "a\nname = 1\nz\n"),
        ("mixed", "utf-8", "\n", "a\nb\nname = 1\nc\rd\n\ne\n"),
        ("utf-8 bom", "utf-8", "\r\n", "name = 1\n"),
        ("utf-16-le", "utf-16-le", "\r\n", "ä\nname = 1\n🙂"),
        ("utf-16-be", "utf-16-be", "\n", "ä\nname = 1\n🙂"),
        ("latin-1", "cp1252", "\n", GERMAN),
        ("undefined in cp1252", "latin-1", "\n", "\x81 é name = 1\n"),
        ("shift-jis", "cp932", "\n", JAPANESE),
        ("gbk", "gb18030", "\n", CHINESE),
        ("truncated utf-8", "utf-8", "\n", "ü\udce2\udc82 name = 1"),
    ],
)
def test_encodings_and_line_ends_are_recognised(
    name: str, encoding: str, newline: str, text: str
) -> None:
    file = decode_file(FILES[name])
    assert (file.encoding, file.newline, file.text) == (encoding, newline, text)


@pytest.mark.parametrize(
    ("data", "new", "written"),
    [
        (b"a\r\nb\r\n", "a\nx\ny\nb\n", b"a\r\nx\r\ny\r\nb\r\n"),
        (b"a\r\nb\r\n", "a\r\nx\r\nb\r\n", b"a\r\nx\r\nb\r\n"),
        (b"a\rb\r", "a\nx\nb\n", b"a\rx\rb\r"),
        (b"a\r\nb\nc\n", "a\nb\nx\nc\n", b"a\r\nb\nx\nc\n"),
        (b"a\nb\n", "a\r\nb\n", b"a\r\nb\n"),
        (b"", "x\n", b"x\n"),
        (b"\xff\xfea\x00", "b", b"\xff\xfeb\x00"),
        (b"a", "lone \ud83d", "lone \ufffd".encode()),
    ],
)
def test_new_lines_end_as_the_file_does(data: bytes, new: str, written: bytes) -> None:
    assert decode_file(data).encode(new) == written


def test_several_spans_leave_mixed_line_ends_between_them_alone() -> None:
    file = decode_file(b"x\r\n1\nx\n2\r\n\rx")
    spans = [(i, i + 1) for i, c in enumerate(file.text) if c == "x"]
    assert file.splice(spans, "yy\n") == b"yy\n\r\n1\nyy\n\n2\r\n\ryy\n"


def test_a_replaced_span_keeps_the_line_ends_it_shares_with_the_new_text() -> None:
    assert decode_file(b"1\n2\n3\na\r\nb\r\nc\n").encode("1\n2\n3\na\nB\nc\n") == (
        b"1\n2\n3\na\r\nB\r\nc\n"
    )


def test_a_character_that_the_encoding_lacks_is_named() -> None:
    with pytest.raises(UnencodableText, match="'→'"):
        decode_file(GERMAN.encode("latin-1")).encode("→\n")


@pytest.mark.property
@given(st.binary(max_size=200), st.data())
def test_random_bytes_survive_random_edits(data: bytes, draw: st.DataObject) -> None:
    file = decode_file(data)
    assert file.encode(file.text) == data
    start = draw.draw(st.integers(0, len(file.text)))
    end = draw.draw(st.integers(start, len(file.text)))
    result = file.splice([(start, end)], "")
    before = common_prefix(data, result)
    after = common_prefix(data[::-1], result[::-1])
    assert before + after >= len(result)


PIECES = ["a", "ü", "x ", "\t", "\r\n", "\n", "\r", "“", "🙂"]


@pytest.mark.property
@given(
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]),
    st.sampled_from(["", "q", "q\n", "\nq", "q\nq"]),
    st.data(),
)
def test_random_edits_change_nothing_outside_the_span(
    raw: str, codec: str, new: str, draw: st.DataObject
) -> None:
    bom = {"utf-8": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[codec]
    data = bom + raw.encode(codec)
    file = decode_file(data)
    # A span of the file as it is on disk that cuts no CRLF apart.
    cuts = [i for i in range(len(raw) + 1) if raw[max(i - 1, 0) : i + 1] != "\r\n"]
    first, last = sorted((draw.draw(st.sampled_from(cuts)), draw.draw(st.sampled_from(cuts))))
    shift = 0 if file.newline == "\r" else 1
    start = first - shift * raw[:first].count("\r\n")
    end = last - shift * raw[:last].count("\r\n")
    result = file.splice([(start, end)], new)
    head, tail = bom + raw[:first].encode(codec), raw[last:].encode(codec)
    assert result.startswith(head)
    assert result.endswith(tail)
    middle = result[len(head) : len(result) - len(tail)].decode(codec)
    assert middle.replace("\r\n", "\n").replace("\r", "\n") == new


def common_prefix(one: bytes, two: bytes) -> int:
    count = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        count += 1
    return count
