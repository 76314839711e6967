"""What the files of a folder may not do before its user trusts it, and what they never may."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

from hames.settings.env_policy import is_dangerous, is_own, is_safe
from hames.settings.layers import Layer, Positions
from hames.settings.merge import lookup
from hames.settings.warnings import SettingsWarning
from hames.system.types import JsonObject, is_list, is_object

TrustLevel = Literal["trusted", "headless", "held"]
"""`headless`: `-p` without recorded trust; `held`: interactive before the dialog is answered."""

_RULES = ("permissions.allow", "permissions.additionalDirectories", "permissions.defaultMode")

_GRANTS = (
    *_RULES,
    "apiKeyHelper",
    "skipDangerousModePermissionPrompt",
    "enableAllProjectMcpServers",
    "enabledMcpjsonServers",
    "autoMemoryDirectory",
    "extraKnownMarketplaces",
    "additionalMarketplaces",
    "sandbox.autoAllowBashIfSandboxed",
    "sandbox.excludedCommands",
    "sandbox.allowUnsandboxedCommands",
    "sandbox.filesystem.allowWrite",
    "sandbox.filesystem.allowRead",
    "sandbox.network.allowedDomains",
)
"""Keys by which a folder would widen what is allowed: they need recorded trust everywhere."""

PROGRAMS = (
    "apiKeyHelper",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "otelHeadersHelper",
    "statusLine",
    "subagentStatusLine",
    "fileSuggestion",
)
"""Keys whose value is a command line."""

_CUSTOM = ("hooks", "statusLine", "subagentStatusLine", "fileSuggestion", "enabledPlugins")

_UNTRUSTED = (
    "this workspace has not been trusted. Start hames in it once and accept the trust question"
)

_HELD = (*_GRANTS, *PROGRAMS, "hooks", "enabledPlugins")


class Held(NamedTuple):
    """A layer without what it may not do, and what was left out."""

    layer: Layer
    warnings: tuple[SettingsWarning, ...] = ()


def hold_back(layer: Layer, trust: TrustLevel) -> Held:
    """Apply the trust rules to one layer; user, managed and flag layers lose only hooks."""
    if layer.scope not in ("project", "local"):
        dropped = _without(layer, ("hooks",)) if trust == "held" else layer
        return Held(dropped)
    layer, warnings = _modes(layer)
    layer, more = _environment(layer, is_own, "a project may not set this")
    warnings += more
    own = trust == "headless" and not layer.repository
    if own or trust == "trusted":
        return Held(layer, tuple(warnings))
    warnings += _report(layer)
    if trust == "headless":
        layer = _sandbox_stays_on(_without(layer, _GRANTS))
        layer, more = _environment(layer, is_dangerous, _UNTRUSTED)
    else:
        layer = _sandbox_stays_on(_without(layer, _HELD))
        layer, more = _environment(layer, _is_not_safe, _UNTRUSTED)
    return Held(layer, (*warnings, *more))


def without_customizations(layer: Layer, *, bare: bool) -> Layer:
    """`--bare` runs no hooks and takes the key helper from `--settings` alone; `--safe-mode` keeps
    what managed settings customise."""
    if bare:
        return _without(layer, ("hooks", *(() if layer.scope == "flag" else ("apiKeyHelper",))))
    return layer if layer.scope == "managed" else _without(layer, _CUSTOM)


def _is_not_safe(name: str) -> bool:
    return is_dangerous(name) or not is_safe(name)


def _modes(layer: Layer) -> tuple[Layer, list[SettingsWarning]]:
    """A folder cannot choose auto, and bypass of a folder starts in default."""
    mode = lookup(layer.values, "permissions.defaultMode")
    if mode not in ("auto", "bypassPermissions"):
        return layer, []
    permissions = {**layer.values["permissions"], "defaultMode": "default"}
    if mode == "auto":
        del permissions["defaultMode"]
    text = f"{mode} counts only in user settings, --settings and managed settings"
    key = "permissions.defaultMode"
    warning = SettingsWarning("notice", text, layer.path, key, _line(layer, key))
    return layer._replace(values={**layer.values, "permissions": permissions}), [warning]


def _environment(
    layer: Layer, refused: Callable[[str], bool], why: str
) -> tuple[Layer, list[SettingsWarning]]:
    env: Any = layer.values.get("env")
    if not is_object(env):
        return layer, []
    out = [name for name in env if refused(name)]
    if not out:
        return layer, []
    kept = {name: value for name, value in env.items() if name not in out}
    text = f"Ignoring env {', '.join(out)} from {layer.path}: {why}."
    warning = SettingsWarning("untrusted", text, layer.path, "env", _line(layer, "env"))
    return layer._replace(values={**layer.values, "env": kept}), [warning]


def _sandbox_stays_on(layer: Layer) -> Layer:
    sandbox = layer.values.get("sandbox")
    if is_object(sandbox) and sandbox.get("enabled") is False:
        return _without(layer, ("sandbox.enabled",))
    return layer


def _report(layer: Layer) -> list[SettingsWarning]:
    """The grants that do not count, in words that other programs print too."""
    warnings: list[SettingsWarning] = []
    for key in (*_RULES, "apiKeyHelper"):
        value = lookup(layer.values, key)
        if not value:
            continue
        what = key
        if is_list(value):
            what = f"{len(value)} {key} {'entry' if len(value) == 1 else 'entries'}"
        text = f"Ignoring {what} from {layer.path}: {_UNTRUSTED}."
        warnings.append(SettingsWarning("untrusted", text, layer.path, key, _line(layer, key)))
    return warnings


def _line(layer: Layer, key: str) -> int | None:
    return Positions(layer.text).line(tuple(key.split(".")))


def _without(layer: Layer, keys: Iterable[str]) -> Layer:
    values = layer.values
    for key in keys:
        if lookup(values, key) is not None:
            values = _removed(values, tuple(key.split(".")))
    return layer if values is layer.values else layer._replace(values=values)


def _removed(values: JsonObject, path: tuple[str, ...]) -> JsonObject:
    copy = dict(values)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = _removed(copy[path[0]], path[1:])
    return copy
