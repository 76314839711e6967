"""Who asks: API key and token, given by variables or printed by a command."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from hames.harness.errors import AuthError
from hames.harness.models.endpoint import is_header_value
from hames.harness.models.variables import whole_number

HELPER_TTL_MS = 300_000

NO_CREDENTIALS = (
    "No API key. Set ANTHROPIC_API_KEY, or ANTHROPIC_AUTH_TOKEN for a bearer token, or the "
    "apiKeyHelper setting (a command that prints the key), or ANTHROPIC_BASE_URL for a local "
    "server or gateway. `make demo` runs without a key."
)


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """What proves who asks; its repr and its errors never show a value."""

    api_key: str | None = None
    auth_token: str | None = None

    def __repr__(self) -> str:
        given = [name for name in self.__slots__ if getattr(self, name) is not None]
        return f"Credentials({', '.join(f'{name}=***' for name in given)})"

    def headers(self) -> list[tuple[str, str]]:
        """`x-api-key` for a key, `authorization` for a token."""
        found: list[tuple[str, str]] = []
        if self.api_key is not None:
            found.append(("x-api-key", self.api_key))
        if self.auth_token is not None:
            found.append(("authorization", f"Bearer {self.auth_token}"))
        return found

    def redact(self, text: str) -> str:
        """`text` without the secrets it may repeat."""
        for secret in (self.api_key, self.auth_token):
            if secret:
                text = text.replace(secret, "***")
        return text


class CredentialSource(Protocol):
    """Where a client gets its credentials from."""

    async def get(self) -> Credentials:
        """The credentials of the next request. Raises AuthError."""
        ...

    async def refresh(self) -> bool:
        """After a refusal: fetch them anew; False when that cannot change anything."""
        ...


class GivenCredentials:
    """Credentials that stay the same for the whole run."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    async def get(self) -> Credentials:
        """The credentials as given."""
        return self._credentials

    async def refresh(self) -> bool:
        """Never: there is no second source."""
        return False


class CommandCredentials:
    """The output of the `apiKeyHelper` command, kept for `ttl` seconds, sent as key and token."""

    def __init__(self, run: Callable[[], Awaitable[str]], ttl: float) -> None:
        self._run = run
        self._ttl = ttl
        self._kept: Credentials | None = None
        self._until = 0.0
        self._lock = asyncio.Lock()

    async def get(self) -> Credentials:
        """The kept output, or that of a new run. Raises AuthError."""
        async with self._lock:
            if self._kept is None or time.monotonic() >= self._until:
                return await self._fetch()
            return self._kept

    async def refresh(self) -> bool:
        """Run the command again; whether it printed another secret."""
        async with self._lock:
            before = self._kept
            return await self._fetch() != before

    async def _fetch(self) -> Credentials:
        key = checked("apiKeyHelper", await self._run())
        if key is None:
            raise AuthError("apiKeyHelper printed nothing; it must print the key and exit with 0")
        self._kept = Credentials(key, key)
        self._until = time.monotonic() + self._ttl
        return self._kept


def checked(source: str, text: str) -> str | None:
    """A secret without surrounding blanks; None when empty. Raises AuthError if unsendable."""
    secret = text.strip()
    if not is_header_value(secret):
        raise AuthError(f"{source} holds characters that cannot be sent, such as a line break")
    return secret or None


def given_credentials(env: Mapping[str, str]) -> Credentials:
    """From ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN; empty when neither is set."""
    return Credentials(
        checked("ANTHROPIC_API_KEY", env.get("ANTHROPIC_API_KEY", "")),
        checked("ANTHROPIC_AUTH_TOKEN", env.get("ANTHROPIC_AUTH_TOKEN", "")),
    )


def key_source(env: Mapping[str, str], helper: str | None) -> str:
    """Where the key comes from, as `apiKeySource` of the public messages tells it."""
    if env.get("ANTHROPIC_API_KEY"):
        return "ANTHROPIC_API_KEY"
    if env.get("ANTHROPIC_AUTH_TOKEN"):
        return "ANTHROPIC_AUTH_TOKEN"
    return "apiKeyHelper" if helper else "none"


def helper_ttl(env: Mapping[str, str]) -> float:
    """Seconds that the output of `apiKeyHelper` stays valid."""
    given = whole_number(env, "CLAUDE_CODE_API_KEY_HELPER_TTL_MS")
    return (HELPER_TTL_MS if given is None else given) / 1000
