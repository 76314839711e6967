"""The trust question: what a folder would run or grant, and storing the answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hames.settings.env_policy import is_dangerous, is_own, is_safe
from hames.settings.holds import PROGRAMS
from hames.settings.jsontext import Step
from hames.settings.layers import Positions
from hames.settings.merge import lookup
from hames.settings.parse import Document, Unreadable, read_document
from hames.settings.paths import LOCAL_FILE, SETTINGS_FILE, project_root, real
from hames.settings.repository import Repository, find_repository
from hames.settings.trust import ACCEPTED, trust_key
from hames.settings.write import write_value
from hames.system.types import JsonObject, is_list, is_object

TrustItemKind = Literal["hook", "program", "variable", "rule", "directory", "mode", "server"]

_SERVERS = Path(".mcp.json")
_LISTS: Mapping[str, TrustItemKind] = {
    "permissions.allow": "rule",
    "permissions.additionalDirectories": "directory",
}


@dataclass(frozen=True, slots=True)
class TrustItem:
    """One thing that becomes active; `risky` for endpoints, credentials and program paths.

    `text` is the command, rule, or name of a variable, as written: neutralise it before showing.
    """

    kind: TrustItemKind
    path: Path
    key: str
    text: str
    line: int | None = None
    risky: bool = False


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """What the dialog shows; `stored` is false for the home directory: asked in every session."""

    folder: Path
    items: tuple[TrustItem, ...]
    stored: bool
    problems: tuple[str, ...] = ()


def trust_question(cwd: Path, home: Path) -> TrustQuestion:
    """The files of a folder as they are now; nothing of them is run or applied."""
    start = real(cwd)
    repository = find_repository(start)
    root = project_root(start, repository)
    items: list[TrustItem] = []
    problems: list[str] = []
    places = (start / SETTINGS_FILE, start / LOCAL_FILE, root / LOCAL_FILE, start / _SERVERS)
    for path in dict.fromkeys(places):
        try:
            document = read_document(path)
        except Unreadable as error:
            problems.append(f"{path}: {error}")
            continue
        if document is not None:
            items += _servers(path, document) if path.name == ".mcp.json" else _all(path, document)
    stored = not real(home).is_relative_to(root)
    return TrustQuestion(Path(trust_key(start, repository)), tuple(items), stored, tuple(problems))


def record_trust(config: Path, cwd: Path, repository: Repository | None, home: Path) -> bool:
    """Store the user's yes; False for the home directory, which is trusted per session only.

    Raises ConfigError, with a copy of the file kept, when the config file is broken.
    """
    key = project_root(cwd, repository)
    if real(home).is_relative_to(key):
        return False
    write_value(config, ("projects", str(key), ACCEPTED), True)
    return True


def _all(path: Path, document: Document) -> Iterator[TrustItem]:
    values, positions = document.values, Positions(document.text)

    def item(kind: TrustItemKind, text: str, *steps: Step, risky: bool = False) -> TrustItem:
        key = ".".join(str(step) for step in steps if isinstance(step, str))
        return TrustItem(kind, path, key, text, positions.line(steps), risky)

    hooks = values.get("hooks")
    for steps, text in _commands(hooks if is_object(hooks) else {}):
        yield item("hook", text, "hooks", *steps)
    for key in PROGRAMS:
        value = values.get(key)
        if value is not None:
            yield item("program", _command_line(value), key, risky=key == "apiKeyHelper")
    env = values.get("env")
    for name in env if is_object(env) else {}:
        if not is_safe(name) and not is_own(name):
            yield item("variable", name, "env", name, risky=is_dangerous(name))
    for key, kind in _LISTS.items():
        entries = lookup(values, key)
        for index, entry in enumerate(entries if is_list(entries) else ()):
            yield item(kind, str(entry), *key.split("."), index)
    mode = lookup(values, "permissions.defaultMode")
    if mode is not None:
        yield item("mode", str(mode), "permissions", "defaultMode")


def _commands(hooks: JsonObject) -> Iterator[tuple[tuple[Step, ...], str]]:
    for event, groups in hooks.items():
        for at, group in enumerate(groups if is_list(groups) else ()):
            handlers = group.get("hooks") if is_object(group) else None
            for index, handler in enumerate(handlers if is_list(handlers) else ()):
                yield (event, at, "hooks", index), _command_line(handler)


def _command_line(value: object) -> str:
    if is_object(value):
        names = ("command", "url", "prompt", "tool")
        return next((str(value[name]) for name in names if name in value), "(unknown)")
    return str(value)


def _servers(path: Path, document: Document) -> Iterator[TrustItem]:
    positions = Positions(document.text)
    servers = document.values.get("mcpServers")
    for name, server in servers.items() if is_object(servers) else ():
        args = server.get("args") if is_object(server) else None
        words = [_command_line(server), *(str(arg) for arg in (args if is_list(args) else ()))]
        line = positions.line(("mcpServers", name))
        yield TrustItem("server", path, f"mcpServers.{name}", " ".join(words), line)
