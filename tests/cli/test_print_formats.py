"""What print mode writes in its three formats, against reviewed goldens.

`HAMES_UPDATE_GOLDENS=1 pytest tests/cli/test_print_formats.py` writes them anew. Ids, times,
paths, versions, numbers of tokens and lists that grow with hames are replaced.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from support.fake_api import (
    FakeApiThread,
    overloaded,
    prompt_too_long,
    refused,
    running_fake_api,
    thinking,
    tool_use,
    turn,
)
from support.run import Finished, run_hames

GOLDENS = Path(__file__).parents[1] / "data" / "golden" / "print"
UPDATE = os.environ.get("HAMES_UPDATE_GOLDENS") == "1"
TEXT = ("-p", "go")
JSON = ("-p", "go", "--output-format", "json")
STREAM = ("-p", "go", "--output-format", "stream-json", "--verbose")

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MESSAGE = re.compile(r"\b(msg|req)_\w+")
_GROWING = ("tools", "slash_commands", "skills", "agents", "signature")
_MEASURED = ("ms", "duration_ms", "duration_api_ms", "ttft_ms", "retry_delay_ms")


def masked(value: Any, key: str = "") -> Any:
    if key in _GROWING:
        return "…"
    if key in _MEASURED or key.endswith(("_version", "_tokens", "Tokens", "_usd", "USD")):
        return 0
    if isinstance(value, dict):
        return {name: masked(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [masked(item) for item in value]
    if isinstance(value, str):
        value = value.replace(str(Path.cwd()), "/work")
        return _MESSAGE.sub(r"\1_…", _ID.sub("ID", value))
    return value


def assert_golden(name: str, done: Finished) -> None:
    shown = "".join(json.dumps(masked(m), ensure_ascii=False) + "\n" for m in done.lines)
    path = GOLDENS / f"{name}.jsonl"
    if UPDATE:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8")


def prepare(api: FakeApiThread) -> None:
    """Thinking, an allowed call, a denied call, an invalid call, an answer."""
    Path("a.txt").write_text("alpha\n", encoding="utf-8")
    api.reply(
        turn(
            thinking("Which file?"),
            "Reading.",
            tool_use("Read", {"file_path": str(Path("a.txt").absolute())}, id="toolu_read"),
            tool_use("Bash", {"command": "touch b"}, id="toolu_denied"),
            tool_use("Read", {"path": "a.txt"}, id="toolu_invalid"),
        ),
        turn("It says alpha."),
    )


def test_text_is_the_answer_alone() -> None:
    with running_fake_api() as api:
        prepare(api)
        done = run_hames(*TEXT, url=api.url)
    assert done == Finished(0, "It says alpha.\n", "")


def test_json_is_one_result() -> None:
    with running_fake_api() as api:
        prepare(api)
        done = run_hames(*JSON, url=api.url)
    assert (done.code, done.err) == (0, "")
    assert_golden("json", done)


def test_stream_json_is_every_message() -> None:
    with running_fake_api() as api:
        prepare(api)
        done = run_hames(*STREAM, url=api.url)
    assert (done.code, done.err) == (0, "")
    assert_golden("stream", done)


def test_json_with_verbose_is_a_list_of_the_same_messages() -> None:
    with running_fake_api() as api:
        prepare(api)
        done = run_hames(*JSON, "--verbose", url=api.url)
        (messages,) = done.lines
    with running_fake_api() as api:
        prepare(api)
        stream = run_hames(*STREAM, url=api.url)
    assert masked(messages) == masked(stream.lines)


def test_partial_messages_build_the_blocks_they_come_before() -> None:
    with running_fake_api() as api:
        api.reply(turn("An answer in pieces, each of them short enough."))
        done = run_hames(*STREAM, "--include-partial-messages", url=api.url)
    kinds = [m["event"]["type"] if m["type"] == "stream_event" else m["type"] for m in done.lines]
    assert kinds[0] == "system"
    assert kinds.index("content_block_stop") < kinds.index("assistant") < kinds.index("result")
    deltas = [m["event"]["delta"] for m in done.lines if "delta" in m.get("event", {})]
    pieces = "".join(delta.get("text", "") for delta in deltas)
    assert pieces == done.result["result"] == "An answer in pieces, each of them short enough."
    assert sum("ttft_ms" in m for m in done.lines if m["type"] == "stream_event") == 1


def test_a_retry_is_told_in_the_stream_and_nowhere_else() -> None:
    with running_fake_api() as api:
        api.reply(overloaded(), turn("Done."))
        done = run_hames(*STREAM, url=api.url)
        assert done.kinds() == ["system/init", "system/api_retry", "assistant", "result/success"]
        api.reply(overloaded(), turn("Done."))
        assert run_hames(*TEXT, url=api.url) == Finished(0, "Done.\n", "")


@pytest.mark.parametrize(
    ("reply", "reason", "status"),
    [(prompt_too_long(), "prompt_too_long", 400), (refused(), "model_error", None)],
    ids=["too long", "refused"],
)
def test_a_failed_run_is_a_result_in_every_format(reply: Any, reason: str, status: int) -> None:
    with running_fake_api() as api:
        for flags in (TEXT, JSON, STREAM):
            api.reply(reply)
            done = run_hames(*flags, url=api.url)
            assert (done.code, done.err) == (1, "")
            if flags is TEXT:
                assert done.out.strip()
                continue
            result = done.result
            assert (result["subtype"], result["is_error"]) == ("success", True)
            assert (result["terminal_reason"], result["api_error_status"]) == (reason, status)


def test_an_untrusted_allow_rule_is_told_on_stderr() -> None:
    Path(".claude").mkdir()
    settings = {"permissions": {"allow": ["Bash(ls *)"]}}
    Path(".claude/settings.json").write_text(json.dumps(settings), encoding="utf-8")
    with running_fake_api() as api:
        for flags in (TEXT, JSON):
            api.reply(turn("Done."))
            done = run_hames(*flags, url=api.url)
            assert done.code == 0
            assert done.err.startswith("Ignoring 1 permissions.allow ")
        api.reply(turn("Done."))
        done = run_hames(*STREAM, url=api.url)
        assert done.err == ""
        assert any("Ignoring 1" in m.get("content", "") for m in done.lines)
