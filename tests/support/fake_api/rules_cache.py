"""Rules of cache marks: how many, where, in which order."""

from collections.abc import Iterator
from typing import Any

from support.fake_api.request import Judged, Problems, blocks_of

_MAX = 4


def marked(request: Judged) -> Iterator[tuple[str, dict[str, Any]]]:
    """Path and block of everything that carries an explicit mark, in the order of the prefix."""
    for index, tool in enumerate(request.tools):
        if tool.get("cache_control") is not None:
            yield f"tools.{index}", tool
    system = request.body.get("system")
    for index, block in enumerate(system if isinstance(system, list) else []):
        if block.get("cache_control") is not None:
            yield f"system.{index}", block
    for index, message in enumerate(request.messages):
        for number, block in enumerate(blocks_of(message)):
            path = f"messages.{index}.content.{number}"
            inner = block.get("content")
            for place, part in enumerate(inner if isinstance(inner, list) else []):
                if isinstance(part, dict) and part.get("cache_control") is not None:
                    yield f"{path}.{block['type']}.content.{place}", part
            if block.get("cache_control") is not None:
                yield path, block


def _every_mark(request: Judged) -> Iterator[tuple[str, Any]]:
    for path, block in marked(request):
        yield path, block["cache_control"]
    automatic = request.body.get("cache_control")
    if automatic is not None:
        yield "", automatic


def marks(request: Judged) -> Problems:
    """At most four, the automatic one included; each `ephemeral` with a known ttl."""
    found = list(_every_mark(request))
    if len(found) > _MAX:
        yield f"A maximum of {_MAX} blocks with cache_control may be provided. Found {len(found)}."
    for path, mark in found:
        where = f"{path}.cache_control".lstrip(".")
        if not isinstance(mark, dict) or mark.get("type") != "ephemeral":
            yield f"{where}.type: Input should be 'ephemeral'"
        elif mark.get("ttl", "5m") not in ("5m", "1h"):
            yield f"{where}.ttl: Input should be '5m' or '1h'"
        else:
            for extra in mark.keys() - {"type", "ttl"}:
                yield f"{where}.{extra}: Extra inputs are not permitted"


def places(request: Judged) -> Problems:
    """Not on thinking, empty text or deferred tools."""
    for path, block in marked(request):
        kind = block.get("type")
        if path.startswith("tools.") and block.get("defer_loading"):
            yield f"{path}.cache_control: cannot be set on tools with defer_loading=true"
        elif kind in ("thinking", "redacted_thinking"):
            yield f"{path}.{kind}.cache_control: Extra inputs are not permitted"
        elif kind == "text" and not block.get("text"):
            yield f"{path}: cache_control cannot be set for empty text blocks"


def order(request: Judged) -> Problems:
    """An hour never comes after five minutes; the automatic mark agrees with the last block."""
    short = False
    for path, block in marked(request):
        mark = block["cache_control"]
        ttl = mark.get("ttl", "5m") if isinstance(mark, dict) else "5m"
        if short and ttl == "1h":
            yield (
                f"{path}.cache_control.ttl: a ttl='1h' cache_control block must not come after "
                "a ttl='5m' cache_control block"
            )
        short = short or ttl == "5m"
    automatic = request.body.get("cache_control")
    last = blocks_of(request.messages[-1])[-1:]
    explicit = last[0].get("cache_control") if last else None
    ttls = {m.get("ttl", "5m") for m in (automatic, explicit) if isinstance(m, dict)}
    if automatic is not None and len(ttls) > 1:
        yield "cache_control: the last block is already marked with another ttl"


RULES = (marks, places, order)
