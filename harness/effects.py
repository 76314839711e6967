"""Effects of tools as JSON in the entry of their result, and back."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hames.system.types import JsonObject, is_object
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


def encode_effect(effect: Effect) -> JsonObject:
    """The effect as stored under `hames.effects` of a result entry."""
    match effect:
        case SetCwd(path):
            return {"kind": "cwd", "path": str(path)}
        case SetMode(mode):
            return {"kind": "mode", "mode": mode}
        case Grant(rules):
            return {"kind": "grant", "rules": list(rules)}
        case ForTurn(model, effort, denied):
            return {"kind": "turn", "model": model, "effort": effort, "denied": list(denied)}
        case Invoked(skill, digest):
            return {"kind": "skill", "name": skill, "digest": digest}
        case Shown(paths):
            return {"kind": "shown", "paths": [str(path) for path in paths]}
        case Told(subject, value):
            return {"kind": "told", "subject": subject, "value": value}
        case ReadState(mark):
            stored: JsonObject = {
                "kind": "read",
                "path": str(mark.path),
                "mtime": mark.mtime_ns,
                "size": mark.size,
                "full": mark.full,
            }
            optional = (("offset", mark.offset), ("limit", mark.limit), ("seeded", mark.seeded))
            return stored | {key: value for key, value in optional if value}


def decode_effect(stored: Any) -> Effect | None:
    """The effect, or None when the stored value is of an unknown kind or damaged."""
    if not is_object(stored):
        return None
    try:
        decode = _DECODERS.get(str(stored.get("kind")))
        return decode(stored) if decode is not None else None
    except (KeyError, TypeError, ValueError):
        return None


def _decode_mark(stored: JsonObject) -> ReadMark:
    return ReadMark(
        path=Path(stored["path"]),
        mtime_ns=int(stored["mtime"]),
        size=int(stored["size"]),
        full=bool(stored["full"]),
        offset=stored.get("offset"),
        limit=stored.get("limit"),
        seeded=bool(stored.get("seeded")),
    )


def _decode_turn(stored: JsonObject) -> ForTurn:
    model, effort = stored.get("model"), stored.get("effort")
    return ForTurn(
        model if isinstance(model, str) else None,
        effort if isinstance(effort, str) else None,
        tuple(str(name) for name in stored.get("denied", ())),
    )


_DECODERS: Mapping[str, Callable[[JsonObject], Effect]] = {
    "cwd": lambda stored: SetCwd(Path(stored["path"])),
    "mode": lambda stored: SetMode(str(stored["mode"])),
    "grant": lambda stored: Grant(tuple(str(rule) for rule in stored["rules"])),
    "read": lambda stored: ReadState(_decode_mark(stored)),
    "turn": _decode_turn,
    "skill": lambda stored: Invoked(str(stored["name"]), str(stored["digest"])),
    "shown": lambda stored: Shown(tuple(Path(path) for path in stored["paths"])),
    "told": lambda stored: Told(str(stored["subject"]), str(stored["value"])),
}
