"""Reads the `hooks` object of settings, plugins, frontmatter and clients, entry by entry."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from hames.hooks.event_table import EVENTS
from hames.hooks.match import matcher_fault
from hames.hooks.shapes import is_texts, named
from hames.hooks.spec import (
    Callback,
    Command,
    Handler,
    HookSource,
    HookSpec,
    Http,
    McpTool,
    OnFailure,
    Prompt,
)
from hames.system.types import JsonObject, is_list, is_object

ProblemKind = Literal["entry", "field", "event"]
"""`entry`: a hook that will not run; `field`: one that runs without a setting; `event`: unknown."""


@dataclass(frozen=True, slots=True)
class HookProblem:
    """Something wrong in a hook configuration; `where` is the place inside the file."""

    kind: ProblemKind
    where: str
    text: str
    source: HookSource

    def __str__(self) -> str:
        origin = self.source.path or self.source.label
        return f"{origin}: hooks.{self.where}: {self.text}"


@dataclass(slots=True)
class _Reader:
    """Collects what was read and what was wrong."""

    source: HookSource
    specs: list[HookSpec] = field(default_factory=list[HookSpec])
    problems: list[HookProblem] = field(default_factory=list[HookProblem])

    def problem(self, kind: ProblemKind, where: str, text: str) -> None:
        self.problems.append(HookProblem(kind, where, text, self.source))


@dataclass(frozen=True, slots=True)
class HookConfig:
    """The usable handlers of one source and what was wrong with the others."""

    specs: tuple[HookSpec, ...] = ()
    problems: tuple[HookProblem, ...] = ()


def parse_hooks(value: object, source: HookSource) -> HookConfig:
    """`{"<Event>": [{"matcher"?, "hooks": [handler]}]}`; a bad entry costs only itself."""
    reader = _Reader(source)
    for event, where, group in _groups(value, reader):
        handlers = group.get("hooks")
        if not is_list(handlers):
            reader.problem("entry", where, 'must have a list named "hooks"')
            continue
        matcher = _matcher(event, group, where, reader)
        for index, entry in enumerate(handlers):
            spec = _spec(event, entry, f"{where}.hooks[{index}]", reader)
            if spec is not None:
                reader.specs.append(replace(spec, matcher=matcher))
    return HookConfig(tuple(reader.specs), tuple(reader.problems))


def parse_callbacks(value: object, source: HookSource) -> HookConfig:
    """The `hooks` of an initialize request: groups of `hookCallbackIds`."""
    reader = _Reader(source)
    for event, where, group in _groups(value, reader):
        read = _Fields(group, where, reader)
        ids = read.texts("hookCallbackIds")
        if ids is None:
            reader.problem("entry", where, 'must have a list of texts named "hookCallbackIds"')
            continue
        matcher = _matcher(event, group, where, reader)
        timeout, on_failure = read.seconds("timeout"), read.on_failure()
        for index, callback_id in enumerate(ids):
            reader.specs.append(
                HookSpec(
                    event=event,
                    handler=Callback(callback_id),
                    source=source,
                    matcher=matcher,
                    timeout=timeout,
                    on_failure=on_failure,
                    where=f"{where}.hookCallbackIds[{index}]",
                )
            )
    return HookConfig(tuple(reader.specs), tuple(reader.problems))


def _groups(value: object, reader: _Reader) -> Iterator[tuple[str, str, JsonObject]]:
    """Event name, place and matcher group; an agent's Stop is the SubagentStop of its run."""
    if value is None:
        return
    if not is_object(value):
        reader.problem("entry", "", f"must be an object of event names, not {named(value)}")
        return
    for name, groups in value.items():
        if name not in EVENTS:
            reader.problem("event", str(name), f'there is no event "{name}"')
        elif not is_list(groups):
            reader.problem("entry", str(name), f"must be a list, not {named(groups)}")
        else:
            event = "SubagentStop" if reader.source.kind == "agent" and name == "Stop" else name
            for index, group in enumerate(groups):
                where = f"{name}[{index}]"
                if is_object(group):
                    yield event, where, group
                else:
                    reader.problem("entry", where, f"must be an object, not {named(group)}")


def _matcher(event: str, group: JsonObject, where: str, reader: _Reader) -> str | None:
    """The matcher; one that is no regular expression is kept and selects nothing."""
    matcher = group.get("matcher")
    if matcher is None:
        return None
    if not isinstance(matcher, str):
        text = f"must be text, not {named(matcher)}; ignored"
        reader.problem("field", f"{where}.matcher", text)
        return None
    fault = matcher_fault(matcher, event)
    if fault is not None:
        text = f'"{matcher}" is no regular expression, so the hooks never run: {fault}'
        reader.problem("field", f"{where}.matcher", text)
    return matcher


def _spec(event: str, entry: object, where: str, reader: _Reader) -> HookSpec | None:
    if not is_object(entry):
        reader.problem("entry", where, f"must be an object, not {named(entry)}")
        return None
    read = _Fields(entry, where, reader)
    handler = _handler(read)
    if handler is None:
        return None
    spec = HookSpec(
        event=event,
        handler=handler,
        source=reader.source,
        condition=read.text("if"),
        timeout=read.seconds("timeout"),
        once=read.flag("once"),
        on_failure=read.on_failure(),
        status_message=read.text("statusMessage"),
        where=where,
    )
    if spec.type not in EVENTS[event].handlers:
        reader.problem("entry", where, f"{event} does not run hooks of type {spec.type}")
        return None
    return spec


def _handler(read: "_Fields") -> Handler | None:
    """The handler of an entry; None after a problem was named."""
    kind = read.entry.get("type")
    match kind:
        case "command":
            return _command(read)
        case "http":
            return _http(read)
        case "mcp_tool":
            server, tool = read.required("server"), read.required("tool")
            if server is None or tool is None:
                return None
            return McpTool(server, tool, json.dumps(read.object("input")))
        case "prompt" | "agent":
            text = read.required("prompt")
            if text is None:
                return None
            agent = kind == "agent"
            return Prompt(text, read.text("model"), agent or read.flag("continueOnBlock"), agent)
        case _:
            known = "command, http, mcp_tool, prompt or agent"
            read.problem("entry", "type", f"must be {known}, not {kind!r}")
            return None


def _command(read: "_Fields") -> Command | None:
    text = read.required("command")
    if text is None:
        return None
    args = None
    if "args" in read.entry:
        args = read.texts("args")
        if args is None:
            read.problem("entry", "args", "must be a list of texts")
            return None
    shell = read.text("shell")
    if shell not in (None, "bash", "powershell"):
        read.problem("field", "shell", "must be bash or powershell; ignored")
    rewake = read.flag("asyncRewake")
    return Command(
        text,
        args,
        "bash" if shell == "bash" else "powershell" if shell == "powershell" else None,
        background=rewake or read.flag("async"),
        rewake=rewake,
    )


def _http(read: "_Fields") -> Http | None:
    url = read.required("url")
    if url is None:
        return None
    headers = read.object("headers")
    usable = {name: value for name, value in headers.items() if isinstance(value, str)}
    for name in headers.keys() - usable.keys():
        read.problem("field", f"headers.{name}", "must be text; ignored")
    return Http(url, tuple(usable.items()), read.texts("allowedEnvVars") or ())


@dataclass(frozen=True, slots=True)
class _Fields:
    """Typed access to one entry. A bad optional field is named and left out: the hook, which may
    be a guard, still runs."""

    entry: JsonObject
    where: str
    reader: _Reader

    def problem(self, kind: ProblemKind, key: str, text: str) -> None:
        self.reader.problem(kind, f"{self.where}.{key}", text)

    def required(self, key: str) -> str | None:
        value = self.entry.get(key)
        if isinstance(value, str) and value.strip():
            return value
        self.problem("entry", key, "must be text that is not empty")
        return None

    def text(self, key: str) -> str | None:
        value = self.entry.get(key)
        if value is None or isinstance(value, str):
            return value
        self.problem("field", key, f"must be text, not {named(value)}; ignored")
        return None

    def flag(self, key: str) -> bool:
        value = self.entry.get(key)
        if value is not None and not isinstance(value, bool):
            self.problem("field", key, f"must be true or false, not {named(value)}; ignored")
        return value is True

    def seconds(self, key: str) -> float | None:
        value = self.entry.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e9:
            self.problem("field", key, "must be a number of seconds above 0; the default holds")
            return None
        return float(value)

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self.entry.get(key)
        if value is None:
            return None
        if is_texts(value):
            return tuple(value)
        self.problem("field", key, "must be a list of texts")
        return None

    def object(self, key: str) -> JsonObject:
        value = self.entry.get(key)
        if is_object(value):
            return value
        if value is not None:
            self.problem("field", key, f"must be an object, not {named(value)}; ignored")
        return {}

    def on_failure(self) -> OnFailure:
        value = self.entry.get("onFailure")
        if value in (None, "continue"):
            return "continue"
        if value != "block":
            self.problem("field", "onFailure", 'must be "continue" or "block"; taken as "block"')
        return "block"
