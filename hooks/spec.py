"""A configured hook: where it stands, when it runs and what it does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hames.hooks.event_table import HandlerType

SourceKind = Literal[
    "managed", "flag", "local", "project", "user", "plugin", "skill", "agent", "sdk"
]
"""`flag` is `--settings`, `sdk` the hooks a client registered."""

OnFailure = Literal["continue", "block"]

SETTINGS_KINDS = frozenset({"managed", "flag", "local", "project", "user"})
"""Sources whose identical handlers run once; every other copy stays separate."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """What a plugin's hooks may refer to; `options` is its user configuration as text."""

    name: str
    root: Path
    data: Path
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class HookSource:
    """Where hooks were declared; `name` is the plugin, skill or agent.

    `forced` marks a plugin that the policy enables. `trusted` is false for project content of a
    folder that nobody has trusted yet.
    """

    kind: SourceKind
    label: str
    path: Path | None = None
    name: str = ""
    plugin: Plugin | None = None
    forced: bool = False
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class Command:
    """A program; with `args` it is started directly, without them `text` is shell text."""

    text: str
    args: tuple[str, ...] | None = None
    shell: Literal["bash", "powershell"] | None = None
    background: bool = False
    rewake: bool = False


@dataclass(frozen=True, slots=True)
class Http:
    """A POST of the input to `url`; header values may name the variables in `env_names`."""

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    env_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class McpTool:
    """A call of a connected server's tool; `arguments` is JSON text with `${path}` parts."""

    server: str
    tool: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question to a model; `agent` gives it turns and read-only tools."""

    text: str
    model: str | None = None
    continue_on_block: bool = False
    agent: bool = False


@dataclass(frozen=True, slots=True)
class Callback:
    """A function of the client, called through the control protocol."""

    callback_id: str


Handler = Command | Http | McpTool | Prompt | Callback


@dataclass(frozen=True, slots=True)
class HookSpec:
    """One handler with its matcher. `timeout` is seconds; `line` is 1-based when known.

    `condition` is the permission rule of the `if` key. `where` is the place inside its file,
    such as `PreToolUse[0].hooks[1]`.
    """

    event: str
    handler: Handler
    source: HookSource
    matcher: str | None = None
    condition: str | None = None
    timeout: float | None = None
    once: bool = False
    on_failure: OnFailure = "continue"
    status_message: str | None = None
    where: str = ""
    line: int | None = None

    @property
    def type(self) -> HandlerType:
        """The handler type as settings spell it; `callback` for a client's function."""
        return handler_type(self.handler)

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for handlers that must run once per event."""
        separate = self.source.kind not in SETTINGS_KINDS
        owner = (self.source.kind, self.source.name) if separate else ()
        return (self.event, self.handler, *owner)

    @property
    def summary(self) -> str:
        """One line that names what runs, for people."""
        match self.handler:
            case Command(text=text, args=args):
                return " ".join((text, *(args or ()))).strip().split("\n", 1)[0]
            case Http(url=url):
                return public_url(url)
            case McpTool(server=server, tool=tool):
                return f"{server}:{tool}"
            case Prompt(text=text):
                return text.strip().split("\n", 1)[0]
            case Callback(callback_id=callback_id):
                return callback_id


def public_url(url: str) -> str:
    """The address without user, password and query: they may be secret."""
    scheme, separator, rest = url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}{separator}{place.rpartition('@')[2]}{slash}{path.partition('?')[0]}"


def handler_type(handler: Handler) -> HandlerType:
    """The `type` of a handler as settings spell it."""
    match handler:
        case Command():
            return "command"
        case Http():
            return "http"
        case McpTool():
            return "mcp_tool"
        case Prompt(agent=agent):
            return "agent" if agent else "prompt"
        case Callback():
            return "callback"
