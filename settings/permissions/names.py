"""Tool names, their old spellings and their input fields, as far as rules need them."""

ALIASES = {
    "Task": "Agent",
    "KillShell": "TaskStop",
    "KillBash": "TaskStop",
    "BashOutput": "TaskOutput",
}
"""Old names that stay valid in rules."""

READ_TOOLS = {"Read": "file_path", "Grep": "path", "Glob": "path"}
"""Tools that `Read(path)` rules govern, with the field that holds the path."""

EDIT_TOOLS = {"Edit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
"""Tools that `Edit(path)` rules govern."""

SHELL_TOOLS = frozenset({"Bash", "Monitor"})

FIELDS: dict[str, frozenset[str]] = {
    "Bash": frozenset(
        {"command", "timeout", "description", "run_in_background", "dangerouslyDisableSandbox"}
    ),
    "Monitor": frozenset({"command", "description", "timeout_ms", "persistent"}),
    "Read": frozenset({"file_path", "offset", "limit", "pages"}),
    "Edit": frozenset({"file_path", "old_string", "new_string", "replace_all"}),
    "Write": frozenset({"file_path", "content"}),
    "NotebookEdit": frozenset({"notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"}),
    "Glob": frozenset({"pattern", "path"}),
    "Grep": frozenset(
        {"pattern", "path", "glob", "type", "output_mode", "multiline", "head_limit", "offset"}
    ),
    "WebFetch": frozenset({"url", "prompt"}),
    "WebSearch": frozenset({"query"}),
    "Agent": frozenset(
        {"description", "prompt", "subagent_type", "model", "isolation", "run_in_background"}
    ),
    "Skill": frozenset({"skill", "args"}),
    "TaskStop": frozenset({"task_id", "shell_id"}),
    "TaskOutput": frozenset({"task_id", "block", "timeout"}),
    "EnterWorktree": frozenset({"name", "path"}),
    "ExitWorktree": frozenset({"action", "discard_changes"}),
}
"""Top-level scalar inputs: `Tool(field:value)` is a parameter rule only for these."""

MAIN_FIELDS = frozenset({"command", "file_path", "path", "notebook_path", "url"})
"""A parameter rule on the main field of a tool is ignored."""

NO_PERMISSION = frozenset(
    {
        "Agent",
        "TodoWrite",
        "TaskCreate",
        "TaskGet",
        "TaskList",
        "TaskUpdate",
        "TaskStop",
        "TaskOutput",
        "ToolSearch",
        "LSP",
        "CronCreate",
        "CronDelete",
        "CronList",
        "ScheduleWakeup",
        "SendMessage",
        "ListMcpResourcesTool",
        "ReadMcpResourceTool",
        "EnterPlanMode",
        "EnterWorktree",
        "ExitWorktree",
        "EndConversation",
    }
)
"""Tools that run without a question in every mode, unless a rule says otherwise."""

NEEDS_USER = frozenset({"AskUserQuestion", "ExitPlanMode"})
"""Tools whose whole purpose is a question to the user."""

BARE_ONLY = NEEDS_USER | NO_PERMISSION - {"Agent"} | {"WebSearch", "Workflow"}

KNOWN = (
    frozenset(FIELDS)
    | NO_PERMISSION
    | NEEDS_USER
    | frozenset({"PowerShell", "Workflow", "MultiEdit", "Cd"})
)

REMOVED = frozenset({"TaskOutput", "MultiEdit", "LS", "NotebookRead"})
"""Names that no longer exist; rules that still hold them cause no warning."""

NEVER_CONSULTED = {
    "Write": "Edit",
    "NotebookEdit": "Edit",
    "MultiEdit": "Edit",
    "Glob": "Read",
    "Grep": "Read",
}
"""Path rules of these tools are never looked at; the value is the tool to write instead."""

PREAPPROVED_HOSTS = frozenset(
    {
        "docs.python.org",
        "developer.mozilla.org",
        "docs.rs",
        "doc.rust-lang.org",
        "pkg.go.dev",
        "go.dev",
        "nodejs.org",
        "react.dev",
        "www.typescriptlang.org",
        "docs.djangoproject.com",
        "kubernetes.io",
        "git-scm.com",
        "www.postgresql.org",
        "sqlite.org",
        "platform.claude.com",
        "code.claude.com",
        "modelcontextprotocol.io",
    }
)
"""Documentation sites that WebFetch may read unasked when no rule speaks of them."""


def canonical(name: str) -> str:
    """The present name of a tool."""
    return ALIASES.get(name, name)
