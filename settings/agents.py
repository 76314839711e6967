"""Subagents from files, flags and plugins; the higher source wins a name."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from hames.settings.definition_fields import FieldReader, first_paragraph
from hames.settings.definitions import Agent, Places, Plugin, Source
from hames.settings.frontmatter import Document, Field, canonical, parse
from hames.settings.frontmatter_values import Value
from hames.settings.text_files import (
    Problem,
    component_files,
    markdown_files,
    read_optional,
    real_path,
)

MODES = ("default", "manual", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan")
EFFORTS = ("low", "medium", "high", "xhigh", "max")
COLORS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan")

_NAME = re.compile(r"[^\s:/\\-][^\s:/\\]*")


def load_agents(
    places: Places, flags: Mapping[str, Mapping[str, Value]], problems: list[Problem]
) -> tuple[Agent, ...]:
    """All agents by name. `flags` is the object of `--agents`: name to definition."""
    found: dict[str, Agent] = {}
    seen: set[Path] = set()
    for folder in places.managed_folder("agents"):
        _collect(found, _from_folder(folder, "managed", seen, problems))
    _collect(found, [_from_flag(name, given, problems) for name, given in flags.items()])
    for folder in (*places.project_folders("agents"), *places.added_folders("agents")):
        _collect(found, _from_folder(folder, "project", seen, problems))
    for folder in places.user_folder("agents"):
        _collect(found, _from_folder(folder, "user", seen, problems))
    for plugin in places.plugins:
        _collect(found, _from_plugin(plugin, problems))
    return tuple(found[name] for name in sorted(found))


def _collect(found: dict[str, Agent], agents: list[Agent | None]) -> None:
    for agent in agents:
        if agent is not None:
            found.setdefault(agent.name, agent)


def _from_folder(
    folder: Path, source: Source, seen: set[Path], problems: list[Problem]
) -> list[Agent | None]:
    agents: list[Agent | None] = []
    for path in markdown_files(folder, problems):
        real = real_path(path)
        if real not in seen:
            seen.add(real)
            agents.append(_from_file(path, source, problems))
    return agents


def _from_file(path: Path, source: Source, problems: list[Problem]) -> Agent | None:
    text = read_optional(path, problems)
    if text is None:
        return None
    document = parse(text)
    if not document.fields and not document.guesses:
        # A README beside the agents is no broken agent.
        return None
    fields = FieldReader(path, document, problems)
    fields.report_guesses()
    name = fields.text("name")
    fault = _fault(name, fields.text("description"))
    if fault is not None:
        problems.append(Problem(path, f"agent skipped: {fault}"))
        return None
    return _agent(name, fields, document.body, source)


def _from_plugin(plugin: Plugin, problems: list[Problem]) -> list[Agent | None]:
    agents: list[Agent | None] = []
    roots = plugin.paths.get("agents", (plugin.root / "agents",))
    for root in roots:
        for path in component_files(root, problems):
            text = read_optional(path, problems)
            if text is None:
                continue
            fields = FieldReader(path, parse(text), problems)
            fields.report_guesses()
            below = path.relative_to(root).parts[:-1] if path != root else ()
            name = ":".join((plugin.name, *below, fields.text("name") or path.stem))
            agent = _agent(name, fields, fields.document.body, "plugin")
            # A plugin must not bring rights of its own through an agent.
            agents.append(replace(agent, mode=None, hooks=None, servers=None))
    return agents


def _from_flag(name: str, given: Mapping[str, Value], problems: list[Problem]) -> Agent | None:
    where = Path("--agents")
    fields = {canonical(key): Field(key, _text(value), "", 1) for key, value in given.items()}
    reader = FieldReader(where, Document(fields, ""), problems)
    fault = _fault(name, reader.text("description"))
    if fault is not None:
        problems.append(Problem(where, f"agent {name!r} skipped: {fault}"))
        return None
    return _agent(name, reader, reader.text("prompt"), "flag")


def _agent(name: str, fields: FieldReader, prompt: str, source: Source) -> Agent:
    return Agent(
        name=name,
        description=fields.text("description") or first_paragraph(prompt),
        prompt=prompt.strip(),
        source=source,
        path=fields.path if source != "flag" else None,
        tools=fields.names("tools"),
        disallowed=fields.names("disallowedTools") or (),
        model=fields.text("model") or None,
        mode=fields.choice("permissionMode", MODES),
        max_turns=fields.number("maxTurns"),
        skills=fields.names("skills") or (),
        memory=fields.choice("memory", ("user", "project", "local")),
        effort=fields.choice("effort", EFFORTS),
        color=fields.choice("color", COLORS),
        background=fields.flag("background", False),
        isolation=fields.choice("isolation", ("worktree",)),
        initial_prompt=fields.text("initialPrompt"),
        hooks=fields.value("hooks"),
        servers=fields.value("mcpServers"),
    )


def _fault(name: str, description: str) -> str | None:
    if not name:
        return "`name` is missing"
    if not _NAME.fullmatch(name):
        return f"the name {name!r} may not hold spaces, `:` or `/`, nor begin with `-`"
    return None if description else "`description` is missing"


def _text(value: Value) -> Value:
    """JSON scalars as the header reader gives them: text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return "" if value is None else value
