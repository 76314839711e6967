"""Running hames as a program against the fake Messages API."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODEL = "claude-sonnet-4-6"
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Stdout as messages, one per line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def result(self) -> dict[str, Any]:
        """The last message of stdout."""
        return self.lines[-1]

    def kinds(self) -> list[str]:
        """Type and subtype of every message, e.g. `system/init`."""
        return [
            "/".join(str(m[key]) for key in ("type", "subtype") if key in m) for m in self.lines
        ]


def child_env(url: str | None, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The isolated environment of a child; without `url` it knows no API and no key."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.environ["HOME"],
        "PYTHONPATH": ":".join(path for path in sys.path if path),
        "HAMES_RETRY_SCALE": "0.001",
    }
    if url is not None:
        env |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-test-secret"}
    return env | dict(more or {})


def command(*args: str, model: str | None = MODEL) -> list[str]:
    """The command line of a run; `args` come before the model flag."""
    named = ["--model", model] if model is not None else []
    return [sys.executable, "-m", "hames", *named, *args]


def run_hames(
    *args: str,
    url: str | None = None,
    stdin: str | bytes | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    model: str | None = MODEL,
    **options: Any,
) -> Finished:
    """Run to the end; `stdin` None is /dev/null."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    given: dict[str, Any] = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
    done = subprocess.run(
        command(*args, model=model),
        env=child_env(url, env),
        cwd=cwd,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        **given,
        **options,
    )
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode())


class Running:
    """A run under way; leave it as a context manager, so that it never outlives its test."""

    def __init__(
        self, *args: str, url: str | None, env: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        options.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen(
            command(*args),
            env=child_env(url, env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **options,
        )

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *unused: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to hames alone."""
        self.process.send_signal(number)

    def end(self) -> Finished:
        """Wait for the end."""
        out, err = self.process.communicate(timeout=SECONDS)
        return Finished(self.process.returncode, out.decode(), err.decode())


def session_files() -> list[Path]:
    """Every main transcript below the isolated home, oldest first."""
    found = Path(os.environ["HOME"]).glob(".claude/projects/*/*.jsonl")
    return sorted(found, key=lambda path: path.stat().st_mtime_ns)


def entries_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a transcript; each must be whole."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
