"""Model name and environment -> client. Only the chosen client's modules are imported."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hames.harness.errors import ConfigError
from hames.harness.models.credentials import (
    CommandCredentials,
    CredentialSource,
    GivenCredentials,
    given_credentials,
    helper_ttl,
)
from hames.harness.models.port import ModelClient
from hames.harness.models.variables import CLOUD_SWITCHES, is_on
from hames.system.types import JsonObject, as_object


def make_client(
    model: str,
    env: Mapping[str, str],
    *,
    cwd: Path,
    api_key_helper: str | None = None,
    find_session: Callable[[str], Path] | None = None,
) -> ModelClient:
    """The client for a model name as given, `scripted:FILE` and `replay:SESSION` included.

    `find_session` gives the transcript of a session. Raises ConfigError, AuthError.
    """
    kind, colon, argument = model.partition(":")
    if colon and kind == "scripted":
        return _scripted(cwd / Path(argument).expanduser(), cwd)
    if colon and kind == "replay":
        if find_session is None:
            raise ConfigError("replay: needs the id of a stored session")
        return _replay(find_session(argument))
    if any(is_on(env, name) for name in CLOUD_SWITCHES) or env.get("HAMES_MODEL_CLIENT") == "sdk":
        from hames.harness.models.sdk import make_sdk_client

        return make_sdk_client(env, _credentials(env, cwd, api_key_helper))
    return _lean(env, cwd, api_key_helper)


def _scripted(path: Path, cwd: Path) -> ModelClient:
    from hames.harness.models.script_file import read_script
    from hames.harness.models.scripted import ScriptedClient

    return ScriptedClient(str(path), read_script(path, cwd))


def _replay(path: Path) -> ModelClient:
    from hames.harness.models.script_file import replay_turns
    from hames.harness.models.scripted import ScriptedClient

    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    return ScriptedClient(str(path), replay_turns(_lines(text)))


def _lines(text: str) -> Iterator[JsonObject]:
    """The objects of a JSONL text; torn and foreign lines are left out."""
    for line in text.splitlines():
        try:
            entry = as_object(json.loads(line))
        except (ValueError, RecursionError):
            continue
        if entry is not None:
            yield entry


def _lean(env: Mapping[str, str], cwd: Path, api_key_helper: str | None) -> ModelClient:
    from hames.harness.models.endpoint import endpoint_of
    from hames.harness.models.messages_api import MessagesApi
    from hames.harness.models.pool import ConnectionPool
    from hames.harness.models.profiles import profile_of

    endpoint = endpoint_of(env)
    return MessagesApi(
        endpoint,
        _credentials(env, cwd, api_key_helper),
        ConnectionPool(endpoint.origin, env),
        key_required=profile_of(env).key_required,
    )


def _credentials(env: Mapping[str, str], cwd: Path, api_key_helper: str | None) -> CredentialSource:
    """Variables win over the command."""
    given = given_credentials(env)
    if given.headers() or not api_key_helper:
        return GivenCredentials(given)
    from hames.harness.models.helper_command import run_helper

    return CommandCredentials(lambda: run_helper(api_key_helper, cwd, env), helper_ttl(env))
