"""Which configured hooks may run at all, and what http hooks may reach."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hames.hooks.spec import SETTINGS_KINDS, HookSpec


@dataclass(frozen=True, slots=True)
class HookPolicy:
    """The switches of the settings.

    `disabled` is the merged `disableAllHooks` and `disabled_by_policy` the managed one;
    `managed_only` is `allowManagedHooksOnly`, `plugins_only` the hooks part of
    `strictPluginOnlyCustomization`. `trusted` is false in an interactive session of a folder
    that nobody has trusted yet. `urls` and `env_names` limit http hooks; None is no limit.
    """

    disabled: bool = False
    disabled_by_policy: bool = False
    managed_only: bool = False
    plugins_only: bool = False
    trusted: bool = True
    urls: tuple[str, ...] | None = None
    env_names: tuple[str, ...] | None = None

    def permits(self, spec: HookSpec) -> bool:
        """Whether the hook may run in this session."""
        source = spec.source
        if self.disabled_by_policy or not source.trusted:
            return False
        if not self.trusted and source.kind in SETTINGS_KINDS:
            return False
        if source.kind == "managed" or source.forced:
            return True
        if self.disabled or (self.managed_only and source.kind != "sdk"):
            return False
        return not (self.plugins_only and source.kind in SETTINGS_KINDS)

    def permits_url(self, url: str) -> bool:
        """Whether an http hook may call `url`."""
        return self.urls is None or _any_matches(self.urls, url)

    def permitted_names(self, names: Iterable[str]) -> frozenset[str]:
        """Those of `names` whose variables header values may hold."""
        wanted = frozenset(names)
        return wanted if self.env_names is None else wanted & frozenset(self.env_names)


def _any_matches(patterns: Iterable[str], url: str) -> bool:
    """`*` stands for any text; the rest is literal."""
    return any(
        re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), url) for pattern in patterns
    )
