"""Where the prompt comes from, and what happens to bad input: one line, the right exit code."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from support.fake_api import FakeApiThread, RecordedRequest, Turn, running_fake_api, tool_use, turn
from support.run import Finished, Running, child_env, command, entries_of, run_hames, session_files

NO_INPUT = (
    "Error: Input must be provided either through stdin or as a prompt argument when using "
    "--print\n"
)
ONLY_BLANKS = (
    "Error: Input contained only whitespace. Provide a prompt with text through stdin or as a "
    "prompt argument when using --print\n"
)


def prompt_of(api: FakeApiThread) -> str:
    return str(api.calls[-1].messages[-1]["content"][-1]["text"])


@pytest.mark.parametrize(
    ("args", "stdin", "prompt"),
    [
        (("-p", "argument"), None, "argument"),
        (("argument",), None, "argument"),
        (("-p", "two", "words"), None, "two words"),
        (("-p",), "from a pipe\n", "from a pipe"),
        (("-p", "argument"), "piped\n", "argument\n\npiped"),
        (("-p", "argument"), "", "argument"),
        (("-p", "argument"), " \n", "argument"),
        (("-p", "--", "--help"), None, "--help"),
        (("-p", "zoë 漢字 🙂"), None, "zoë 漢字 🙂"),
        (("-p",), "a\r\nb\n", "a\r\nb"),
    ],
)
def test_the_prompt(args: tuple[str, ...], stdin: str | None, prompt: str) -> None:
    with running_fake_api() as api:
        api.reply(turn("Done."))
        assert run_hames(*args, url=api.url, stdin=stdin) == Finished(0, "Done.\n", "")
        assert prompt_of(api) == prompt


def test_bytes_that_are_no_text_are_replaced() -> None:
    with running_fake_api() as api:
        api.reply(turn("Done."))
        assert run_hames("-p", url=api.url, stdin=b"caf\xe9 \xff").code == 0
        assert prompt_of(api) == "caf\ufffd \ufffd"


@pytest.mark.parametrize(
    ("args", "stdin", "message"),
    [
        (("-p",), None, NO_INPUT),
        (("-p",), "", NO_INPUT),
        (("-p", ""), None, NO_INPUT),
        (("-p", "  "), None, ONLY_BLANKS),
        (("-p",), " \n\t\n", ONLY_BLANKS),
        (("-p", " "), "\n \n", ONLY_BLANKS),
    ],
)
def test_no_prompt_is_an_error(args: tuple[str, ...], stdin: str | None, message: str) -> None:
    assert run_hames(*args, stdin=stdin, url="http://127.0.0.1:9") == Finished(1, "", message)
    assert session_files() == []


def test_more_than_ten_megabytes_are_refused() -> None:
    done = run_hames("-p", "sum it up", stdin=b"x" * 10_000_001, url="http://127.0.0.1:9")
    assert (done.code, done.out) == (1, "")
    assert "10 MB" in done.err
    with running_fake_api(window=10_000_000) as api:
        api.reply(turn("Done."))
        assert run_hames("-p", url=api.url, stdin=b"x" * 9_999_999).code == 0


def test_a_silent_pipe_is_not_waited_for_when_there_is_an_argument() -> None:
    reading, writing = os.pipe()
    try:
        with running_fake_api() as api:
            api.reply(turn("Done."))
            with Running("-p", "go", url=api.url, stdin=reading) as run:
                done = run.end()
            assert (done.code, done.out) == (0, "Done.\n")
            assert "no stdin data" in done.err
    finally:
        os.close(reading)
        os.close(writing)


@pytest.mark.parametrize("closing", ["<&-", ">&- <&-", "2>&-"])
def test_closed_descriptors_are_no_problem(closing: str) -> None:
    with running_fake_api() as api:
        api.reply(turn(tool_use("Bash", {"command": "echo hi"}, id="toolu_1")), turn("Done."))
        words = command("-p", "go", "--allowedTools", "Bash")
        done = subprocess.run(
            ["bash", "-c", f'"$@" {closing}', "bash", *words],
            env=child_env(api.url),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in done.stderr
        if ">&- <" not in closing:
            assert (done.returncode, done.stdout) == (0, "Done.\n")
        assert "hi" in str(api.calls[1].results["toolu_1"]["content"])


def test_a_reader_that_goes_away_ends_the_run() -> None:
    with running_fake_api() as api:
        calls = [tool_use("Bash", {"command": "sleep 0.2"}, id=f"toolu_{n}") for n in range(9)]
        api.reply(*(turn("x" * 50_000, call) for call in calls))
        stream = ("-p", "go", "--output-format", "stream-json", "--verbose")
        with Running(*stream, "--allowedTools", "Bash", url=api.url) as run:
            assert run.process.stdout is not None
            run.process.stdout.readline()
            run.process.stdout.close()
            assert run.process.wait(10) != 0
            assert run.process.stderr is not None
            assert run.process.stderr.read() == b""
        assert api.left > 0


BAD = {
    "an unknown flag": (("-p", "x", "--frobnicate"), "No such option '--frobnicate'"),
    "a missing value": (("-p", "x", "--model"), "--model"),
    "an unknown format": (("-p", "x", "--output-format", "yaml"), "--output-format"),
    "partial messages without stream-json": (
        ("-p", "x", "--include-partial-messages"),
        "--include-partial-messages requires --output-format=stream-json",
    ),
    "bad JSON in --settings": (("-p", "x", "--settings", '{"a":'), "--settings"),
    "settings of a wrong type": (("-p", "x", "--settings", "[1]"), "--settings"),
    "a missing settings file": (("-p", "x", "--settings", "/none.json"), "/none.json"),
    "an unknown tool": (("-p", "x", "--tools", "Nothing"), "there is no tool 'Nothing'"),
    "an unknown mode": (("-p", "x", "--permission-mode", "yolo"), "--permission-mode"),
    "a missing directory": (("-p", "x", "--add-dir", "/none"), "/none is not a directory"),
    "a file as directory": (("-p", "x", "--add-dir", "/etc/passwd"), "is not a directory"),
    "a missing prompt file": (("-p", "x", "--system-prompt-file", "/none"), "/none"),
    "a device as prompt file": (("-p", "x", "--system-prompt-file", "/dev/zero"), "regular file"),
    "a binary prompt file": (("-p", "x", "--append-system-prompt-file", "bin"), "UTF-8"),
    "both system prompts": (
        ("-p", "x", "--system-prompt", "a", "--system-prompt-file", "b"),
        "exclude each other",
    ),
    "a bad session id": (("-p", "x", "--session-id", "7"), "must be a UUID"),
    "no turns at all": (("-p", "x", "--max-turns", "0"), "--max-turns must be greater than 0"),
    "turns in words": (("-p", "x", "--max-turns", "two"), "--max-turns"),
    "a negative budget": (("-p", "x", "--max-budget-usd", "-1"), "--max-budget-usd"),
    "no number of seconds": (("-p", "x", "--max-seconds", "nan"), "--max-seconds"),
    "an unknown source": (("-p", "x", "--setting-sources", "moon"), "'moon' is unknown"),
    "resume without an id": (("-p", "x", "--resume"), "--resume needs"),
    "resume and continue": (("-p", "x", "-c", "--resume=y"), "exclude each other"),
    "a broken script": (("-p", "x", "--model", "scripted:bin"), "not valid JSON"),
    "a missing script": (("-p", "x", "--model", "scripted:/none"), "/none"),
}


@pytest.mark.parametrize("case", list(BAD))
def test_bad_input_is_one_line_and_exit_1(case: str) -> None:
    args, words = BAD[case]
    Path("bin").write_bytes(b"\xff\xfe\x00\x01")
    done = run_hames(*args, url="http://127.0.0.1:9", model=None)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert words in done.err
    assert done.err.count("\n") == 1
    assert session_files() == []


def test_a_stream_reader_is_told_of_a_bad_flag_in_its_stream() -> None:
    words = "When using --print, --output-format=stream-json requires --verbose"
    done = run_hames("-p", "x", "--output-format", "stream-json", url="http://127.0.0.1:9")
    assert (done.code, done.err) == (1, f"Error: {words}\n")
    assert (done.result["type"], done.result["errors"]) == ("result", [words])


def test_an_unknown_session_is_told_in_the_public_words() -> None:
    unknown = "00000000-0000-4000-8000-000000000000"
    done = run_hames("-p", "x", f"--resume={unknown}", url="http://127.0.0.1:9")
    assert done == Finished(1, "", f"No conversation found with session ID: {unknown}\n")


def test_a_missing_key_names_the_variables_and_the_demo() -> None:
    done = run_hames("-p", "x")
    text = done.out + done.err
    assert done.code == 1
    for words in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "make demo"):
        assert words in text
    assert "Traceback" not in text


def test_a_deleted_directory_is_told() -> None:
    words = command("-p", "x")
    done = subprocess.run(
        ["bash", "-c", 'mkdir gone; cd gone; rmdir ../gone; "$@"', "bash", *words],
        env=child_env("http://127.0.0.1:9"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "no longer exists" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_directory_that_goes_away_during_the_run_ends_nothing() -> None:
    Path("inner").mkdir()

    def remove(request: RecordedRequest) -> Turn:
        del request
        Path("inner").rmdir()
        return turn(
            tool_use("Bash", {"command": "pwd"}, id="toolu_bash"),
            tool_use("Read", {"file_path": "/etc/hostname"}, id="toolu_read"),
        )

    with running_fake_api() as api:
        api.reply(remove, turn("Done."))
        done = run_hames("-p", "x", "--allowedTools", "Bash", url=api.url, cwd=Path("inner"))
        assert done == Finished(0, "Done.\n", "")
        lost = api.calls[1].results["toolu_bash"]
        assert lost["is_error"] is True
        assert "no longer exists" in str(lost["content"])


@pytest.mark.parametrize("name", ["with blanks", "quo'te\"s", "new\nline", "ünï漢", "-dash"])
def test_odd_homes_and_folders_work(name: str, tmp_path: Path) -> None:
    home, work = tmp_path / f"home {name}", tmp_path / "work" / name
    home.mkdir()
    work.mkdir()
    (work / "a.txt").write_text("alpha\n", encoding="utf-8")
    with running_fake_api() as api:
        api.reply(
            turn(
                tool_use("Read", {"file_path": str(work / "a.txt")}, id="toolu_1"),
                tool_use("Bash", {"command": "cat a.txt"}, id="toolu_2"),
            ),
            turn("Done."),
            turn("Again."),
        )
        env = {"HOME": str(home)}
        flags = ("--allowedTools", "Bash")
        done = run_hames("-p", "x", *flags, url=api.url, cwd=work, env=env)
        assert done == Finished(0, "Done.\n", "")
        for result in api.calls[1].results.values():
            assert "alpha" in str(result["content"])
        again = run_hames("-p", "y", "-c", url=api.url, cwd=work, env=env)
        assert again == Finished(0, "Again.\n", "")
        assert len(api.calls[2].messages) == 5


def test_everything_written_is_private_whatever_the_umask() -> None:
    with running_fake_api() as api:
        long = tool_use("Bash", {"command": "seq 1 30000"}, id="toolu_1")
        api.reply(turn(long), turn("Done."))
        flags = ("-p", "x", "--allowedTools", "Bash")
        assert run_hames(*flags, url=api.url, umask=0).code == 0
    home = Path(os.environ["HOME"])
    written = [path for path in home.rglob("*") if ".cache" not in path.parts]
    assert session_files()[0] in written
    for path in written:
        allowed = 0o700 if path.is_dir() else 0o600
        assert path.stat().st_mode & 0o777 & ~allowed == 0, path


def test_a_binary_file_is_no_text_and_no_trouble() -> None:
    Path("data.bin").write_bytes(bytes(range(256)) * 40)
    with running_fake_api() as api:
        read = tool_use("Read", {"file_path": str(Path("data.bin").absolute())}, id="toolu_1")
        shown = tool_use("Bash", {"command": "cat data.bin"}, id="toolu_2")
        api.reply(turn(read, shown), turn("Done."))
        done = run_hames("-p", "x", "--allowedTools", "Bash", url=api.url)
        assert done == Finished(0, "Done.\n", "")
        assert api.calls[1].results["toolu_1"]["is_error"] is True
    assert entries_of(session_files()[0])


def test_a_folder_that_cannot_be_made_costs_the_record_but_not_the_answer() -> None:
    projects = Path(os.environ["HOME"]) / ".claude" / "projects"
    projects.parent.mkdir()
    projects.write_text("in the way", encoding="utf-8")
    with running_fake_api() as api:
        api.reply(turn(tool_use("Bash", {"command": "echo hi"}, id="toolu_1")), turn("Done."))
        done = run_hames("-p", "x", "--allowedTools", "Bash", url=api.url)
    assert (done.code, done.out) == (0, "Done.\n"), done.err
    assert "cannot be written" in done.err
    assert done.err.count("\n") == 1
    assert projects.read_text(encoding="utf-8") == "in the way"


def test_a_disk_that_fills_up_costs_the_record_but_not_the_answer() -> None:
    with running_fake_api() as api:
        api.reply(turn("x" * 40_000, tool_use("Bash", {"command": "echo hi"})), turn("Done."))
        words = command("-p", "x", "--allowedTools", "Bash")
        done = subprocess.run(
            ["bash", "-c", 'ulimit -f 48; exec "$@"', "bash", *words],
            env=child_env(api.url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stdout) == (0, "Done.\n"), done.stderr
    assert "cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1


def test_notices_are_json_safe() -> None:
    settings = json.dumps({"permissions": {"allow": ["Bash(\u0007"]}})
    with running_fake_api() as api:
        api.reply(turn("Done."))
        done = run_hames("-p", "x", "--settings", settings, url=api.url)
        assert (done.code, done.out) == (0, "Done.\n")
        assert "\u0007" not in done.err
