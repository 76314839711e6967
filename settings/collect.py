"""From layers to what the engine uses: rules, directories, environment, hooks."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hames.settings.layers import Layer, Positions
from hames.settings.merge import lookup
from hames.settings.permissions.rule_text import Behavior, RuleSource, RuleText
from hames.settings.snapshot import HookBlock
from hames.system.types import JsonObject, is_object

_BEHAVIORS: tuple[Behavior, ...] = ("deny", "ask", "allow")


def collect_rules(
    layers: Sequence[Layer], values: JsonObject, cwd: Path, cli: Mapping[str, Iterable[str]]
) -> tuple[RuleText, ...]:
    """All rules as written, strongest source first within each list of the command line last."""
    only_managed = values.get("allowManagedPermissionRulesOnly") is True
    rules: list[RuleText] = []
    for layer in layers:
        if layer.scope == "managed" or not only_managed:
            rules += _layer_rules(layer)
    source = RuleSource("cli", cwd)
    for behavior in _BEHAVIORS:
        if behavior != "allow" or not only_managed:
            rules += [RuleText(behavior, text, source) for text in cli.get(behavior, ())]
    return tuple(rules)


def _layer_rules(layer: Layer) -> list[RuleText]:
    if "permissions" not in layer.values:
        return []
    source = RuleSource(layer.scope, layer.root, layer.path)
    positions = Positions(layer.text)
    rules: list[RuleText] = []
    for behavior in _BEHAVIORS:
        key = f"permissions.{behavior}"
        texts: list[str] = lookup(layer.values, key) or []
        lines = positions.lines(("permissions", behavior))
        # After a salvage the entries no longer match the text one by one.
        known: list[int | None] = [*lines] if len(lines) == len(texts) else [None] * len(texts)
        rules += [
            RuleText(behavior, text, source, line) for text, line in zip(texts, known, strict=True)
        ]
    return rules


def collect_directories(
    layers: Sequence[Layer], cwd: Path, home: Path, flags: Iterable[Path]
) -> tuple[Path, ...]:
    """Additional working directories, those of the command line first; `~` is the home."""
    found = [cwd / path for path in flags]
    for layer in layers:
        for text in lookup(layer.values, "permissions.additionalDirectories") or ():
            if "\0" in text:
                continue
            if text == "~" or text.startswith("~/"):
                found.append(home / text[2:])
            else:
                found.append(cwd / text)
    return tuple(dict.fromkeys(found))


def collect_env(values: JsonObject) -> Mapping[str, str]:
    """The merged `env` without names and values that no process can have."""
    env: Any = values.get("env")
    if not is_object(env):
        return {}
    return {
        name: value
        for name, value in env.items()
        if name and "=" not in name and "\0" not in name and "\0" not in value
    }


def apply_env(environ: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """The environment of a session: settings over the shell; an empty text removes a variable."""
    both = {**environ, **env}
    return {name: value for name, value in both.items() if value or name not in env}


def collect_hooks(layers: Sequence[Layer], values: JsonObject) -> tuple[HookBlock, ...]:
    """The hook objects that may run; nobody but managed settings stops managed hooks."""
    blocks = [
        HookBlock(layer.scope, layer.path, layer.values["hooks"])
        for layer in layers
        if layer.values.get("hooks")
    ]
    managed = [block for block in blocks if block.scope == "managed"]
    if values.get("allowManagedHooksOnly") is True:
        blocks = managed
    if values.get("disableAllHooks") is not True:
        return tuple(blocks)
    by_policy = any(
        layer.scope == "managed" and layer.values.get("disableAllHooks") is True for layer in layers
    )
    return () if by_policy else tuple(managed)
