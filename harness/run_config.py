"""What a run was asked for: the parsed command line, checked and free of click."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from hames.harness.caps import Caps
from hames.system.types import JsonObject


class SystemFlags(NamedTuple):
    """The flags that shape the system prompt; None is not given, "" is the minimal prompt.

    `exclude_dynamic` moves what differs between sessions into the first user message.
    """

    system: str | None = None
    append: str | None = None
    exclude_dynamic: bool = False

    @property
    def given(self) -> bool:
        """Whether any of them was given."""
        return self.system is not None or self.append is not None


class RunConfig(NamedTuple):
    """One run. Names follow the flags; None means that the flag was not given.

    `resume` is a session id or title, `resume_last` is `--continue`; `resume_at` is the last entry
    to keep, `resume_drops` the prompt of the only turn after it. `answerable` are the kinds of
    questions that somebody will answer. `tools` None is the default set.
    `session_trust` is a yes to the trust question that is not stored.
    `safe` leaves out what users and projects customise, `agents` maps names to definitions.
    `setup` is the trigger of the Setup hooks: init or maintenance. `notices` are lines about
    flags that have no effect.
    """

    cwd: Path
    interactive: bool = False
    session_trust: bool = False
    model: str | None = None
    fallback_models: tuple[str, ...] = ()
    effort: str | None = None
    thinking: Literal["adaptive", "disabled"] | None = None
    thinking_display: Literal["summarized", "omitted"] | None = None
    max_thinking_tokens: int | None = None
    task_budget: int | None = None
    betas: tuple[str, ...] = ()
    permission_mode: str | None = None
    skip_permissions: bool = False
    allow_skip_permissions: bool = False
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    add_dirs: tuple[Path, ...] = ()
    system: SystemFlags = SystemFlags()
    settings: str | None = None
    setting_sources: tuple[str, ...] | None = None
    session_id: str | None = None
    resume: str | None = None
    resume_last: bool = False
    resume_at: str | None = None
    resume_drops: str | None = None
    fork: bool = False
    persist: bool = True
    mirror: bool = False
    caps: Caps = Caps()
    answerable: frozenset[str] = frozenset()
    entrypoint: str = "cli"
    bare: bool = False
    safe: bool = False
    agents: Mapping[str, JsonObject] | None = None
    agent: str | None = None
    setup: str | None = None
    plugin_dirs: tuple[Path, ...] = ()
    slash_commands: bool = True
    notices: tuple[str, ...] = ()
