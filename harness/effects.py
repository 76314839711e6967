"""Effects of tools as JSON in the entry of their result, and back."""

from pathlib import Path
from typing import Any

from hames.system.types import JsonObject, is_object
from hames.tools.context import ReadMark
from hames.tools.effects import Effect, Grant, ReadState, SetCwd, SetMode


def encode_effect(effect: Effect) -> JsonObject:
    """The effect as stored under `hames.effects` of a result entry."""
    match effect:
        case SetCwd(path):
            return {"kind": "cwd", "path": str(path)}
        case SetMode(mode):
            return {"kind": "mode", "mode": mode}
        case Grant(rules):
            return {"kind": "grant", "rules": list(rules)}
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
        match stored.get("kind"):
            case "cwd":
                return SetCwd(Path(stored["path"]))
            case "mode":
                return SetMode(str(stored["mode"]))
            case "grant":
                return Grant(tuple(str(rule) for rule in stored["rules"]))
            case "read":
                return ReadState(_decode_mark(stored))
            case _:
                return None
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
