"""Judged against a made-up process: no test sends a signal by name."""

from pathlib import Path

import pytest

from hames.tools.pkill_guard import pkill_problem


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "comm").write_text("hames\n")
    (tmp_path / "cmdline").write_bytes(b"/usr/bin/python3\0/opt/bin/hames\0-p\0")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "pkill hames",
        "pkill -9 ham",
        "pkill -f python3",
        "pkill -9f 'bin/hames -p'",
        "pkill --full hames",
        "pkill -x hames",
        "sudo pkill hames",
        "echo x && pkill -f .",
        "killall hames",
    ],
)
def test_a_pattern_that_hits_hames_is_refused(command: str, own: Path) -> None:
    problem = pkill_problem(command, own)
    assert problem is not None
    assert "would end hames itself" in problem


@pytest.mark.parametrize(
    "command",
    [
        "pkill node",
        "pkill python3",
        "pkill -x ham",
        "pkill -f 'node server'",
        "pkill -f '('",
        "killall node",
        "echo pkill hames",
        "kill 123",
    ],
)
def test_other_patterns_pass(command: str, own: Path) -> None:
    assert pkill_problem(command, own) is None


def test_without_proc_nothing_is_refused(tmp_path: Path) -> None:
    assert pkill_problem("pkill hames", tmp_path / "none") is None
