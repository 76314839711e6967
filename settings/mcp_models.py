"""MCP entries of settings.json: allow and deny lists of servers."""

from hames.settings.model_fields import Section, key


class McpServerRule(Section):
    """One of: a server by name, by command with arguments, or by URL pattern."""

    serverName: str = key("Exact name.")
    serverCommand: list[str] = key("Exact command and arguments of a stdio server.")
    serverUrl: str = key("URL of a remote server; `*` matches anything.")
