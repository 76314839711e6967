"""How a settings key is declared in the models: tier, scope, default and what a bad value means."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Scope = Literal["any", "user", "local", "managed"]
"""Files that may set a key: `user` = user, `--settings`, managed; `local` = those and local."""


class Section(BaseModel):
    """An object of settings.json; keys that hames does not know are kept."""

    model_config = ConfigDict(extra="allow", defer_build=True, populate_by_name=True)


def key(
    text: str,
    tier: Literal[1, 2, 3] = 1,
    scope: Scope = "any",
    default: object = None,
    *,
    broken: object = None,
    broken_managed: object = None,
    guard: bool = False,
    **limits: Any,
) -> Any:
    """One key: what it does, tier 3 = accepted without effect, and its value when it is wrong.

    `broken` replaces a value of the wrong kind, `broken_managed` only in managed files. A wrong
    value of a `guard` may have held a protection: it makes the whole session fail closed.
    """
    extra: dict[str, Any] = {"tier": tier}
    if scope != "any":
        extra["scope"] = scope
    if broken is not None:
        extra["broken"] = broken
    if broken_managed is not None:
        extra["brokenManaged"] = broken_managed
    if guard:
        extra["guard"] = True
    return Field(default=default, description=text, json_schema_extra=extra, **limits)
