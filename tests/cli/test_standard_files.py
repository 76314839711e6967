"""hames without stdin, stdout or stderr, and with a stdout that takes nothing."""

import os
import subprocess
import sys

import pytest

from support.fake_api import running_fake_api, turn
from support.stream_client import transcripts

STREAM = "--output-format stream-json --verbose"
FORMATS = ["-p hi", f"-p hi {STREAM}", f"{STREAM} --input-format stream-json"]


def run(url: str, words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m hames {words}"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": ":".join(sys.path),
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": url,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("closed", [">&-", "<&- >&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", FORMATS)
def test_closed_standard_files_get_no_other_file_in_their_place(words: str, closed: str) -> None:
    with running_fake_api() as api:
        api.script(lambda request: turn("Hello."))
        done = run(api.url, f"{words} {closed}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        for path in transcripts():
            assert '"subtype":"init"' not in path.read_text(encoding="utf-8")


def test_the_version_is_told_to_nobody() -> None:
    assert run("", "--version >&-").returncode == 0


def test_a_full_disk_behind_stdout_is_an_error() -> None:
    with running_fake_api() as api:
        api.reply(turn("Hello."))
        done = run(api.url, "-p hi >/dev/full")
        assert done.returncode == 1
        assert done.stderr == "Error: stdout cannot be written: No space left on device\n"
