"""What one hook said, what all hooks of an event said together, and the record of each run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hames.hooks.spec import HookSpec
from hames.system.types import JsonObject

RunOutcome = Literal["success", "error", "cancelled"]
Verdict = Literal["allow", "deny", "ask", "defer"]


@dataclass(frozen=True, slots=True)
class Permission:
    """A hook's judgement of a call or a model switch."""

    behavior: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HookResult:
    """One hook, understood. `fields` is its checked `hookSpecificOutput`.

    `blocked` with `reason`: the event is cancelled. `stop`: the turn ends after the hooks.
    `context` goes to the model, `system_message` and `notices` to the user.
    """

    outcome: RunOutcome = "success"
    blocked: bool = False
    reason: str = ""
    permission: Permission | None = None
    stop: bool = False
    stop_reason: str = ""
    context: str = ""
    system_message: str = ""
    terminal_sequence: str = ""
    notices: tuple[str, ...] = ()
    fields: JsonObject = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class HookRun:
    """One run for the record. `exit_code` is None when no process ended; `seconds` is its time."""

    hook_id: str
    hook_name: str
    event: str
    spec: HookSpec
    outcome: RunOutcome
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    result: HookResult = HookResult()


@dataclass(frozen=True, slots=True)
class AddedContext:
    """Text for the model; `hook` names who said it, `path` holds all of it when it was cut."""

    hook: str
    text: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class RequestDecision:
    """A PermissionRequest hook's answer; `updated_permissions` are PermissionUpdate objects."""

    behavior: Literal["allow", "deny"]
    updated_input: JsonObject | None = None
    updated_permissions: tuple[JsonObject, ...] = ()
    message: str = ""
    interrupt: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the hooks of one event say together; the default says nothing.

    `blocked` is true for a denied call too. `updated_output` and `updated_mcp_output` are JSON
    values, None for no change. `watch_paths` None leaves the watch list as it is. `action` and
    `content` answer an elicitation.
    """

    runs: tuple[HookRun, ...] = ()
    permission: Permission | None = None
    request: RequestDecision | None = None
    updated_input: JsonObject | None = None
    blocked: bool = False
    reason: str = ""
    stop: bool = False
    stop_reason: str = ""
    contexts: tuple[AddedContext, ...] = ()
    system_messages: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    terminal_sequences: tuple[str, ...] = ()
    updated_output: object = None
    updated_mcp_output: object = None
    classifier_context: str = ""
    display_content: str | None = None
    initial_user_message: str | None = None
    session_title: str | None = None
    watch_paths: tuple[str, ...] | None = None
    reload_skills: bool = False
    suppress_prompt: bool = False
    retry: bool = False
    action: str | None = None
    content: JsonObject | None = None
    worktree_path: str | None = None


NOTHING = Outcome()
"""The outcome of an event that no hook concerns."""
