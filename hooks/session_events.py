"""The input of events around the work: tasks, configuration, files, worktrees, compaction."""

from hames.hooks.events import HookEvent, event
from hames.system.types import JsonObject


def task_created(
    task_id: str,
    task_subject: str,
    task_description: str | None = None,
    teammate_name: str | None = None,
    team_name: str | None = None,
) -> HookEvent:
    """A task is being added to the list."""
    return event(
        "TaskCreated",
        task_id=task_id,
        task_subject=task_subject,
        task_description=task_description,
        teammate_name=teammate_name,
        team_name=team_name,
    )


def task_completed(
    task_id: str,
    task_subject: str,
    task_description: str | None = None,
    teammate_name: str | None = None,
    team_name: str | None = None,
) -> HookEvent:
    """A task is being marked completed."""
    return event(
        "TaskCompleted",
        task_id=task_id,
        task_subject=task_subject,
        task_description=task_description,
        teammate_name=teammate_name,
        team_name=team_name,
    )


def teammate_idle(teammate_name: str, team_name: str) -> HookEvent:
    """A teammate is about to go idle."""
    return event("TeammateIdle", teammate_name=teammate_name, team_name=team_name)


def config_change(source: str, file_path: str | None = None) -> HookEvent:
    """`source` is user_settings, project_settings, local_settings, policy_settings or skills."""
    return event("ConfigChange", source=source, file_path=file_path)


def cwd_changed(old_cwd: str, new_cwd: str) -> HookEvent:
    """The working directory of the session moved."""
    return event("CwdChanged", old_cwd=old_cwd, new_cwd=new_cwd)


def directory_added(directory: str, source: str) -> HookEvent:
    """`source` is slash_command or register_repo_root."""
    return event("DirectoryAdded", directory=directory, source=source)


def file_changed(file_path: str, change: str) -> HookEvent:
    """A watched file changed: `change` is change, add or unlink."""
    return event("FileChanged", file_path=file_path, event=change)


def worktree_create(name: str) -> HookEvent:
    """A worktree is needed; the hook makes it and answers with its path."""
    return event("WorktreeCreate", name=name)


def worktree_remove(worktree_path: str) -> HookEvent:
    """A worktree is no longer needed."""
    return event("WorktreeRemove", worktree_path=worktree_path)


def pre_compact(trigger: str, custom_instructions: str | None = "") -> HookEvent:
    """`trigger` is manual or auto; the instructions are empty for auto and may be null."""
    return HookEvent("PreCompact", {"trigger": trigger, "custom_instructions": custom_instructions})


def post_compact(trigger: str, compact_summary: str) -> HookEvent:
    """The conversation was replaced by `compact_summary`."""
    return event("PostCompact", trigger=trigger, compact_summary=compact_summary)


def session_end(reason: str) -> HookEvent:
    """`reason` is clear, resume, logout, prompt_input_exit or other."""
    return event("SessionEnd", reason=reason)


def elicitation(
    mcp_server_name: str,
    message: str,
    *,
    mode: str | None = None,
    url: str | None = None,
    elicitation_id: str | None = None,
    requested_schema: JsonObject | None = None,
) -> HookEvent:
    """An MCP server asks the user; `mode` is form or url."""
    return event(
        "Elicitation",
        mcp_server_name=mcp_server_name,
        message=message,
        mode=mode,
        url=url,
        elicitation_id=elicitation_id,
        requested_schema=requested_schema,
    )


def elicitation_result(
    mcp_server_name: str,
    action: str,
    mode: str | None = None,
    elicitation_id: str | None = None,
    content: JsonObject | None = None,
) -> HookEvent:
    """The user answered an MCP server: `action` is accept, decline or cancel."""
    return event(
        "ElicitationResult",
        mcp_server_name=mcp_server_name,
        action=action,
        mode=mode,
        elicitation_id=elicitation_id,
        content=content,
    )


def model_switch(
    name: str,
    old_model: str,
    new_model: str,
    *,
    context_tokens: int | None = None,
    prompt_cache_warm: bool | None = None,
    estimated_cache_write_usd: float | None = None,
    pricing: JsonObject | None = None,
) -> HookEvent:
    """`name` is PreModelSwitch or PostModelSwitch."""
    return event(
        name,
        old_model=old_model,
        new_model=new_model,
        context_tokens=context_tokens,
        prompt_cache_warm=prompt_cache_warm,
        estimated_cache_write_usd=estimated_cache_write_usd,
        pricing=pricing,
    )


def pre_skill_shell_command(skill_name: str, command: str) -> HookEvent:
    """An inline shell line of a skill or command is about to run while it loads."""
    return event("PreSkillShellCommand", skill_name=skill_name, command=command)
