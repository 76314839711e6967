"""The events: what their matcher tests, what they may answer, who may handle them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

HandlerType = Literal["command", "http", "mcp_tool", "prompt", "agent", "callback"]
"""`callback` is a function of the client; the others stand in configuration."""

Kind = Literal["text", "flag", "object", "texts", "any", "decision", "request", "action"]
"""What a field of `hookSpecificOutput` must be."""

ALL: frozenset[HandlerType] = frozenset(
    {"command", "http", "mcp_tool", "prompt", "agent", "callback"}
)
PLAIN: frozenset[HandlerType] = frozenset({"command", "http", "mcp_tool", "callback"})
LOCAL: frozenset[HandlerType] = frozenset({"command", "mcp_tool", "callback"})


@dataclass(frozen=True, slots=True)
class EventInfo:
    """The facts of one event.

    `subject` is the input field that matchers test and `values` what it can be, when that is a
    closed list. `blocks`: exit 2 and blocking decisions cancel it. `discards`: `continue` and
    `systemMessage` are ignored. `text_context`: plain stdout reaches the model. `fields` are the
    members of `hookSpecificOutput`.
    """

    subject: str | None = None
    values: tuple[str, ...] = ()
    permission_mode: bool = False
    blocks: bool = False
    discards: bool = False
    handlers: frozenset[HandlerType] = PLAIN
    text_context: bool = False
    fields: Mapping[str, Kind] = field(default_factory=dict[str, Kind])


_CONTEXT: dict[str, Kind] = {"additionalContext": "text"}
_DECISION: dict[str, Kind] = {
    "permissionDecision": "decision",
    "permissionDecisionReason": "text",
}
_ANSWER: dict[str, Kind] = {"action": "action", "content": "object"}
_WATCH: dict[str, Kind] = {"watchPaths": "texts"}
_TRIGGERS = ("manual", "auto")

EVENTS: Mapping[str, EventInfo] = {
    "SessionStart": EventInfo(
        subject="source",
        values=("startup", "resume", "clear", "compact", "fork"),
        handlers=LOCAL,
        text_context=True,
        fields={
            **_CONTEXT,
            **_WATCH,
            "initialUserMessage": "text",
            "sessionTitle": "text",
            "reloadSkills": "flag",
        },
    ),
    "Setup": EventInfo(
        subject="trigger", values=("init", "maintenance"), handlers=LOCAL, fields=_CONTEXT
    ),
    "InstructionsLoaded": EventInfo(
        subject="load_reason",
        values=("session_start", "nested_traversal", "path_glob_match", "include", "compact"),
        discards=True,
    ),
    "UserPromptSubmit": EventInfo(
        permission_mode=True,
        blocks=True,
        handlers=ALL,
        text_context=True,
        fields={**_CONTEXT, "sessionTitle": "text", "suppressOriginalPrompt": "flag"},
    ),
    "UserPromptExpansion": EventInfo(
        subject="command_name",
        permission_mode=True,
        blocks=True,
        handlers=ALL,
        text_context=True,
        fields={**_CONTEXT, "suppressOriginalPrompt": "flag"},
    ),
    "MessageDisplay": EventInfo(discards=True, fields={"displayContent": "text"}),
    "PreToolUse": EventInfo(
        subject="tool_name",
        permission_mode=True,
        blocks=True,
        handlers=ALL,
        fields={**_DECISION, **_CONTEXT, "updatedInput": "object"},
    ),
    "PermissionRequest": EventInfo(
        subject="tool_name", permission_mode=True, handlers=ALL, fields={"decision": "request"}
    ),
    "PermissionDenied": EventInfo(
        subject="tool_name", permission_mode=True, handlers=ALL, fields={"retry": "flag"}
    ),
    "PostToolUse": EventInfo(
        subject="tool_name",
        permission_mode=True,
        blocks=True,
        handlers=ALL,
        fields={
            **_CONTEXT,
            "updatedToolOutput": "any",
            "updatedMCPToolOutput": "any",
            "classifierContext": "text",
        },
    ),
    "PostToolUseFailure": EventInfo(
        subject="tool_name", permission_mode=True, blocks=True, handlers=ALL, fields=_CONTEXT
    ),
    "PostToolBatch": EventInfo(permission_mode=True, blocks=True, handlers=ALL, fields=_CONTEXT),
    "Notification": EventInfo(
        subject="notification_type",
        values=(
            "permission_prompt",
            "idle_prompt",
            "auth_success",
            "elicitation_dialog",
            "elicitation_url_dialog",
            "elicitation_complete",
            "elicitation_response",
            "agent_needs_input",
            "agent_completed",
        ),
        discards=True,
        fields=_CONTEXT,
    ),
    "SubagentStart": EventInfo(subject="agent_type", fields=_CONTEXT),
    "SubagentStop": EventInfo(
        subject="agent_type", permission_mode=True, blocks=True, handlers=ALL, fields=_CONTEXT
    ),
    "Stop": EventInfo(permission_mode=True, blocks=True, handlers=ALL, fields=_CONTEXT),
    "StopFailure": EventInfo(
        subject="error",
        values=(
            "rate_limit",
            "overloaded",
            "authentication_failed",
            "oauth_org_not_allowed",
            "billing_error",
            "invalid_request",
            "model_not_found",
            "server_error",
            "max_output_tokens",
            "unknown",
        ),
        discards=True,
    ),
    "TaskCreated": EventInfo(permission_mode=True, blocks=True, handlers=ALL),
    "TaskCompleted": EventInfo(permission_mode=True, blocks=True, handlers=ALL),
    "TeammateIdle": EventInfo(permission_mode=True, blocks=True, handlers=ALL),
    "ConfigChange": EventInfo(
        subject="source",
        values=(
            "user_settings",
            "project_settings",
            "local_settings",
            "policy_settings",
            "skills",
        ),
        blocks=True,
        discards=True,
    ),
    "CwdChanged": EventInfo(fields=_WATCH),
    "DirectoryAdded": EventInfo(subject="source", values=("slash_command", "register_repo_root")),
    "FileChanged": EventInfo(subject="file_path", fields=_WATCH),
    "WorktreeCreate": EventInfo(blocks=True, discards=True, fields={"worktreePath": "text"}),
    "WorktreeRemove": EventInfo(discards=True),
    "PreCompact": EventInfo(subject="trigger", values=_TRIGGERS, blocks=True, discards=True),
    "PostCompact": EventInfo(subject="trigger", values=_TRIGGERS, discards=True),
    "SessionEnd": EventInfo(
        subject="reason",
        values=("clear", "resume", "logout", "prompt_input_exit", "other"),
        discards=True,
    ),
    "Elicitation": EventInfo(
        subject="mcp_server_name",
        permission_mode=True,
        blocks=True,
        discards=True,
        fields=_ANSWER,
    ),
    "ElicitationResult": EventInfo(
        subject="mcp_server_name",
        permission_mode=True,
        blocks=True,
        discards=True,
        fields=_ANSWER,
    ),
    "PreModelSwitch": EventInfo(subject="new_model", blocks=True, handlers=ALL, fields=_DECISION),
    "PostModelSwitch": EventInfo(
        subject="new_model", handlers=ALL, text_context=True, fields=_CONTEXT
    ),
    "PreSkillShellCommand": EventInfo(
        subject="skill_name", permission_mode=True, blocks=True, handlers=ALL
    ),
}

TOOL_EVENTS = frozenset(
    {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"}
)
"""Only here an `if` rule can be tested; elsewhere a hook that has one never runs."""

ENV_FILE_EVENTS = frozenset({"SessionStart", "Setup", "CwdChanged", "FileChanged"})
"""Hooks of these get `CLAUDE_ENV_FILE`."""

NEVER_BLOCKED_BY_FAILURE = frozenset({"Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"})
"""`onFailure: block` is ignored here: a broken hook must not keep an agent running."""

PERMISSION_EVENTS = frozenset({"PreToolUse", "PreModelSwitch"})
"""Here a blocking answer is the decision `deny`."""
