"""What is under way in a session, as the lines above and below the input show it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hames.cli.tool_lines import started_argument
from hames.harness import events as ev
from hames.system.types import JsonObject, as_object


@dataclass(frozen=True, slots=True)
class Running:
    """A call that runs: `tail` is the newest line of its output."""

    name: str
    argument: str
    since: float
    tail: str = ""


@dataclass(slots=True)
class View:
    """The present, folded from events. Times are of `clock`, in seconds.

    `queued` maps the uuids of waiting messages to their text. `hint` is shown until `hint_until`.
    """

    clock: Callable[[], float] = time.monotonic
    mode: str = "default"
    model: str = ""
    effort: str | None = None
    cwd: str = ""
    cost: float = 0.0
    session_id: str = ""
    transcript: str | None = None
    commands: list[str] = field(default_factory=list[str])
    working_since: float | None = None
    interrupting: bool = False
    activity: str = ""
    retry: str = ""
    attempt: tuple[int, int] = (0, 0)
    retry_at: float = 0.0
    queued: dict[str, str] = field(default_factory=dict[str, str])
    running: dict[str, Running] = field(default_factory=dict[str, Running])
    hint: str = ""
    hint_until: float = 0.0
    started: bool = False

    @property
    def working(self) -> bool:
        """Whether a turn runs."""
        return self.working_since is not None

    def say(self, hint: str, seconds: float = 2.0) -> None:
        """Show a short hint for a while."""
        self.hint, self.hint_until = hint, self.clock() + seconds

    @property
    def told(self) -> str:
        """The hint of the moment."""
        return self.hint if self.clock() < self.hint_until else ""

    def describe(self, facts: JsonObject) -> None:
        """Take over what the session tells about itself."""
        self.model = str(facts.get("model", self.model))
        self.mode = str(facts.get("permissionMode", self.mode))
        self.cwd = str(facts.get("cwd", self.cwd))
        self.commands = [str(name) for name in facts.get("slash_commands", self.commands)]

    def expect(self) -> None:
        """A turn is about to begin."""
        self.working_since, self.activity, self.interrupting = self.clock(), "Waiting", False

    def take(self, event: ev.Event) -> None:
        """Follow one event."""
        match event:
            case ev.SessionStarted():
                self.started = True
                self.session_id, self.transcript = event.scope.session_id, event.transcript
            case ev.SessionReset():
                self.cost = 0.0
            case ev.TurnStarted():
                self._begin(event)
            case ev.TurnFinished():
                self._end(event)
            case ev.PromptTaken():
                self.queued.pop(event.uuid, None)
            case ev.StatusChanged():
                self.mode = event.mode
            case ev.Retrying():
                self.retry, self.attempt = event.message, (event.attempt, event.max_retries)
                self.retry_at = self.clock() + event.delay_ms / 1000
            case ev.StreamDelta():
                self._stream(event.event)
            case _:
                self._follow_calls(event)

    def _begin(self, event: ev.TurnStarted) -> None:
        self.describe(event.description)
        self.expect()

    def _end(self, event: ev.TurnFinished) -> None:
        self.working_since, self.activity, self.retry = None, "", ""
        self.interrupting = False
        self.cost = event.result.cost_usd
        self.running.clear()
        for uuid in event.result.prompt_uuids:
            self.queued.pop(uuid, None)

    def _stream(self, event: JsonObject) -> None:
        self.retry = ""
        if event.get("type") == "content_block_start":
            block = as_object(event.get("content_block")) or {}
            kinds = {"text": "Answering", "thinking": "Thinking", "tool_use": "Preparing a call"}
            self.activity = kinds.get(str(block.get("type")), "Working")

    def _follow_calls(self, event: ev.Event) -> None:
        match event:
            case ev.ToolStarted():
                argument = started_argument(event, self.cwd)
                self.running[event.call_id] = Running(event.name, argument, self.clock())
            case ev.ToolProgress() if event.call_id in self.running:
                old = self.running[event.call_id]
                tail = event.text.rstrip().rpartition("\n")[2]
                self.running[event.call_id] = Running(old.name, old.argument, old.since, tail)
            case ev.ToolFinished():
                self.running.pop(event.call_id, None)
                self.activity = "Waiting"
            case _:
                pass
