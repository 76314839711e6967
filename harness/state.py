"""The state of a session as a fold over its entries; a restart computes it again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hames.harness.effects import decode_effect
from hames.system.types import JsonObject, as_list, is_object
from hames.tools.effects import (
    Effect,
    ForTurn,
    Grant,
    Invoked,
    ReadState,
    SetCwd,
    SetMode,
    Shown,
    Told,
)
from hames.tools.read_mark import ReadMark

NO_CHOICE = ForTurn()

KEPT_SUBJECTS = frozenset({"skills", "agents"})
"""What the model was told once and need not hear again after a compaction."""

RESUMABLE_MODES = frozenset({"default", "acceptEdits", "dontAsk"})
"""Permission modes that a resumed session starts in again; plan and bypass never come back."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """What a restart must know.

    `model`, `effort` and `max_thinking` are what was chosen in the session (None: the default of
    the run). `reads` maps real paths to what the model knows of files. `turn_rules` and `turn`
    end with the next user message. `drop_block` is sent from the first thinking repair on.
    `shown` are instruction files in the conversation, `skills` the invoked skills by name with
    the digest of their text, `told` the newest value by subject. `deferred` is the id of a call
    that the program around hames took over.
    """

    cwd: Path
    mode: str
    model: str | None = None
    effort: str | None = None
    max_thinking: int | None = None
    reads: Mapping[Path, ReadMark] = field(default_factory=lambda: MappingProxyType({}))
    turn_rules: tuple[str, ...] = ()
    turn: ForTurn = NO_CHOICE
    session_rules: tuple[JsonObject, ...] = ()
    directories: tuple[Path, ...] = ()
    drop_block: bool = False
    shown: frozenset[Path] = frozenset()
    skills: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    told: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    deferred: str | None = None


_CHOICES: tuple[tuple[str, str, type], ...] = (
    ("model", "model", str),
    ("effort", "effort", str),
    ("maxThinking", "max_thinking", int),
    ("deferred", "deferred", str),
)
"""Key of a `hames-state` line, field of the state, type; null is the default of the run."""


def fold(state: SessionState, entries: Iterable[JsonObject]) -> SessionState:
    """The state after `entries`."""
    for entry in entries:
        state = advance(state, entry)
    return state


def advance(state: SessionState, entry: JsonObject) -> SessionState:
    """The state after one more entry; entries that change nothing return it unchanged."""
    match entry.get("type"):
        case "user":
            return _after_user(state, entry)
        case "permission-mode":
            mode = entry.get("permissionMode")
            return replace(state, mode=mode) if isinstance(mode, str) else state
        case "hames-state":
            return _after_choice(state, entry)
        case "system" if entry.get("subtype") == "compact_boundary":
            return _after_compaction(state)
        case _:
            return state


def _after_user(state: SessionState, entry: JsonObject) -> SessionState:
    is_prompt = not entry.get("isMeta") and "toolUseResult" not in entry
    if is_prompt and (state.turn_rules or state.turn != NO_CHOICE):
        state = replace(state, turn_rules=(), turn=NO_CHOICE)
    extra = entry.get("hames")
    for value in as_list(extra.get("effects")) if is_object(extra) else ():
        effect = decode_effect(value)
        if effect is not None:
            state = apply(state, effect)
    return state


def apply(state: SessionState, effect: Effect) -> SessionState:
    """The state after one effect of a tool."""
    match effect:
        case SetCwd(path):
            return replace(state, cwd=path)
        case SetMode(mode):
            return replace(state, mode=mode)
        case ReadState(mark):
            return replace(state, reads=MappingProxyType({**state.reads, mark.path: mark}))
        case Grant(rules):
            return replace(state, turn_rules=(*state.turn_rules, *rules))
        case ForTurn():
            return replace(state, turn=_joined(state.turn, effect))
        case Invoked(skill, digest):
            return replace(state, skills=MappingProxyType({**state.skills, skill: digest}))
        case Shown(paths):
            return replace(state, shown=state.shown | frozenset(paths))
        case Told(subject, value):
            return replace(state, told=MappingProxyType({**state.told, subject: value}))


def _joined(before: ForTurn, now: ForTurn) -> ForTurn:
    """Both choices; the newer model and effort win."""
    denied = dict.fromkeys((*before.denied, *now.denied))
    return ForTurn(now.model or before.model, now.effort or before.effort, tuple(denied))


def _after_compaction(state: SessionState) -> SessionState:
    """What was read and shown is gone; listings are not told again."""
    kept = {key: value for key, value in state.told.items() if key in KEPT_SUBJECTS}
    nothing: Mapping[Any, Any] = MappingProxyType({})
    return replace(
        state, reads=nothing, skills=nothing, shown=frozenset(), told=MappingProxyType(kept)
    )


def _after_choice(state: SessionState, entry: JsonObject) -> SessionState:
    """`hames-state` lines: `_CHOICES`, dropBlock, directory(Removed), update."""
    for key, name, kind in _CHOICES:
        if key in entry and isinstance(entry[key], kind | None):
            state = replace(state, **{name: entry[key]})
    if entry.get("dropBlock") is True:
        state = replace(state, drop_block=True)
    if isinstance(entry.get("directory"), str):
        state = replace(state, directories=(*state.directories, Path(entry["directory"])))
    if isinstance(entry.get("directoryRemoved"), str):
        removed = Path(entry["directoryRemoved"])
        state = replace(state, directories=tuple(d for d in state.directories if d != removed))
    if is_object(entry.get("update")):
        state = replace(state, session_rules=(*state.session_rules, entry["update"]))
    return state


def resumed(state: SessionState, start: SessionState, flags: frozenset[str]) -> SessionState:
    """The state a resumed session starts from; `flags` are fields that this run was asked for.

    Dangerous modes are not restored, nor a working directory that is lost or lies elsewhere.
    """
    if state.mode not in RESUMABLE_MODES:
        flags = flags | {"mode"}
    if not (state.cwd.is_dir() and _is_inside(state.cwd, (start.cwd, *state.directories))):
        flags = flags | {"cwd"}
    return replace(
        state, turn_rules=(), turn=NO_CHOICE, **{name: getattr(start, name) for name in flags}
    )


def _is_inside(path: Path, folders: Iterable[Path]) -> bool:
    return any(folder in (path, *path.parents) for folder in folders)
