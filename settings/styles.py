"""Output styles on disk; the nearest project style wins a name."""

from collections.abc import Iterable
from pathlib import Path

from hames.settings.definition_fields import FieldReader
from hames.settings.definitions import Places, Source, Style
from hames.settings.frontmatter import parse
from hames.settings.text_files import Problem, component_files, markdown_files, read_optional

KIND = "output-styles"


def load_styles(places: Places, problems: list[Problem]) -> tuple[Style, ...]:
    """All styles by name: managed, project (nearest first), user, plugins."""
    found: dict[str, Style] = {}
    folders: list[tuple[Source, list[Path]]] = [
        ("managed", places.managed_folder(KIND)),
        ("project", places.project_folders(KIND)),
        ("user", places.user_folder(KIND)),
    ]
    for source, paths in folders:
        for path in (file for folder in paths for file in markdown_files(folder, problems)):
            style = _read(path, source, problems)
            if style is not None:
                found.setdefault(style.name, style)
    for plugin in places.plugins:
        for root in plugin.paths.get("outputStyles", (plugin.root / KIND,)):
            for path in component_files(root, problems):
                style = _read(path, "plugin", problems)
                if style is not None:
                    name = f"{plugin.name}:{style.name}"
                    found.setdefault(name, style._replace(name=name))
    return tuple(found[name] for name in sorted(found))


def choose_style(styles: Iterable[Style], wanted: str) -> Style | None:
    """The style that applies: one a plugin forces, else the wanted one (any case)."""
    styles = tuple(styles)
    forced = next((style for style in styles if style.forced), None)
    if forced is not None:
        return forced
    lower = wanted.lower()
    exact = next((style for style in styles if style.name.lower() == lower), None)
    ends = (style for style in styles if style.name.lower().rsplit(":", 1)[-1] == lower)
    return exact or next(ends, None)


def _read(path: Path, source: Source, problems: list[Problem]) -> Style | None:
    text = read_optional(path, problems)
    if text is None:
        return None
    fields = FieldReader(path, parse(text), problems)
    fields.report_guesses()
    return Style(
        name=fields.text("name") or path.stem,
        description=fields.text("description"),
        text=fields.document.body.strip(),
        source=source,
        path=path,
        keeps_coding=fields.flag("keep-coding-instructions", False),
        forced=source == "plugin" and fields.flag("force-for-plugin", False),
    )
