"""`hames -p` as a program, in the working directory of a test, with hooks and a fake API."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hames.system.types import JsonObject, is_list
from support.fake_api import FakeApiThread
from support.run import Finished, run_hames


class Ran(Finished):
    """A finished run; with stream-json output its messages can be asked for."""

    @property
    def messages(self) -> list[JsonObject]:
        """The lines of stream-json output."""
        return self.lines

    @property
    def result(self) -> JsonObject:
        """The result message."""
        return next(m for m in self.lines if m["type"] == "result")

    def hook_frames(self, event: str) -> list[JsonObject]:
        """The frames about the hooks of an event."""
        return [m for m in self.lines if m.get("hook_event") == event]


def hames(api: FakeApiThread, *args: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run `hames -p` with the arguments."""
    done = run_hames("-p", *args, url=api.url, env=env, model=None)
    return Ran(done.code, done.out, done.err)


def streamed(api: FakeApiThread, *args: str, **options: Any) -> Ran:
    """Run `hames -p` with stream-json output and hook frames."""
    flags = ("--output-format", "stream-json", "--verbose", "--include-hook-events")
    return hames(api, *flags, *args, **options)


def hooks_of(**events: Any) -> None:
    """Write the user settings with hooks: event name to a command, handler or matcher groups."""
    settings_with({"hooks": {name: groups(value) for name, value in events.items()}})


def settings_with(values: JsonObject) -> Path:
    """Write the user settings."""
    path = Path(os.environ["HOME"], ".claude", "settings.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values), encoding="utf-8")
    return path


def groups(value: Any) -> list[JsonObject]:
    """A command, a handler or several of them as matcher groups."""
    values: list[Any] = value if is_list(value) else [value]
    handlers: list[JsonObject] = [
        {"type": "command", "command": v} if isinstance(v, str) else v for v in values
    ]
    return [h if "hooks" in h else {"hooks": [h]} for h in handlers]


def says(answer: JsonObject | str, code: int = 0, err: str = "") -> str:
    """A shell command that answers so."""
    text = answer if isinstance(answer, str) else json.dumps(answer)
    quoted = "'" + text.replace("'", "'\\''") + "'"
    end = f"; echo '{err}' >&2" if err else ""
    return f"printf '%s' {quoted}{end}; exit {code}"


def specific(event: str, **fields: Any) -> JsonObject:
    """An answer with fields of its event."""
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def keeps(name: str) -> str:
    """A shell command that appends its stdin to a file of the working directory."""
    return f"cat >> '{Path.cwd() / name}'"


def kept(name: str) -> list[JsonObject]:
    """What hooks appended to a file, one input each; [] without the file."""
    path = Path.cwd() / name
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def transcript() -> list[JsonObject]:
    """The entries of the only session."""
    (path,) = Path(os.environ["HOME"], ".claude", "projects").glob("*/*.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
