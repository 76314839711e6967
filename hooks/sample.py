"""Events made up for trying hooks: every event with plausible input, and what the caller knows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hames.hooks.events import HookEvent
from hames.system.types import JsonObject

_TOOL_INPUTS: Mapping[str, JsonObject] = {
    "Bash": {"command": "echo hello", "description": "Say hello"},
    "Read": {"file_path": "README.md"},
    "Write": {"file_path": "example.txt", "content": "hello\n"},
    "Edit": {"file_path": "example.txt", "old_string": "hello", "new_string": "goodbye"},
    "Glob": {"pattern": "**/*.py"},
    "Grep": {"pattern": "hello"},
    "WebFetch": {"url": "https://example.com/", "prompt": "What is this?"},
}
_TOOL_RESPONSES: Mapping[str, object] = {
    "Bash": {"stdout": "hello\n", "stderr": "", "interrupted": False, "isImage": False},
    "Write": {"filePath": "example.txt", "success": True},
    "Edit": {"filePath": "example.txt"},
}
_TASK: JsonObject = {"task_id": "1", "task_subject": "Write the parser"}
_STOP: JsonObject = {
    "stop_hook_active": False,
    "last_assistant_message": "Done.",
    "background_tasks": [],
    "session_crons": [],
}
_AGENT: JsonObject = {"agent_id": "a1", "agent_type": "general-purpose"}

_FIELDS: Mapping[str, JsonObject] = {
    "SessionStart": {"source": "startup"},
    "Setup": {"trigger": "init"},
    "InstructionsLoaded": {
        "file_path": "CLAUDE.md",
        "memory_type": "Project",
        "load_reason": "session_start",
    },
    "UserPromptSubmit": {"prompt": "Fix the failing test"},
    "UserPromptExpansion": {
        "expansion_type": "slash_command",
        "command_name": "review",
        "command_args": "",
        "command_source": "project",
        "prompt": "/review",
    },
    "MessageDisplay": {
        "turn_id": "t1",
        "message_id": "msg_1",
        "index": 0,
        "final": True,
        "delta": "Done.",
    },
    "PermissionRequest": {"permission_suggestions": []},
    "PermissionDenied": {"tool_use_id": "toolu_test", "reason": "not allowed"},
    "PreToolUse": {"tool_use_id": "toolu_test"},
    "PostToolUse": {"tool_use_id": "toolu_test", "duration_ms": 1},
    "PostToolUseFailure": {"tool_use_id": "toolu_test", "error": "Exit code 1"},
    "PostToolBatch": {"tool_calls": []},
    "Notification": {
        "message": "hames is waiting for your input",
        "notification_type": "idle_prompt",
    },
    "SubagentStart": _AGENT,
    "SubagentStop": {**_STOP, **_AGENT, "agent_transcript_path": "agent-a1.jsonl"},
    "Stop": _STOP,
    "StopFailure": {"error": "server_error"},
    "TaskCreated": _TASK,
    "TaskCompleted": _TASK,
    "TeammateIdle": {"teammate_name": "reviewer", "team_name": "team"},
    "ConfigChange": {"source": "project_settings"},
    "CwdChanged": {"old_cwd": "/", "new_cwd": "/tmp"},
    "DirectoryAdded": {"directory": "/tmp", "source": "slash_command"},
    "FileChanged": {"file_path": ".env", "event": "change"},
    "WorktreeCreate": {"name": "feature"},
    "WorktreeRemove": {"worktree_path": "/tmp/feature"},
    "PreCompact": {"trigger": "auto", "custom_instructions": ""},
    "PostCompact": {"trigger": "auto", "compact_summary": "The test was fixed."},
    "SessionEnd": {"reason": "other"},
    "Elicitation": {"mcp_server_name": "server", "message": "Which branch?", "mode": "form"},
    "ElicitationResult": {"mcp_server_name": "server", "action": "accept"},
    "PreModelSwitch": {"old_model": "sonnet", "new_model": "opus"},
    "PostModelSwitch": {"old_model": "sonnet", "new_model": "opus"},
    "PreSkillShellCommand": {"skill_name": "release", "command": "git status"},
}
_WITH_TOOL = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
_ALSO_WITH_TOOL = ("PermissionRequest", "PermissionDenied")


def sample_event(
    name: str,
    *,
    tool: str | None = None,
    given: JsonObject | None = None,
    prompt: str | None = None,
    cwd: Path,
) -> HookEvent:
    """An event as it would look in `cwd`; `given` is the tool's input, or fields of the event."""
    fields: dict[str, Any] = dict(_FIELDS[name])
    if name in (*_WITH_TOOL, *_ALSO_WITH_TOOL):
        tool = tool or "Bash"
        fields = {
            "tool_name": tool,
            "tool_input": dict(given if given is not None else _TOOL_INPUTS.get(tool, {})),
            **fields,
        }
        if name == "PostToolUse":
            fields["tool_response"] = _TOOL_RESPONSES.get(tool, {})
    else:
        fields.update(given or {})
    for holder in (fields, fields.get("tool_input", {})):
        path = holder.get("file_path")
        if isinstance(path, str):
            holder["file_path"] = str(cwd / Path(path).expanduser())
    if prompt is not None and "prompt" in fields:
        fields["prompt"] = prompt
    return HookEvent(name, fields)
