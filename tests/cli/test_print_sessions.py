"""Sessions and flags of headless runs: continued, resumed, forked, limited, restricted."""

import json
import os
from pathlib import Path

import pytest

from support.fake_api import assert_prefix_law, running_fake_api, thinking, tool_use, turn
from support.run import Finished, entries_of, run_hames, session_files

ID = "11111111-2222-4333-8444-555555555555"


def test_a_session_is_continued_resumed_and_forked() -> None:
    with running_fake_api() as api:
        api.script(lambda request: turn(thinking("Hm."), f"Answer {len(request.messages)}."))
        first = run_hames("-p", "one", "--session-id", ID, url=api.url)
        assert first == Finished(0, "Answer 1.\n", "")
        assert run_hames("-p", "two", "-c", url=api.url).out == "Answer 3.\n"
        assert run_hames("-p", "three", f"--resume={ID.upper()}", url=api.url).out == "Answer 5.\n"
        assert run_hames("-p", "prefix", "--resume", ID[:8], url=api.url).out == "Answer 7.\n"
        (path,) = session_files()
        before = path.read_bytes()
        fork = run_hames(
            *("-p", "four", "--resume", ID, "--fork-session", "--output-format", "json"),
            url=api.url,
        )
        assert fork.result["result"] == "Answer 9."
        assert path.read_bytes() == before
        copy = next(p for p in session_files() if p != path)
        assert copy.stem == fork.result["session_id"] != ID
        assert {e["sessionId"] for e in entries_of(copy) if "sessionId" in e} == {copy.stem}
        assert run_hames("-p", "five", "-c", url=api.url).out == "Answer 11.\n"
        assert api.refusals == []
        assert_prefix_law(api.calls)


def test_a_session_is_resumed_by_its_title() -> None:
    with running_fake_api() as api:
        api.script(lambda request: turn("Done."))
        for name in ("first", "second"):
            run_hames("-p", name, url=api.url)
        for path, title in zip(session_files(), ("mine", "ours"), strict=True):
            line = {"type": "custom-title", "customTitle": title, "sessionId": path.stem}
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
        run_hames("-p", "go on", "--resume", "mine", url=api.url)
        assert "first" in json.dumps(api.calls[-1].messages[0])
        unknown = run_hames("-p", "go on", "--resume", "nobody's", url=api.url)
        assert unknown == Finished(1, "", "No conversation found with session ID: nobody's\n")


@pytest.mark.parametrize("spelling", [ID, ID.upper()])
def test_an_id_in_use_is_refused(spelling: str) -> None:
    with running_fake_api() as api:
        api.reply(turn("Done."))
        run_hames("-p", "one", "--session-id", ID, url=api.url)
        done = run_hames("-p", "two", "--session-id", spelling, url=api.url)
        assert (done.code, done.out) == (1, "")
        assert done.err == f"Error: Session ID {spelling} is already in use.\n"
        assert len(api.calls) == 1


def test_nothing_is_written_without_persistence() -> None:
    with running_fake_api() as api:
        api.reply(turn(tool_use("Bash", {"command": "echo hi"}, id="t1")), turn("Done."))
        flags = ("--no-session-persistence", "--allowedTools", "Bash")
        assert run_hames("-p", "one", *flags, url=api.url).out == "Done.\n"
        assert session_files() == []
        api.reply(turn("Fresh."))
        assert run_hames("-p", "two", "-c", url=api.url).out == "Fresh.\n"
        assert len(api.calls[2].messages) == 1


def test_opening_a_session_without_a_new_message_writes_nothing() -> None:
    with running_fake_api() as api:
        api.script(lambda request: turn("Done."))
        run_hames("-p", "one", url=api.url)
        (path,) = session_files()
        before = path.read_bytes()
        assert run_hames("-p", "/cost", "-c", url=api.url).code == 0
        assert path.read_bytes().startswith(before)
        assert len(entries_of(path)) - len(before.splitlines()) <= 1


LIMITS = {
    "turns": (("--max-turns", "2"), "error_max_turns", "max_turns", 3, "Reached max turns (2)"),
    "money": (
        ("--max-budget-usd", "0.000001"),
        "error_max_budget_usd",
        "budget_exhausted",
        1,
        "Reached max budget ($1e-06)",
    ),
    "tokens": (
        ("--max-total-tokens", "10"),
        "error_during_execution",
        "budget_exhausted",
        1,
        "Reached maximum number of tokens (10)",
    ),
    "time": (
        ("--max-seconds", "0.6"),
        "error_during_execution",
        "budget_exhausted",
        1,
        "Reached maximum run time (0.6 s)",
    ),
}


@pytest.mark.parametrize("limit", list(LIMITS))
def test_a_limit_ends_the_run_clearly(limit: str) -> None:
    flags, subtype, reason, turns, text = LIMITS[limit]
    command = "sleep 30" if limit == "time" else "echo hi"
    with running_fake_api() as api:
        api.script(lambda request: turn("Next.", tool_use("Bash", {"command": command})))
        common = ("-p", "go", "--allowedTools", "Bash", *flags)
        done = run_hames(*common, "--output-format", "json", url=api.url)
        assert (done.code, done.err) == (1, "")
        result = done.result
        assert (result["subtype"], result["is_error"]) == (subtype, True)
        assert (result["terminal_reason"], result["num_turns"]) == (reason, turns)
        assert "result" not in result
        plain = run_hames(*common, url=api.url)
        assert plain == Finished(1, f"Error: {text}\n", "")


@pytest.mark.parametrize(
    ("flags", "tools"),
    [
        (("--tools", ""), []),
        (("--tools", "Read,Bash"), ["Bash", "Read"]),
        (("--tools", "Read", "Bash"), ["Bash", "Read"]),
        (("--tools", "Read", "Bash", "--disallowedTools", "Bash"), ["Read"]),
        (("--tools", "Read", "Bash", "--disallowed-tools", "*"), []),
        (("--tools", "Read", "Bash", "--disallowedTools", "Bash(rm *)"), ["Bash", "Read"]),
        (("--bare",), ["Bash", "Edit", "Read"]),
    ],
)
def test_flags_decide_which_tools_are_offered(flags: tuple[str, ...], tools: list[str]) -> None:
    with running_fake_api() as api:
        api.reply(turn("Done."))
        assert run_hames("-p", "go", *flags, url=api.url) == Finished(0, "Done.\n", "")
        assert sorted(api.calls[0].tool_names) == tools


def test_a_tool_removed_on_resume_stays_in_the_prefix_and_is_denied() -> None:
    with running_fake_api() as api:
        api.reply(turn("Done."))
        run_hames("-p", "one", url=api.url)
        api.reply(turn(tool_use("Bash", {"command": "echo hi"}, id="toolu_1")), turn("Denied."))
        flags = ("-c", "--disallowedTools", "Bash", "--output-format", "json")
        done = run_hames("-p", "two", *flags, url=api.url)
        assert done.code == 0
        assert [d["tool_use_id"] for d in done.result["permission_denials"]] == ["toolu_1"]
        assert_prefix_law(api.calls)


def test_system_prompts_replace_and_append() -> None:
    Path("system.md").write_text("From a file.", encoding="utf-8")
    Path("more.md").write_text("More from a file.", encoding="utf-8")
    with running_fake_api() as api:
        api.script(lambda request: turn("Done."))
        run_hames("-p", "x", "--system-prompt", "You are terse.", url=api.url)
        assert api.calls[0].system_text.endswith("You are terse.")
        run_hames(
            *("-p", "x", "--system-prompt-file", "system.md"),
            *("--append-system-prompt", "Also this.", "--append-system-prompt-file", "more.md"),
            url=api.url,
        )
        text = api.calls[1].system_text
        assert text.index("From a file.") < text.index("Also this.") < text.index("More from")
        run_hames("-p", "x", "--append-system-prompt=-dashes", url=api.url)
        assert api.calls[2].system_text.endswith("-dashes")
        assert len(api.calls[2].system_text) > 1000
        assert api.refusals == []


def test_other_system_flags_on_resume_write_a_new_prefix_with_a_notice() -> None:
    stream = ("--output-format", "stream-json", "--verbose")
    with running_fake_api() as api:
        api.script(lambda request: turn(thinking("Hm."), "Done."))
        run_hames("-p", "one", "--system-prompt", "First.", url=api.url, model="claude-opus-5-5")
        same = run_hames("-p", "two", "-c", *stream, url=api.url, model="claude-opus-5-5")
        assert "system/informational" not in same.kinds()
        equal = run_hames(
            "-p", "x", "-c", "--system-prompt", "First.", url=api.url, model="claude-opus-5-5"
        )
        assert equal.code == 0
        assert_prefix_law(api.calls)
        other = run_hames(
            *("-p", "three", "-c", "--system-prompt", "Second.", *stream),
            url=api.url,
            model="claude-opus-5-5",
        )
        assert "system/informational" in other.kinds()
        assert api.calls[3].system_text.endswith("Second.")
        assert api.calls[3].blocks("thinking") == []
        again = run_hames("-p", "four", "-c", *stream, url=api.url, model="claude-opus-5-5")
        assert "system/informational" not in again.kinds()
        assert api.calls[4].system_text.endswith("Second.")
        assert len(api.calls[4].blocks("thinking")) == 1
        assert api.refusals == []


@pytest.mark.parametrize(
    ("flags", "mode"),
    [((), "acceptEdits"), (("--permission-mode", "default"), "default")],
    ids=["restored", "asked for"],
)
def test_the_mode_of_a_stored_session_yields_to_the_flag(flags: tuple[str, ...], mode: str) -> None:
    stream = ("--output-format", "stream-json", "--verbose")
    with running_fake_api() as api:
        api.script(lambda request: turn("Done."))
        run_hames("-p", "one", url=api.url)
        (path,) = session_files()
        with path.open("a", encoding="utf-8") as file:
            line = {
                "type": "permission-mode",
                "permissionMode": "acceptEdits",
                "sessionId": path.stem,
            }
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        done = run_hames("-p", "two", "-c", *flags, *stream, url=api.url)
        assert done.lines[0]["permissionMode"] == mode


def test_an_added_directory_may_be_read(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("alpha\n", encoding="utf-8")
    read = tool_use("Read", {"file_path": str(other / "a.txt")}, id="toolu_1")
    with running_fake_api() as api:
        for flags in ((), ("--add-dir", str(other))):
            api.reply(turn(read), turn("Done."))
            assert run_hames("-p", "go", *flags, url=api.url).code == 0
            block = api.calls[-1].results["toolu_1"]
            assert ("alpha" in str(block["content"])) == bool(flags)


def test_a_session_is_found_from_other_folders(tmp_path: Path) -> None:
    linked, other = tmp_path / "linked", tmp_path / "other"
    linked.symlink_to(Path.cwd())
    other.mkdir()
    with running_fake_api() as api:
        api.script(lambda request: turn(f"Answer {len(request.messages)}."))
        run_hames("-p", "one", "--session-id", ID, url=api.url)
        assert run_hames("-p", "two", "-c", url=api.url, cwd=linked).out == "Answer 3.\n"
        assert run_hames("-p", "three", "-c", url=api.url, cwd=other).out == "Answer 1.\n"
        done = run_hames("-p", "four", f"--resume={ID}", url=api.url, cwd=other)
        assert done.out == "Answer 5.\n"
        assert os.environ["HOME"] in str(session_files()[0])


def test_a_session_goes_on_with_the_model_that_a_flag_chose() -> None:
    with running_fake_api() as api:
        api.reply(turn("One."), turn("Two."), turn("Three."))
        run_hames("-p", "one", "--model", "haiku", url=api.url, model=None)
        run_hames("-p", "two", "-c", url=api.url, model=None)
        run_hames("-p", "three", "-c", "--model", "opus", url=api.url, model=None)
        assert [call.model for call in api.calls] == [
            "claude-haiku-5-5",
            "claude-haiku-5-5",
            "claude-opus-5-5",
        ]
