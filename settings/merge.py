"""Layers, lowest first, to one object: scalars replace, objects merge, lists join."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hames.settings.layers import Layer
from hames.system.types import JsonObject, is_list, is_object

_WHOLE = frozenset({("fallbackModel",), ("spellcheck",)})
"""Keys whose highest value counts whole."""

_MARKETPLACES = "extraKnownMarketplaces"

_MANAGED_ALONE = ("availableModels",)
"""Keys whose managed value, if any, is the only one."""

_STRICTEST: Mapping[str, tuple[Any, ...]] = {
    "disableClaudeAiConnectors": (False, True),
    "isolatePeerMachines": (False, True),
    "remoteControlAtStartup": (True, False),
    "crossSessionInbound": ("accept", "hold", "refuse"),
    "useAutoModeDuringPlan": (True, False),
    "syncClaudeAiSkills": (True, False),
    "permissions.blockReadsOutsideWorkingDirectories": (False, True),
    "permissions.blockWritesOutsideWorkingDirectories": (False, True),
    "permissions.denyInsteadOfPrompting": (False, True),
}
"""Values from loose to strict; the strictest of all files counts, whoever set it."""


def merge_layers(layers: Sequence[Layer]) -> JsonObject:
    """The effective values."""
    merged: JsonObject = {}
    for layer in layers:
        merged = _objects(merged, layer.values, ())
    managed = [layer for layer in layers if layer.scope == "managed"]
    if managed:
        _managed_alone(merged, managed)
    for key in _STRICTEST:
        _strictest(merged, key, layers)
    return merged


def lookup(values: Mapping[str, Any], key: str) -> Any:
    """The value at a dotted key, None when it is not there."""
    found: Any = values
    for step in key.split("."):
        if not is_object(found):
            return None
        found = found.get(step)
    return found


def join(lower: list[Any], upper: list[Any]) -> list[Any]:
    """Both lists without what is there already."""
    both = [*lower, *upper]
    if all(isinstance(item, str) for item in both):
        return list(dict.fromkeys(both))
    seen: dict[str, Any] = {}
    for item in both:
        seen.setdefault(json.dumps(item, sort_keys=True), item)
    return list(seen.values())


def _objects(lower: JsonObject, upper: JsonObject, path: tuple[str, ...]) -> JsonObject:
    merged = dict(lower)
    for key, value in upper.items():
        merged[key] = _value(merged.get(key), value, (*path, key))
    return merged


def _value(lower: Any, upper: Any, path: tuple[str, ...]) -> Any:
    if path in _WHOLE or (len(path) == 2 and path[0] == _MARKETPLACES):
        return upper
    if is_object(lower) and is_object(upper):
        return _objects(lower, upper, path)
    if is_list(lower) and is_list(upper):
        return join(lower, upper)
    return upper


def _managed_alone(merged: JsonObject, managed: Sequence[Layer]) -> None:
    policy: JsonObject = {}
    for layer in managed:
        policy = _objects(policy, layer.values, ())
    alone = [key for key in _MANAGED_ALONE if key in policy]
    if policy.get("allowManagedMcpServersOnly"):
        alone.append("allowedMcpServers")
    if policy:
        alone.append("enforceAvailableModels")
    for key in alone:
        _replace(merged, key, policy.get(key))


def _replace(merged: JsonObject, key: str, value: Any) -> None:
    if value is None:
        merged.pop(key, None)
    else:
        merged[key] = value


def _strictest(merged: JsonObject, key: str, layers: Iterable[Layer]) -> None:
    found = lookup(merged, key)
    if found is None:
        return
    order = _STRICTEST[key]
    given = [lookup(layer.values, key) for layer in layers]
    strict = max((value for value in given if value in order), key=order.index, default=found)
    parent, _, name = key.rpartition(".")
    if parent:
        # A new object: the old one may belong to a layer.
        merged[parent] = {**merged[parent], name: strict}
    else:
        merged[name] = strict
