"""The file of a session: what is written, and what survives damage."""

import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hames.harness.projection import messages
from hames.harness.record import Record
from hames.harness.request import prefix_of
from hames.harness.state import SessionState, fold
from hames.harness.transcript import (
    Header,
    Transcript,
    assistant_entries,
    read_entries,
    result_entry,
    user_entry,
)

ID = "11111111-2222-4333-8444-555555555555"


def transcript(path: Path | None, leaf: str | None = None) -> Transcript:
    return Transcript(path, Header(ID, "/work"), leaf)


def conversation(path: Path) -> list[dict[str, Any]]:
    """A file with a prompt, a call, its result and an answer; its entries."""
    written = transcript(path)
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": {}}
    (prompt,) = written.append([user_entry("hello")])
    (call,) = written.append(
        assistant_entries(
            message, [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]
        )
    )
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "zoë 🙂"}
    (result,) = written.append([result_entry(block, {"stdout": "zoë 🙂"}, call["uuid"])])
    (answer,) = written.append(
        assistant_entries({**message, "id": "msg_2"}, [{"type": "text", "text": "漢字"}])
    )
    written.close()
    return [prompt, call, result, answer]


def shown(entries: list[dict[str, Any]]) -> list[str]:
    return [str(block) for message in messages(entries) for block in message["content"]]


def test_lines_are_compact_private_and_chained(tmp_path: Path) -> None:
    path = tmp_path / "projects" / "key" / f"{ID}.jsonl"
    os.umask(0)
    entries = conversation(path)
    lines = path.read_bytes().splitlines()
    assert [json.loads(line) for line in lines] == entries
    assert all(b'": ' not in line and line.startswith(b'{"parentUuid":') for line in lines)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    parents = [entry["parentUuid"] for entry in entries]
    assert parents == [None, *(entry["uuid"] for entry in entries[:-1])]
    for entry in entries:
        assert (entry["userType"], entry["isSidechain"], entry["sessionId"]) == (
            "external",
            False,
            ID,
        )
        assert "gitBranch" not in entry
        assert None not in {entry.get("version"), entry.get("cwd")}


def test_nothing_is_created_before_the_first_message(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    written = transcript(path)
    written.append([{"type": "permission-mode", "permissionMode": "plan"}])
    assert not path.exists()
    written.append([user_entry("hello")])
    kinds = [json.loads(line)["type"] for line in path.read_text().splitlines()]
    assert kinds == ["permission-mode", "user"]
    written.close()


@pytest.mark.fault
def test_a_file_cut_at_any_byte_of_its_last_lines_keeps_the_lines_before(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    entries = conversation(path)
    data = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(data) if byte == 10]
    for cut in range(ends[0], len(data)):
        path.write_bytes(data[:cut])
        whole = sum(end - 1 <= cut for end in ends)
        loaded = read_entries(path)
        assert loaded.entries == entries[:whole]
        torn = transcript(path, loaded.entries[-1]["uuid"])
        torn.append([user_entry("again")])
        torn.close()
        after = read_entries(path)
        assert after.entries[:whole] == entries[:whole]
        assert after.entries[-1]["message"]["content"] == "again"
        assert len(after.entries) == whole + 1


ODD: dict[str, tuple[bytes, int]] = {
    "NUL bytes": (b"\0" * 500 + b"\n", 1),
    "half a character": (b'{"type":"user","uuid":"x","a":"\xf0\x9f"}\n', 1),
    "a blank CRLF line": (b"\r\n", 0),
    "blanks": (b"  \t \n", 0),
    "a long line": (b'{"type":"note","text":"' + b"x" * 50_000_000 + b'"}\n', 0),
    "a long line of nothing": (b"{" * 5_000_000 + b"\n", 1),
    "an unknown type": (b'{"type":"hologram","uuid":"h","parentUuid":null}\n', 0),
    "no type": (b'{"uuid":"h"}\n', 1),
    "a type that is no text": (b'{"type":["user"],"uuid":"h"}\n', 1),
    "no object": (b'[1,2]\n"text"\nnull\n', 3),
    "a wrong session": (b'{"type":"system","uuid":"s","sessionId":"other","parentUuid":null}\n', 0),
    "a cycle": (
        b'{"type":"system","uuid":"a","parentUuid":"b"}\n'
        b'{"type":"system","uuid":"b","parentUuid":"a"}\n',
        0,
    ),
    "itself as parent": (b'{"type":"system","uuid":"a","parentUuid":"a"}\n', 0),
    "deep nesting": (b'{"type":"x","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", 1),
}


@pytest.mark.fault
@pytest.mark.parametrize("name", list(ODD))
@pytest.mark.parametrize("place", range(5))
def test_an_odd_line_anywhere_costs_itself_alone(name: str, place: int, tmp_path: Path) -> None:
    line, skipped = ODD[name]
    path = tmp_path / f"{ID}.jsonl"
    before = shown(conversation(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:place], line, *lines[place:]]))
    loaded = read_entries(path)
    assert loaded.skipped == skipped
    assert shown(loaded.entries) == before


def test_of_a_duplicate_the_later_line_counts(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    entries = conversation(path)
    answer = entries[-1]["message"]
    changed = {**entries[-1], "message": {**answer, "content": [{"type": "text", "text": "new"}]}}
    assert "new" in shown([*entries, changed])[-1]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["a", "b"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
_blocks = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "tool_use", "tool_result", "thinking", "image"])},
        optional={
            key: _values
            for key in ("text", "id", "name", "input", "tool_use_id", "content", "signature")
        },
    )
    | _values,
    max_size=3,
)
_message = st.fixed_dictionaries({}, optional={"content": _blocks | _values, "id": _values})
_types = st.sampled_from(
    [
        *("user", "assistant", "system", "attachment", "permission-mode", "hames-state"),
        *("hames-prefix", "hames-drop", "custom-title", "last-prompt", "unknown"),
    ]
)
_keys = (
    *("uuid", "parentUuid", "logicalParentUuid", "isMeta", "isSidechain", "isCompactSummary"),
    *("subtype", "permissionMode", "model", "effort", "maxThinking", "dropBlock", "directory"),
    *("directoryRemoved", "update", "hames", "toolUseResult", "entry", "block", "note", "system"),
    *("tools", "sha256", "flags", "aborted", "teamName"),
)
_lines = st.lists(
    st.fixed_dictionaries(
        {"type": _types},
        optional={
            "message": _message | _values,
            "uuid": st.sampled_from(["a", "b", "c"]),
            "hames": st.fixed_dictionaries({"effects": st.lists(_values) | _values}) | _values,
            **{key: _values for key in _keys if key not in ("uuid", "hames")},
        },
    ),
    max_size=6,
)


@pytest.mark.property
@given(lines=_lines)
def test_no_line_of_whatever_shape_stops_a_resume(lines: list[dict[str, Any]]) -> None:
    start = SessionState(Path("/"), "default")
    state = fold(start, lines)
    record = Record(transcript(None), state, lines)
    record.append([user_entry("go on")])
    assert "go on" in str(record.messages[-1])
    assert state.mode == fold(start, lines).mode
    prefix_of(lines)


@pytest.mark.fault
def test_two_processes_append_to_one_file_without_tearing_lines(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    entries = conversation(path)
    program = f"""
import sys
from pathlib import Path
from hames.harness.transcript import Header, Transcript, user_entry
written = Transcript(Path({str(path)!r}), Header({ID!r}, "/work"), {entries[-1]["uuid"]!r})
for number in range(100):
    written.append([user_entry(f"{{sys.argv[1]}} {{number}} " + "x" * (number * 50))])
written.close()
"""
    env = {**os.environ, "PYTHONPATH": ":".join(filter(None, sys.path))}
    runs = [
        subprocess.Popen([sys.executable, "-c", program, name], env=env) for name in ("one", "two")
    ]
    assert [run.wait(60) for run in runs] == [0, 0]
    loaded = read_entries(path)
    assert (len(loaded.entries), loaded.skipped) == (204, 0)
    for name in ("one", "two"):
        own = [e for e in loaded.entries if str(e["message"]["content"]).startswith(name)]
        assert len(messages(loaded.entries, own[-1]["uuid"])) >= 4
        parents = [e["parentUuid"] for e in own]
        assert parents[1:] == [e["uuid"] for e in own[:-1]]


@pytest.mark.fault
def test_a_full_disk_keeps_the_lines_until_there_is_room(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    written = transcript(path)
    (first,) = written.append([user_entry("first")])
    size = path.stat().st_size
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, limits[1]))
    try:
        (second,) = written.append([user_entry("second")])
        assert written.problem is not None
        assert "cannot be written" in written.problem
        assert str(path) in written.problem
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    (third,) = written.append([user_entry("third")])
    assert written.problem is None
    assert read_entries(path).entries == [first, second, third]
    written.close()


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("precious", encoding="utf-8")
    path = tmp_path / f"{ID}.jsonl"
    path.symlink_to(target)
    written = transcript(path)
    written.append([user_entry("hello")])
    assert written.problem is not None
    assert target.read_text(encoding="utf-8") == "precious"


def test_lone_surrogates_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    written = transcript(path)
    written.append([user_entry("a\ud83d b")])
    written.close()
    assert read_entries(path).entries[0]["message"]["content"] == "a\ufffd b"


def test_a_reader_sees_whole_lines_while_another_writes(tmp_path: Path) -> None:
    path = tmp_path / f"{ID}.jsonl"
    conversation(path)
    done = threading.Event()

    def write() -> None:
        written = transcript(path, "x")
        for number in range(300):
            written.append([user_entry(f"{number} " + "y" * 3000)])
        written.close()
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        assert read_entries(path).skipped <= 1
    writer.join()
    assert read_entries(path).skipped == 0
