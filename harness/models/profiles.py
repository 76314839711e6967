"""What the service behind the endpoint understands: one table, two profiles."""

from collections.abc import Mapping
from typing import NamedTuple

from hames.harness.errors import ConfigError
from hames.harness.models.endpoint import base_host
from hames.harness.models.variables import CLOUD_SWITCHES, is_on


class Profile(NamedTuple):
    """What a request may hold. `docs/models.md` shows the same table."""

    name: str
    key_required: bool
    thinking_of_unknown_models: bool
    cache_ttl: bool
    experimental_betas: bool
    tool_search: bool
    web_search: bool
    metadata: bool


FIRST_PARTY = Profile(
    name="first-party",
    key_required=True,
    thinking_of_unknown_models=True,
    cache_ttl=True,
    experimental_betas=True,
    tool_search=True,
    web_search=True,
    metadata=True,
)
GATEWAY = Profile(
    name="gateway",
    key_required=False,
    thinking_of_unknown_models=False,
    cache_ttl=False,
    experimental_betas=False,
    tool_search=False,
    web_search=False,
    metadata=False,
)


def profile_of(env: Mapping[str, str]) -> Profile:
    """By HAMES_API_PROFILE, else by cloud and host: only the vendor's own is first-party.

    Raises ConfigError.
    """
    named = env.get("HAMES_API_PROFILE", "").strip()
    profiles = {profile.name: profile for profile in (FIRST_PARTY, GATEWAY)}
    if named and named not in profiles:
        raise ConfigError("HAMES_API_PROFILE must be first-party or gateway")
    cloud = any(is_on(env, name) for name in CLOUD_SWITCHES)
    own = base_host(env).endswith(".anthropic.com") and not cloud
    profile = profiles[named] if named else (FIRST_PARTY if own else GATEWAY)
    if is_on(env, "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS"):
        return profile._replace(experimental_betas=False, tool_search=False)
    return profile
