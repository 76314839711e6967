"""`hames auth`: whether there is a credential, and where it comes from. Never the credential."""

import json
import os
import sys
from pathlib import Path

import click

from hames.harness.models.credentials import key_source
from hames.harness.models.endpoint import endpoint_of
from hames.harness.models.profiles import profile_of
from hames.harness.models.variables import CLOUD_SWITCHES, is_on
from hames.harness.run_config import RunConfig
from hames.harness.start import Start, prepare
from hames.system.types import JsonObject

NO_LOGIN = (
    "hames has no login of its own: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or apiKeyHelper "
    "in the settings. `hames auth status` tells what is in use."
)


@click.group("auth", help="Tell which credential is in use.")
def command() -> None:
    """The group of the credential commands."""


@command.command("status", help="Print the state as JSON; exit 0 when requests can be sent.")
@click.option("--text", is_flag=True, help="Print one line for people instead.")
def status(text: bool) -> int:
    """Exit 0 when there is a credential or none is needed, else 1."""
    state = auth_state(prepare(RunConfig(cwd=Path.cwd()), os.environ))
    shown = _line(state) if text else json.dumps(state, indent=2)
    sys.stdout.write(f"{shown}\n")
    return 0 if state["loggedIn"] else 1


@command.command("login", help="Say how to give hames a credential.")
def login() -> int:
    """There is no account to log in to."""
    sys.stdout.write(f"{NO_LOGIN}\n")
    return 1


@command.command("logout", help="Say how to take a credential away.")
def logout() -> int:
    """There is no account to log out of."""
    sys.stdout.write("hames stores no credential: unset the variable or remove apiKeyHelper.\n")
    return 1


def auth_state(start: Start) -> JsonObject:
    """loggedIn, apiKeySource, provider, baseUrl and profile of the endpoint in use."""
    source = key_source(start.env, start.snapshot.text("apiKeyHelper"))
    cloud = next((name for name in CLOUD_SWITCHES if is_on(start.env, name)), None)
    profile, origin = profile_of(start.env), endpoint_of(start.env).origin
    return {
        "loggedIn": source != "none" or cloud is not None or not profile.key_required,
        "apiKeySource": source,
        "provider": cloud or "messages-api",
        "baseUrl": f"{'https' if origin.secure else 'http'}://{origin.host_header}",
        "profile": profile.name,
    }


def _line(state: JsonObject) -> str:
    if state["apiKeySource"] != "none":
        return f"Ready: {state['baseUrl']} with {state['apiKeySource']}"
    if state["loggedIn"]:
        return f"Ready: {state['provider']} at {state['baseUrl']}, no key of ours is needed"
    return f"Not ready: no credential. {NO_LOGIN}"
