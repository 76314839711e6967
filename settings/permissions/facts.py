"""One tool call as the engine sees it: gathered here with all the I/O, then decided purely."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from hames.settings.permissions.bash_deep import denied_below
from hames.settings.permissions.bash_script import Script, look_into
from hames.settings.permissions.names import SHELL_TOOLS, canonical
from hames.settings.permissions.policy import Policy
from hames.settings.permissions.subject import Subject, named_subjects, real_path

Mode = Literal["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
"""The wire values. `manual` is an input alias of `default`; `auto` is refused by callers."""


class Facts(NamedTuple):
    """One tool call. `needs_user` is an MCP tool that must ask; `script` is a parsed command.

    A shell call without `script` counts as unreadable and is asked. `anchors` is the current
    directory as named and as it really lies. `read_only` is what a built-in tool declares.
    `sandboxed`: the command runs in a sandbox whose commands need no question.
    `denied_below`: a denied file that a recursive command would read (see bash_deep).
    """

    tool: str
    input: Mapping[str, Any]
    cwd: Path
    subjects: tuple[Subject, ...]
    read_only: bool = False
    needs_user: bool = False
    script: Script | None = None
    anchors: tuple[str, ...] = ()
    sandboxed: bool = False
    denied_below: str | None = None


class HookVerdict(NamedTuple):
    """What the PreToolUse hooks said together; `rewrote` when they gave an `updatedInput`."""

    behavior: Literal["allow", "ask", "deny"]
    reason: str = ""
    rewrote: bool = False


class Answer(NamedTuple):
    """What a person, client or PermissionRequest hook answered to an ask."""

    behavior: Literal["allow", "deny"]
    message: str = ""


def facts_of(
    policy: Policy,
    tool: str,
    given: Mapping[str, Any],
    cwd: Path,
    *,
    read_only: bool = False,
    needs_user: bool = False,
    sandboxed: bool = False,
) -> Facts:
    """Gather what a decision needs: resolves paths, parses shell commands."""
    name = canonical(tool)
    home = Path(policy.home)
    anchors = tuple(dict.fromkeys((str(cwd), real_path(str(cwd)) or str(cwd))))
    script = None
    if name in SHELL_TOOLS:
        script = look_into(given.get("command"), str(cwd), policy.home)
    below = None
    if script is not None and any(layer.paths for layer in policy.deny):
        below = denied_below(script.parts, lambda path: _denied(policy, path, anchors))
    subjects = tuple(named_subjects(name, given, cwd, home))
    return Facts(
        name, given, cwd, subjects, read_only, needs_user, script, anchors, sandboxed, below
    )


def _denied(policy: Policy, path: str, anchors: tuple[str, ...]) -> bool:
    seen = (*anchors, policy.root)
    return any(layer.path("Read", path, seen) is not None for layer in policy.deny)


def effective_mode(parent: Mode, own: Mode | None) -> Mode:
    """The mode of a subagent: a parent that bypasses or accepts edits keeps its mode."""
    if parent in ("bypassPermissions", "acceptEdits") or own is None:
        return parent
    return own
