"""The debug log is a private file; without it nothing is logged, least of all on stderr."""

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from hames.cli.debug_log import Words
from support.fake_api import FakeApiThread, running_fake_api, turn

BAD_SETTING = '{"model":7}'


def run(api: FakeApiThread, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hames", "-p", "hi", "--settings", BAD_SETTING, *arguments],
        env={
            "PATH": os.environ["PATH"],
            "HOME": os.environ["HOME"],
            "PYTHONPATH": ":".join(sys.path),
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": api.url,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments", [["--output-format", "json"], ["--output-format", "stream-json", "--verbose"]]
)
def test_programs_get_no_warnings_on_stderr(arguments: list[str]) -> None:
    with running_fake_api() as api:
        api.reply(turn("Hello."))
        done = run(api, *arguments)
        assert (done.returncode, done.stderr) == (0, "")


def test_the_log_holds_the_warnings_and_is_private() -> None:
    with running_fake_api() as api:
        api.reply(turn("Hello."))
        done = run(api, "--output-format", "json", "--debug")
        assert (done.returncode, done.stderr) == (0, "")
        (path,) = (Path.home() / ".claude" / "debug").iterdir()
        assert path.stem in done.stdout
        assert "model" in path.read_text(encoding="utf-8")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_log_that_cannot_be_written_is_named() -> None:
    with running_fake_api() as api:
        done = run(api, "--debug-file", "/dev/null/log.txt")
        assert done.returncode == 1
        assert done.stderr.startswith("Error: the debug log /dev/null/log.txt cannot be written")


@pytest.mark.parametrize(
    ("words", "name", "passes"),
    [
        ("*", "hames.cli.print_mode", True),
        ("cli", "hames.cli.print_mode", True),
        ("cli", "hames.hooks.engine", False),
        ("cli,hooks", "hames.hooks.engine", True),
        ("!hooks", "hames.hooks.engine", False),
        ("!hooks", "hames.cli.print_mode", True),
        ("cli,!print", "hames.cli.print_mode", False),
    ],
)
def test_words_choose_records(words: str, name: str, passes: bool) -> None:
    record = logging.LogRecord(name, logging.INFO, "", 0, "", None, None)
    assert Words(words).filter(record) is passes
