"""Skills and command files from all their places, with precedence and namespaces."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hames.settings.agents import EFFORTS
from hames.settings.definition_fields import FieldReader, first_paragraph
from hames.settings.definitions import Places, Plugin, Skill, Source
from hames.settings.frontmatter import parse
from hames.settings.globs import matches_any
from hames.settings.plugin_manifest import MANIFEST
from hames.settings.text_files import (
    Problem,
    component_files,
    directory_entries,
    is_file,
    markdown_files,
    read_optional,
    real_path,
)

RESERVED = "synced"
"""A directory name that is no skill."""


@dataclass(slots=True)
class _Search:
    problems: list[Problem]
    found: dict[str, Skill] = field(default_factory=dict[str, Skill])
    seen: set[Path] = field(default_factory=set[Path])

    def add(self, skill: Skill | None) -> None:
        if skill is not None:
            self.found.setdefault(skill.name, skill)


def load_skills(
    places: Places, overrides: Mapping[str, str], problems: list[Problem]
) -> tuple[Skill, ...]:
    """All skills and commands by name; `overrides` is the setting `skillOverrides`."""
    search = _Search(problems)
    for kind, load in (("skills", _skills_in), ("commands", _commands_in)):
        for folder in places.managed_folder(kind):
            load(search, folder, "managed")
        for folder in places.user_folder(kind):
            load(search, folder, "user")
        for folder in (*places.project_folders(kind), *places.added_folders(kind)):
            load(search, folder, "project")
    for plugin in places.plugins:
        _plugin_skills(search, plugin)
    chosen = (_overridden(skill, overrides) for skill in search.found.values())
    return tuple(sorted((s for s in chosen if s is not None), key=lambda s: s.name))


def nested_skills(
    places: Places, touched: Path, known: Iterable[Skill], problems: list[Problem]
) -> tuple[Skill, ...]:
    """Skills of `.claude/skills` below cwd that reading or editing `touched` brings in.

    One whose name is taken is called `sub/dir:name`.
    """
    known = tuple(known)
    taken = {skill.name for skill in known}
    search = _Search(problems, seen={real_path(skill.path) for skill in known})
    if "project" not in places.sources or not touched.is_relative_to(places.cwd):
        return ()
    inner = touched.relative_to(places.cwd).parts[:-1]
    for depth in range(1, len(inner) + 1):
        below = _Search(problems, seen=search.seen)
        _skills_in(below, places.cwd.joinpath(*inner[:depth], ".claude", "skills"), "project")
        for name, skill in below.found.items():
            clash = name in taken or name in search.found
            search.add(skill._replace(name=f"{'/'.join(inner[:depth])}:{name}") if clash else skill)
    return tuple(search.found.values())


def awakened_skills(places: Places, touched: Path, skills: Iterable[Skill]) -> tuple[Skill, ...]:
    """Skills with `paths` that match a file being worked on; globs are relative to cwd."""
    if not touched.is_relative_to(places.cwd):
        return ()
    inner = touched.relative_to(places.cwd).as_posix()
    return tuple(
        skill for skill in skills if matches_any([p.removeprefix("./") for p in skill.paths], inner)
    )


def find_skill(skills: Iterable[Skill], name: str) -> Skill | None:
    """The skill called `name`, else the only one whose last name segment it is."""
    skills = tuple(skills)
    exact = next((skill for skill in skills if skill.name == name), None)
    if exact is not None:
        return exact
    ends = [skill for skill in skills if skill.name.rsplit(":", 1)[-1] == name]
    return ends[0] if len(ends) == 1 else None


def _skills_in(search: _Search, folder: Path, source: Source) -> None:
    for directory, is_dir in directory_entries(folder, search.problems):
        if is_dir and directory.name != RESERVED and not is_file(directory / MANIFEST):
            search.add(_read(search, directory / "SKILL.md", directory.name, source))


def _commands_in(search: _Search, folder: Path, source: Source) -> None:
    for path in markdown_files(folder, search.problems):
        name = ":".join(path.relative_to(folder).with_suffix("").parts)
        skill = _read(search, path, name, source)
        search.add(_as_command(skill))


def _plugin_skills(search: _Search, plugin: Plugin) -> None:
    for root in (plugin.root / "skills", *plugin.paths.get("skills", ())):
        for skill in _plugin_folder(search, root):
            search.add(_in_plugin(skill, plugin, skill.label or skill.directory.name))
    whole = _read(search, plugin.root / "SKILL.md", plugin.name, "plugin")
    if whole is not None:
        search.add(_in_plugin(whole, plugin, whole.label or plugin.name))
    for root in plugin.paths.get("commands", (plugin.root / "commands",)):
        for path in component_files(root, search.problems):
            parts = path.relative_to(root).with_suffix("").parts if path != root else (path.stem,)
            command = _as_command(_read(search, path, path.stem, "plugin"))
            if command is not None:
                search.add(_in_plugin(command, plugin, ":".join(parts)))


def _plugin_folder(search: _Search, root: Path) -> Iterator[Skill]:
    candidates = [p for p, is_dir in directory_entries(root, search.problems) if is_dir]
    for directory in (root, *candidates):
        if directory.name != RESERVED:
            skill = _read(search, directory / "SKILL.md", directory.name, "plugin")
            if skill is not None:
                yield skill


def _in_plugin(skill: Skill, plugin: Plugin, last: str) -> Skill:
    return skill._replace(name=f"{plugin.name}:{last}", plugin=plugin)


def _as_command(skill: Skill | None) -> Skill | None:
    # `name` and `paths` mean nothing in a command file.
    return skill and skill._replace(is_command=True, label="", paths=())


def _read(search: _Search, path: Path, name: str, source: Source) -> Skill | None:
    real = real_path(path)
    if real in search.seen:
        return None
    text = read_optional(path, search.problems)
    if text is None:
        return None
    search.seen.add(real)
    fields = FieldReader(path, parse(text), search.problems)
    fields.report_guesses()
    return _skill(fields, name, source)


def _skill(fields: FieldReader, name: str, source: Source) -> Skill:
    body = fields.document.body.strip("\n")
    about = [fields.text("description") or first_paragraph(body), fields.text("when_to_use")]
    model = fields.text("model")
    return Skill(
        name=name,
        description=" ".join(part for part in about if part),
        body=body,
        source=source,
        path=fields.path,
        directory=fields.path.parent,
        label=fields.text("name"),
        argument_hint=fields.text("argument-hint"),
        arguments=fields.names("arguments", spaces=True) or (),
        listed=not fields.flag("disable-model-invocation", False),
        user_invocable=fields.flag("user-invocable", True),
        allowed=fields.names("allowed-tools", spaces=True) or (),
        disallowed=fields.names("disallowed-tools", spaces=True) or (),
        model=None if model in ("", "inherit") else model,
        effort=fields.choice("effort", EFFORTS),
        fork=fields.choice("context", ("fork",)) == "fork",
        agent=fields.text("agent") or None,
        background=fields.flag("background", True),
        paths=fields.names("paths") or (),
        shell=fields.choice("shell", ("bash", "powershell")) or "bash",
        hooks=fields.value("hooks"),
    )


def _overridden(skill: Skill, overrides: Mapping[str, str]) -> Skill | None:
    choice = "on" if skill.plugin is not None else overrides.get(skill.name, "on")
    if choice == "off":
        return None
    if choice == "user-invocable-only":
        return skill._replace(listed=False)
    return skill._replace(name_only=True) if choice == "name-only" else skill
