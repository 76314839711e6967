"""The hooks of the settings files: handlers, problems and the switches that rule them."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from hames.hooks.config import HookProblem, parse_hooks
from hames.hooks.policy import HookPolicy
from hames.hooks.spec import HookSource, HookSpec, SourceKind
from hames.settings.layers import Positions
from hames.settings.permissions.rule_text import SourceKind as Scope
from hames.settings.snapshot import Snapshot
from hames.system.types import is_list

_KINDS: dict[Scope, tuple[SourceKind, str]] = {
    "managed": ("managed", "Managed Settings"),
    "flag": ("flag", "Command Line Settings"),
    "local": ("local", "Local Settings"),
    "project": ("project", "Project Settings"),
    "user": ("user", "User Settings"),
}


@dataclass(frozen=True, slots=True)
class SettingsHooks:
    """What a settings snapshot says about hooks."""

    specs: tuple[HookSpec, ...]
    problems: tuple[HookProblem, ...]
    policy: HookPolicy


def settings_hooks(snapshot: Snapshot) -> SettingsHooks:
    """The handlers that trust and policy let run; the policy also rules all other sources."""
    specs: list[HookSpec] = []
    problems: list[HookProblem] = []
    for block in snapshot.hooks:
        kind, label = _KINDS[block.scope]
        config = parse_hooks(block.hooks, HookSource(kind, label, block.path))
        specs += config.specs
        problems += config.problems
    return SettingsHooks(tuple(specs), tuple(problems), hook_policy(snapshot))


def hook_policy(snapshot: Snapshot) -> HookPolicy:
    """The switches; lists that are not set are no limit."""
    plugins_only = snapshot.values.get("strictPluginOnlyCustomization")
    return HookPolicy(
        disabled=snapshot.values.get("disableAllHooks") is True,
        disabled_by_policy=any(
            layer.scope == "managed" and layer.values.get("disableAllHooks") is True
            for layer in snapshot.layers
        ),
        managed_only=snapshot.values.get("allowManagedHooksOnly") is True,
        plugins_only=plugins_only is True or (is_list(plugins_only) and "hooks" in plugins_only),
        urls=_texts(snapshot, "allowedHttpHookUrls"),
        env_names=_texts(snapshot, "httpHookAllowedEnvVars"),
    )


def _texts(snapshot: Snapshot, key: str) -> tuple[str, ...] | None:
    value = snapshot.values.get(key)
    return tuple(str(item) for item in value) if is_list(value) else None


def located(specs: Iterable[HookSpec], snapshot: Snapshot) -> Iterator[HookSpec]:
    """The same handlers with the line of each in its file."""
    positions = {
        layer.path: Positions(layer.text) for layer in snapshot.layers if "hooks" in layer.values
    }
    for spec in specs:
        known = positions.get(spec.source.path)
        steps = ("hooks", *_steps(spec.where))
        yield replace(spec, line=known.line(steps)) if known is not None else spec


def _steps(where: str) -> list[str | int]:
    parts = re.findall(r"[^.\[\]]+", where)
    return [int(part) if part.isdigit() else part for part in parts]
