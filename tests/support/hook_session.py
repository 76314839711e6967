"""Building hook engines for tests: real scripts, fake runners, recorded observers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hames.hooks.background import BackgroundResult
from hames.hooks.config import parse_hooks
from hames.hooks.context import HookContext, HookSession
from hames.hooks.engine import HookEngine
from hames.hooks.event_table import HandlerType
from hames.hooks.policy import HookPolicy
from hames.hooks.ports import RawOutput, Runner
from hames.hooks.result import HookRun
from hames.hooks.spec import HookSource, HookSpec
from hames.system.types import JsonObject

SESSION_ID = "11111111-2222-4333-8444-555555555555"
USER = HookSource("user", "User Settings")
DEFAULT_POLICY = HookPolicy()
PROJECT = HookSource("project", "Project Settings")


def session(tmp_path: Path, **env: str) -> HookSession:
    """A session in `tmp_path/work` whose children find the usual programs."""
    return HookSession(
        session_id=SESSION_ID,
        transcript_path=tmp_path / "transcript.jsonl",
        project_dir=tmp_path / "work",
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **env},
        spill=tmp_path / "spill",
        env_file=tmp_path / "session-env" / "env.sh",
    )


def context(tmp_path: Path, **facts: Any) -> HookContext:
    """The moment of an event in `tmp_path/work`."""
    return HookContext(cwd=tmp_path / "work", **facts)


@dataclass(slots=True)
class FakeRunner:
    """A runner that gives one answer and keeps what it was asked."""

    answer: RawOutput = RawOutput()
    asked: list[tuple[HookSpec, JsonObject, float]] = field(
        default_factory=list[tuple[HookSpec, JsonObject, float]]
    )

    async def run(self, spec: HookSpec, given: JsonObject, timeout: float) -> RawOutput:
        """Answer at once."""
        self.asked.append((spec, given, timeout))
        return self.answer


@dataclass(slots=True)
class Seen:
    """An observer that remembers."""

    begun: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    ended: list[HookRun] = field(default_factory=list[HookRun])

    def started(self, hook_id: str, hook_name: str, spec: HookSpec) -> None:
        """Remember the start."""
        self.begun.append((hook_id, hook_name))

    def finished(self, run: HookRun) -> None:
        """Remember the end."""
        self.ended.append(run)


@dataclass(slots=True)
class Bench:
    """An engine with what it delivered in the background."""

    tmp_path: Path
    engine: HookEngine
    delivered: list[BackgroundResult]

    def add(self, hooks: JsonObject, source: HookSource = USER, **options: Any) -> None:
        """Register the hooks of one source; bad entries fail the test."""
        config = parse_hooks(hooks, source)
        assert config.problems == ()
        group = f"{source.kind}:{source.name}:{source.label}"
        self.engine.register(group, config.specs, **options)


def bench(
    tmp_path: Path,
    hooks: JsonObject | None = None,
    policy: HookPolicy = DEFAULT_POLICY,
    runners: Mapping[HandlerType, Runner] | None = None,
    **env: str,
) -> Bench:
    """An engine with user hooks."""
    delivered: list[BackgroundResult] = []
    engine = HookEngine(session(tmp_path, **env), policy, runners=runners, deliver=delivered.append)
    made = Bench(tmp_path, engine, delivered)
    if hooks is not None:
        made.add(hooks)
    return made


def one(event: str, handler: JsonObject, matcher: str | None = None) -> JsonObject:
    """Hooks with a single handler."""
    group: JsonObject = {"hooks": [handler]}
    if matcher is not None:
        group["matcher"] = matcher
    return {event: [group]}


def command(text: str, **keys: Any) -> JsonObject:
    """A command handler."""
    return {"type": "command", "command": text, **keys}


def script(folder: Path, name: str, body: str) -> Path:
    """An executable script; the first line of `body` names its interpreter."""
    path = folder / name
    path.write_text(body, encoding="utf-8")
    path.chmod(0o755)
    return path
