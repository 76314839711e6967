"""The subcommands by name; a module is imported only when its command runs."""

COMMANDS: dict[str, str] = {
    "hooks": "list, try and check hooks",
    "plugin": "local plugins: what is enabled, and whether a folder is sound",
}
"""Subcommand name to one help line. Module `hames.cli.commands.<name>` holds `command`."""
