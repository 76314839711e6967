"""Events as public stream-json messages. Pure: one event in, its messages out."""

from typing import NamedTuple

from hames.cli.wire.init import init_message
from hames.cli.wire.lines import parts_below_limit
from hames.cli.wire.result import result_message
from hames.harness import events as ev
from hames.harness.ops import new_id
from hames.system.types import JsonObject


class WireOptions(NamedTuple):
    """What the reader asked for. `states` sends session_state_changed frames, `host_only` marks
    them for a host that asked through its environment."""

    partial: bool = False
    hook_events: bool = False
    replay: bool = False
    states: bool = False
    host_only: bool = False


DEFAULT_OPTIONS = WireOptions()

_ALWAYS_SHOWN_HOOKS = ("SessionStart", "Setup")
_NEVER_STARTED = ("Notification", "SessionEnd", "PreCompact", "PostCompact")
_LEVELS = {"error": "warning"}


def messages_of(event: ev.Event, options: WireOptions = DEFAULT_OPTIONS) -> list[JsonObject]:
    """The messages of an event, in order; most events have one, some none."""
    match event:
        case ev.TurnStarted():
            return [init_message(event)]
        case ev.BlockCompleted():
            return [_assistant(event)]
        case ev.ToolFinished():
            return [_tool_result(event)]
        case ev.TurnFinished():
            return [result_message(event)]
        case ev.StreamDelta() if options.partial:
            return [_stream_event(event)]
        case ev.PromptTaken() if options.replay:
            return [_replayed(event)]
        case ev.SessionReset():
            return [
                _top("conversation_reset", event.scope, new_conversation_id=event.new_session_id)
            ]
        case _:
            return _system(event, options)


def _system(event: ev.Event, options: WireOptions) -> list[JsonObject]:
    match event:
        case ev.Retrying():
            return [
                _sub(
                    "api_retry",
                    event.scope,
                    attempt=event.attempt,
                    max_retries=event.max_retries,
                    retry_delay_ms=event.delay_ms,
                    error_status=event.status,
                    error=event.error,
                )
            ]
        case ev.CallDenied():
            return [_denied(event)]
        case ev.HookRan():
            return _hook(event, options)
        case ev.Notice():
            return [_informational(event)]
        case ev.StatusChanged() if options.states:
            state = _sub("session_state_changed", event.scope, state=event.state)
            return [{**state, "sdk_host_only": True} if options.host_only else state]
        case ev.TranscriptGrew():
            return [
                {"type": "transcript_mirror", "filePath": str(event.path), "entries": part}
                for part in parts_below_limit(event.entries)
            ]
        case ev.ToolProgress():
            return [
                _top(
                    "tool_progress",
                    event.scope,
                    tool_use_id=event.call_id,
                    tool_name=event.name,
                    parent_tool_use_id=event.scope.parent_tool_use_id,
                    elapsed_time_seconds=round(event.elapsed, 1),
                )
            ]
        case _:
            return []


def _assistant(event: ev.BlockCompleted) -> JsonObject:
    message = _top(
        "assistant",
        event.scope,
        message=event.message,
        parent_tool_use_id=event.scope.parent_tool_use_id,
    )
    message["uuid"] = event.uuid
    if event.error is not None:
        message["error"] = event.error
    if event.aborted:
        message["aborted"] = True
    return message


def _tool_result(event: ev.ToolFinished) -> JsonObject:
    message = _top(
        "user",
        event.scope,
        message={"role": "user", "content": [event.block]},
        parent_tool_use_id=event.scope.parent_tool_use_id,
        tool_use_result=event.structured,
    )
    message["uuid"] = event.uuid
    return message


def _replayed(event: ev.PromptTaken) -> JsonObject:
    message = _top(
        "user",
        event.scope,
        message={"role": "user", "content": event.content},
        parent_tool_use_id=None,
        isReplay=True,
    )
    message["uuid"] = event.uuid
    return message


def _stream_event(event: ev.StreamDelta) -> JsonObject:
    message = _top("stream_event", event.scope, event=event.event, parent_tool_use_id=None)
    if event.ttft_ms is not None:
        message["ttft_ms"] = event.ttft_ms
    return message


def _denied(event: ev.CallDenied) -> JsonObject:
    message = _sub(
        "permission_denied",
        event.scope,
        tool_name=event.name,
        tool_use_id=event.call_id,
        decision_reason_type=event.reason_type,
        decision_reason=event.reason,
        message=event.reason,
    )
    if event.scope.agent_id is not None:
        message["agent_id"] = event.scope.agent_id
    return message


def _hook(event: ev.HookRan, options: WireOptions) -> list[JsonObject]:
    if not (options.hook_events or event.event in _ALWAYS_SHOWN_HOOKS):
        return []
    known: JsonObject = {
        "hook_id": event.hook_id,
        "hook_name": event.name,
        "hook_event": event.event,
    }
    if event.outcome is None:
        hidden = event.event in _NEVER_STARTED
        return [] if hidden else [_sub("hook_started", event.scope, **known)]
    known |= {"output": event.stdout, "stdout": event.stdout, "stderr": event.stderr}
    if event.exit_code is not None:
        known["exit_code"] = event.exit_code
    return [_sub("hook_response", event.scope, **known, outcome=event.outcome)]


def _informational(event: ev.Notice) -> JsonObject:
    level = _LEVELS.get(event.level, event.level)
    message = _sub("informational", event.scope, content=event.text, level=level)
    if event.call_id is not None:
        message["tool_use_id"] = event.call_id
    if event.stops:
        message["prevent_continuation"] = True
    return message


def no_background_tasks(scope: ev.Scope) -> JsonObject:
    """The set of live background tasks, for a client that introduces itself again."""
    return _sub("background_tasks_changed", scope, tasks=[])


def _top(kind: str, scope: ev.Scope, **keys: object) -> JsonObject:
    return {"type": kind, **keys, "session_id": scope.session_id, "uuid": new_id()}


def _sub(subtype: str, scope: ev.Scope, **keys: object) -> JsonObject:
    return _top("system", scope, subtype=subtype, **keys)
