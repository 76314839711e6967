"""One headless run of the real program against the fake API, and the requests that it sent."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.fake_api import Reply, assert_prefix_law, running_fake_api
from support.run import run_hames


@dataclass(frozen=True, slots=True)
class Answered:
    """How the run ended, and the raw bodies of its requests."""

    code: int
    out: str
    err: str
    raw: tuple[bytes, ...]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The requests, parsed."""
        return [json.loads(raw) for raw in self.raw]

    def texts(self, request: int = -1) -> list[str]:
        """The text blocks of the last user message of a request, in order."""
        blocks = self.bodies[request]["messages"][-1]["content"]
        return [block["text"] for block in blocks if block["type"] == "text"]

    def results(self, request: int = -1) -> list[str]:
        """The contents of the tool results of the last user message of a request."""
        blocks = self.bodies[request]["messages"][-1]["content"]
        return [str(block["content"]) for block in blocks if block["type"] == "tool_result"]


def ask(
    prompt: str,
    *replies: Reply,
    flags: tuple[str, ...] = (),
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Answered:
    """Run `hames -p prompt`; nothing may be refused, and the prefix law holds."""
    with running_fake_api() as api:
        api.reply(*replies)
        done = run_hames("-p", prompt, *flags, url=api.url, env=env, cwd=cwd, model=None)
        assert api.refusals == []
        assert api.left == 0, done.err
        calls = api.calls
        assert_prefix_law(calls)
        return Answered(done.code, done.out, done.err, tuple(call.raw for call in calls))


def write(path: Path, text: str) -> Path:
    """Write a file, folders included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
