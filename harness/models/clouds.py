"""Where the SDK leads: a cloud chosen by the usual variables, or the Messages API itself."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, TypedDict

from hames.harness.errors import AuthError, ConfigError
from hames.harness.models.endpoint import endpoint_of
from hames.harness.models.sdk_http import connection_to
from hames.harness.models.variables import is_on

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncAnthropicAWS, AsyncAnthropicFoundry
    from anthropic.lib.bedrock import AsyncAnthropicBedrock
    from anthropic.lib.vertex import AsyncAnthropicVertex

    SdkApi = (
        AsyncAnthropic
        | AsyncAnthropicAWS
        | AsyncAnthropicBedrock
        | AsyncAnthropicFoundry
        | AsyncAnthropicVertex
    )

NO_TOKEN = "none"
"""Sent where a gateway adds the credentials itself."""

_PLAIN = re.compile(r"[A-Za-z0-9-]+\Z")

Refusals = tuple[type[Exception], ...]


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A client of the SDK. `refusals` are raised when a library finds no usable credential."""

    api: "SdkApi"
    refusals: Refusals = ()


@dataclass(frozen=True, slots=True)
class Cloud:
    """One service.

    `rewrites`: the SDK moves members of the body to the URL, so it is not sent byte for byte.
    `frames`: answers are AWS frames instead of server-sent events. `counts`: it counts tokens.
    """

    name: str
    switch: str
    sign_in: Callable[[Mapping[str, str]], SignedIn]
    rewrites: bool = False
    frames: bool = False
    counts: bool = True


def cloud_of(env: Mapping[str, str]) -> Cloud:
    """The cloud that is switched on, else the Messages API. Raises ConfigError for two."""
    chosen = [cloud for cloud in CLOUDS if is_on(env, cloud.switch)]
    if len(chosen) > 1:
        names = " and ".join(cloud.switch for cloud in chosen)
        raise ConfigError(f"{names} are both set: keep one of them")
    return chosen[0] if chosen else MESSAGES


def _messages(env: Mapping[str, str]) -> SignedIn:
    """The credential stands in the headers of each request, as it may change."""
    import anthropic

    endpoint = endpoint_of(env)
    scheme = "https" if endpoint.origin.secure else "http"
    url = f"{scheme}://{endpoint.origin.host_header}{endpoint.prefix}"
    return SignedIn(anthropic.AsyncAnthropic(auth_token=NO_TOKEN, **connection_to(url, env)))


def _bedrock(env: Mapping[str, str]) -> SignedIn:
    from anthropic.lib.bedrock import AsyncAnthropicBedrock

    region = _region(env)
    usual = f"https://bedrock-runtime.{region}.amazonaws.com"
    token = env.get("AWS_BEARER_TOKEN_BEDROCK") or None
    if is_on(env, "CLAUDE_CODE_SKIP_BEDROCK_AUTH"):
        token = env.get("ANTHROPIC_AUTH_TOKEN") or NO_TOKEN
    refusals = () if token else _aws_refusals("Bedrock")
    connection = connection_to(env.get("ANTHROPIC_BEDROCK_BASE_URL") or usual, env)
    keys: _AwsKeys = _aws_keys(env) if token is None else {}
    api = AsyncAnthropicBedrock(api_key=token, aws_region=region, **keys, **connection)
    return SignedIn(api, refusals)


def _aws(env: Mapping[str, str]) -> SignedIn:
    import anthropic

    region = _region(env)
    key = env.get("ANTHROPIC_AWS_API_KEY") or None
    skip = is_on(env, "CLAUDE_CODE_SKIP_ANTHROPIC_AWS_AUTH")
    workspace = env.get("ANTHROPIC_AWS_WORKSPACE_ID") or None
    if workspace is None and not skip:
        raise ConfigError("Claude on AWS needs ANTHROPIC_AWS_WORKSPACE_ID")
    signs = key is None and not skip
    refusals = _aws_refusals("Claude on AWS") if signs else ()
    usual = f"https://aws-external-anthropic.{region}.api.aws"
    connection = connection_to(env.get("ANTHROPIC_AWS_BASE_URL") or usual, env)
    keys: _AwsKeys = _aws_keys(env) if signs else {}
    api = anthropic.AsyncAnthropicAWS(
        api_key=key,
        skip_auth=skip,
        workspace_id=workspace,
        aws_region=region,
        **keys,
        **connection,
    )
    return SignedIn(api, refusals)


def _vertex(env: Mapping[str, str]) -> SignedIn:
    from anthropic.lib.vertex import AsyncAnthropicVertex

    region = env.get("CLOUD_ML_REGION", "")
    _check("CLOUD_ML_REGION", region, "such as global or us-east5")
    project = env.get("ANTHROPIC_VERTEX_PROJECT_ID") or env.get("GOOGLE_CLOUD_PROJECT")
    if not project:
        raise ConfigError("Vertex needs ANTHROPIC_VERTEX_PROJECT_ID")
    host = f"{region}-aiplatform.googleapis.com"
    if region == "global":
        host = "aiplatform.googleapis.com"
    elif region in ("us", "eu"):
        host = f"aiplatform.{region}.rep.googleapis.com"
    token, refusals = None, Refusals()
    if is_on(env, "CLAUDE_CODE_SKIP_VERTEX_AUTH"):
        token = env.get("ANTHROPIC_AUTH_TOKEN") or NO_TOKEN
    else:
        refusals = _refusals(("google.auth.exceptions",), "GoogleAuthError", "Vertex", "vertex")
    connection = connection_to(env.get("ANTHROPIC_VERTEX_BASE_URL") or f"https://{host}/v1", env)
    api = AsyncAnthropicVertex(region=region, project_id=project, access_token=token, **connection)
    return SignedIn(api, refusals)


def _foundry(env: Mapping[str, str]) -> SignedIn:
    import anthropic

    key = env.get("ANTHROPIC_FOUNDRY_API_KEY")
    if not key:
        raise AuthError("Foundry needs ANTHROPIC_FOUNDRY_API_KEY")
    url = env.get("ANTHROPIC_FOUNDRY_BASE_URL")
    if not url:
        resource = env.get("ANTHROPIC_FOUNDRY_RESOURCE", "")
        _check("ANTHROPIC_FOUNDRY_RESOURCE", resource, "or set ANTHROPIC_FOUNDRY_BASE_URL")
        url = f"https://{resource}.services.ai.azure.com/anthropic/"
    return SignedIn(anthropic.AsyncAnthropicFoundry(api_key=key, **connection_to(url, env)))


class _AwsKeys(TypedDict, total=False):
    aws_access_key: str | None
    aws_secret_key: str | None
    aws_session_token: str | None
    aws_profile: str | None


def _aws_keys(env: Mapping[str, str]) -> _AwsKeys:
    """The keys or the profile of the variables; without them AWS looks in its usual places."""
    return {
        "aws_access_key": env.get("AWS_ACCESS_KEY_ID") or None,
        "aws_secret_key": env.get("AWS_SECRET_ACCESS_KEY") or None,
        "aws_session_token": env.get("AWS_SESSION_TOKEN") or None,
        "aws_profile": env.get("AWS_PROFILE") or None,
    }


def _aws_refusals(who: str) -> Refusals:
    return _refusals(("boto3", "botocore.exceptions"), "BotoCoreError", who, "bedrock")


def _refusals(modules: tuple[str, ...], error: str, who: str, extra: str) -> Refusals:
    """The base error of an optional sign-in library; RuntimeError is the SDK's own."""
    try:
        *_, last = (import_module(name) for name in modules)
    except ImportError:
        text = f"{who} needs a further package: pip install 'hames[{extra}]'"
        raise ConfigError(text) from None
    base: type[Exception] = getattr(last, error)
    return (base, RuntimeError)


def _region(env: Mapping[str, str]) -> str:
    region = env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or ""
    _check("AWS_REGION", region, "such as us-east-1")
    return region


def _check(name: str, value: str, hint: str) -> None:
    """These values become part of a host name."""
    if not _PLAIN.match(value):
        state = "is not set" if not value else "holds characters that no such name has"
        raise ConfigError(f"{name} {state}: {hint}")


MESSAGES = Cloud("messages", "", _messages)
CLOUDS = (
    Cloud("bedrock", "CLAUDE_CODE_USE_BEDROCK", _bedrock, rewrites=True, frames=True, counts=False),
    Cloud("vertex", "CLAUDE_CODE_USE_VERTEX", _vertex, rewrites=True),
    Cloud("foundry", "CLAUDE_CODE_USE_FOUNDRY", _foundry),
    Cloud("aws", "CLAUDE_CODE_USE_ANTHROPIC_AWS", _aws),
)
