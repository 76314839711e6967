"""Which built-in tools a session offers: flags, bare deny rules and the bare mode."""

from collections.abc import Iterable, Mapping
from typing import Any

from hames.harness.errors import UsageError
from hames.settings.permissions.policy import Policy
from hames.tools.registry import Registry, load_specs

BARE_TOOLS = ("Bash", "Edit", "Read")


def choose_tools(
    wanted: Iterable[str] | None,
    policy: Policy,
    options: Mapping[str, Mapping[str, Any]],
    *,
    bare: bool,
) -> Registry:
    """The registry of the session. `wanted` is `--tools`; None and `default` mean all.

    Raises UsageError for a name that is no tool.
    """
    specs = load_specs()
    known = {name: spec.name for spec in specs for name in (spec.name, *spec.aliases)}
    if wanted is not None and tuple(wanted) != ("default",):
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UsageError(
                f"--tools: there is no tool {unknown[0]!r}; there are: "
                + ", ".join(sorted(spec.name for spec in specs))
            )
        chosen = {known[name] for name in wanted}
    else:
        chosen = set(BARE_TOOLS) if bare else set(known.values())
    chosen -= policy.removed_tools(chosen)
    return Registry((spec for spec in specs if spec.name in chosen), options)
