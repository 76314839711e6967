"""The input of every event, one builder each; the keys are those that hook scripts read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hames.hooks.context import HookContext, HookSession
from hames.hooks.event_table import EVENTS, TOOL_EVENTS
from hames.system.types import JsonObject


@dataclass(frozen=True, slots=True)
class HookEvent:
    """An event that fires: its name and its own input fields, without the common ones."""

    name: str
    fields: JsonObject

    @property
    def subject(self) -> str | None:
        """What matchers test; None when the event has no matcher or the field is absent."""
        key = EVENTS[self.name].subject
        value = self.fields.get(key) if key is not None else None
        if value is None:
            return None
        return Path(str(value)).name if self.name == "FileChanged" else str(value)

    @property
    def label(self) -> str:
        """The public hook name, e.g. `PreToolUse:Bash`."""
        subject = self.subject
        return self.name if subject is None else f"{self.name}:{subject}"


def input_of(event: HookEvent, session: HookSession, context: HookContext) -> JsonObject:
    """The JSON object that a hook of `event` reads."""
    given: JsonObject = {
        "session_id": session.session_id,
        "transcript_path": str(session.transcript_path),
        "cwd": str(context.cwd),
        "hook_event_name": event.name,
    }
    if context.prompt_id is not None:
        given["prompt_id"] = context.prompt_id
    if EVENTS[event.name].permission_mode:
        given["permission_mode"] = context.permission_mode
    if context.effort is not None and event.name in _EFFORT_EVENTS:
        given["effort"] = {"level": context.effort}
    if context.agent_id is not None:
        given["agent_id"] = context.agent_id
    if context.agent_type is not None:
        given["agent_type"] = context.agent_type
    given.update(event.fields)
    return given


def shorten_middle(text: str, limit: int = 10_000) -> str:
    """`text` without its middle when it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters left out ...\n{text[-half:]}"


_EFFORT_EVENTS = TOOL_EVENTS | {"PostToolBatch", "Stop", "SubagentStop"}


def event(name: str, /, **fields: object) -> HookEvent:
    """An event without the fields that are None: absent means unknown."""
    return HookEvent(name, {key: value for key, value in fields.items() if value is not None})


def session_start(
    source: str,
    model: str | None = None,
    agent_type: str | None = None,
    session_title: str | None = None,
) -> HookEvent:
    """`source` is startup, resume, clear, compact or fork."""
    return event(
        "SessionStart",
        source=source,
        model=model,
        agent_type=agent_type,
        session_title=session_title,
    )


def setup(trigger: str) -> HookEvent:
    """`trigger` is init or maintenance."""
    return event("Setup", trigger=trigger)


def instructions_loaded(
    file_path: str,
    memory_type: str,
    load_reason: str,
    *,
    globs: Sequence[str] | None = None,
    trigger_file_path: str | None = None,
    parent_file_path: str | None = None,
) -> HookEvent:
    """`memory_type` is User, Project, Local or Managed."""
    return event(
        "InstructionsLoaded",
        file_path=file_path,
        memory_type=memory_type,
        load_reason=load_reason,
        globs=None if globs is None else list(globs),
        trigger_file_path=trigger_file_path,
        parent_file_path=parent_file_path,
    )


def user_prompt_submit(prompt: str) -> HookEvent:
    """A prompt was sent; the model has not seen it."""
    return event("UserPromptSubmit", prompt=prompt)


def user_prompt_expansion(
    expansion_type: str, command_name: str, command_args: str, command_source: str, prompt: str
) -> HookEvent:
    """`expansion_type` is slash_command or mcp_prompt; `prompt` is what was typed."""
    return event(
        "UserPromptExpansion",
        expansion_type=expansion_type,
        command_name=command_name,
        command_args=command_args,
        command_source=command_source,
        prompt=prompt,
    )


def message_display(
    turn_id: str, message_id: str, index: int, final: bool, delta: str
) -> HookEvent:
    """Assistant text is about to be shown."""
    return event(
        "MessageDisplay",
        turn_id=turn_id,
        message_id=message_id,
        index=index,
        final=final,
        delta=delta,
    )


def pre_tool_use(tool_name: str, tool_input: JsonObject, tool_use_id: str) -> HookEvent:
    """A valid call is about to be judged; file paths in it are absolute."""
    return event("PreToolUse", tool_name=tool_name, tool_input=tool_input, tool_use_id=tool_use_id)


def permission_request(
    tool_name: str,
    tool_input: JsonObject,
    permission_suggestions: Sequence[JsonObject] | None = None,
) -> HookEvent:
    """A question is about to be asked; suggestions are PermissionUpdate objects."""
    suggestions = None if permission_suggestions is None else list(permission_suggestions)
    return event(
        "PermissionRequest",
        tool_name=tool_name,
        tool_input=tool_input,
        permission_suggestions=suggestions,
    )


def permission_denied(
    tool_name: str, tool_input: JsonObject, tool_use_id: str, reason: str
) -> HookEvent:
    """Auto mode refused the call."""
    return event(
        "PermissionDenied",
        tool_name=tool_name,
        tool_input=tool_input,
        tool_use_id=tool_use_id,
        reason=reason,
    )


def post_tool_use(
    tool_name: str,
    tool_input: JsonObject,
    tool_response: object,
    tool_use_id: str,
    duration_ms: int | None = None,
) -> HookEvent:
    """A call succeeded; `tool_response` is its structured output."""
    return event(
        "PostToolUse",
        tool_name=tool_name,
        tool_input=tool_input,
        tool_response=tool_response,
        tool_use_id=tool_use_id,
        duration_ms=duration_ms,
    )


def post_tool_use_failure(
    tool_name: str,
    tool_input: JsonObject,
    tool_use_id: str,
    error: str,
    *,
    is_interrupt: bool | None = None,
    duration_ms: int | None = None,
) -> HookEvent:
    """A call started and failed; refused and invalid calls do not fire it."""
    return event(
        "PostToolUseFailure",
        tool_name=tool_name,
        tool_input=tool_input,
        tool_use_id=tool_use_id,
        error=shorten_middle(error),
        is_interrupt=is_interrupt,
        duration_ms=duration_ms,
    )


def post_tool_batch(tool_calls: Sequence[JsonObject]) -> HookEvent:
    """All calls of one response are done: objects of tool_name, tool_input, tool_use_id,
    tool_response."""
    return event("PostToolBatch", tool_calls=list(tool_calls))


def notification(message: str, notification_type: str, title: str | None = None) -> HookEvent:
    """The user's attention is wanted."""
    return event("Notification", message=message, title=title, notification_type=notification_type)


def subagent_start(agent_id: str, agent_type: str) -> HookEvent:
    """A subagent begins."""
    return event("SubagentStart", agent_id=agent_id, agent_type=agent_type)


def subagent_stop(
    stop_hook_active: bool,
    agent_id: str,
    agent_type: str,
    agent_transcript_path: str,
    *,
    last_assistant_message: str | None = None,
    background_tasks: Sequence[JsonObject] = (),
    session_crons: Sequence[JsonObject] = (),
) -> HookEvent:
    """A subagent is about to finish."""
    return event(
        "SubagentStop",
        stop_hook_active=stop_hook_active,
        agent_id=agent_id,
        agent_type=agent_type,
        agent_transcript_path=agent_transcript_path,
        last_assistant_message=last_assistant_message,
        background_tasks=list(background_tasks),
        session_crons=list(session_crons),
    )


def stop(
    stop_hook_active: bool,
    last_assistant_message: str | None = None,
    background_tasks: Sequence[JsonObject] = (),
    session_crons: Sequence[JsonObject] = (),
) -> HookEvent:
    """The main agent is about to finish; `stop_hook_active` when a stop hook made it go on."""
    return event(
        "Stop",
        stop_hook_active=stop_hook_active,
        last_assistant_message=last_assistant_message,
        background_tasks=list(background_tasks),
        session_crons=list(session_crons),
    )


def stop_failure(
    error: str, error_details: str | None = None, last_assistant_message: str | None = None
) -> HookEvent:
    """The turn ended by an API error of kind `error`."""
    return event(
        "StopFailure",
        error=error,
        error_details=error_details,
        last_assistant_message=last_assistant_message,
    )
