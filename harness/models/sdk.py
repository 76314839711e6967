"""The model client over the `anthropic` package: cloud sign-in, by choice the Messages API."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from hames.harness.errors import AuthError
from hames.harness.models.api_errors import error_of_event, error_of_response
from hames.harness.models.aws_events import FrameDecoder
from hames.harness.models.clouds import MESSAGES, Cloud, SignedIn, cloud_of
from hames.harness.models.credentials import NO_CREDENTIALS, Credentials, CredentialSource
from hames.harness.models.endpoint import endpoint_of
from hames.harness.models.port import ApiError, ModelRequest, TransportError
from hames.harness.models.profiles import profile_of
from hames.harness.models.sdk_errors import broken, failure_of, lower_headers, request_id_of
from hames.harness.models.sse import EventDecoder
from hames.system.types import JsonObject, as_object

if TYPE_CHECKING:
    import httpx2

    from hames.harness.models.clouds import SdkApi

COUNT_SECONDS = 30.0
CONNECT_SECONDS = 15.0

_FRAMES = "application/vnd.amazon.eventstream"
_EVENTS = "text/event-stream"


def make_sdk_client(env: Mapping[str, str], credentials: CredentialSource) -> "SdkClient":
    """A client for the service that `env` names; `credentials` are used by the Messages API only.

    Raises ConfigError for contradicting variables; the package is imported by the first request.
    """
    return SdkClient(cloud_of(env), env, credentials)


class SdkClient:
    """One service. The package (1.5 s) and the sign-in libraries load in a thread, on first use."""

    def __init__(self, cloud: Cloud, env: Mapping[str, str], credentials: CredentialSource) -> None:
        endpoint = endpoint_of(env)
        self._cloud = cloud
        self._env = dict(env)
        self._credentials = credentials
        self._betas = endpoint.betas
        # The version of the API is that of the cloud.
        unsent = () if cloud is MESSAGES else ("anthropic-version", "authorization", "x-api-key")
        self._given = {name: value for name, value in endpoint.headers if name not in unsent}
        self._key_required = cloud is MESSAGES and profile_of(env).key_required
        self._signed_in: SignedIn | None = None
        self._lock = asyncio.Lock()

    async def open(self, request: ModelRequest) -> "SdkStream":
        """Send and wait for the head. Raises ApiError, TransportError, AuthError, ConfigError."""
        credentials = await self._get_credentials()
        call = Call("/v1/messages", request.body, self._headers(credentials, request.betas))
        response = await self._post(call, credentials, request.timeout)
        try:
            await _require(response, _FRAMES if self._cloud.frames else _EVENTS, credentials)
        except BaseException:
            await response.aclose()
            raise
        decoder = FrameDecoder() if self._cloud.frames else EventDecoder()
        return SdkStream(response, decoder, request.idle)

    async def refresh_credentials(self) -> bool:
        """Fetch the credential anew; a cloud with a sign-in library uses it again."""
        if self._cloud is MESSAGES:
            return await self._credentials.refresh()
        signed_in = self._signed_in
        await self.aclose()
        return signed_in is not None and bool(signed_in.refusals)

    async def count_tokens(self, body: bytes) -> int | None:
        """Input tokens of a body; None when the service does not say."""
        if not self._cloud.counts:
            return None
        try:
            credentials = await self._get_credentials()
            call = Call("/v1/messages/count_tokens", body, self._headers(credentials, ()))
            response = await self._post(call, credentials, COUNT_SECONDS)
            async with asyncio.timeout(COUNT_SECONDS):
                answer = as_object(json.loads(await response.aread()))
        except (ApiError, TransportError, TimeoutError, ValueError):
            return None
        count = answer.get("input_tokens") if answer is not None else None
        return count if isinstance(count, int) else None

    async def aclose(self) -> None:
        """Close kept connections; the next request opens new ones."""
        signed_in, self._signed_in = self._signed_in, None
        if signed_in is not None:
            await signed_in.api.close()

    async def _connected(self) -> SignedIn:
        async with self._lock:
            if self._signed_in is None:
                self._signed_in = await asyncio.to_thread(self._cloud.sign_in, self._env)
            return self._signed_in

    async def _get_credentials(self) -> Credentials:
        if self._cloud is not MESSAGES:
            return Credentials()
        credentials = await self._credentials.get()
        own = self._given.keys() & {"authorization", "x-api-key"}
        if self._key_required and not own and not credentials.headers():
            raise AuthError(NO_CREDENTIALS)
        return credentials

    def _headers(self, credentials: Credentials, betas: Iterable[str]) -> dict[str, str]:
        """Headers of one request: given ones win over ours of the same name, betas are united."""
        headers = {
            "content-type": "application/json",
            **dict(credentials.headers()),
            **self._given,
        }
        given = headers.pop("anthropic-beta", "").split(",")
        united = dict.fromkeys(beta.strip() for beta in (*betas, *self._betas, *given))
        if named := ",".join(filter(None, united)):
            headers["anthropic-beta"] = named
        return headers

    async def _post(self, call: "Call", credentials: Credentials, wait: float) -> "httpx2.Response":
        signed_in = await self._connected()
        import anthropic

        try:
            async with asyncio.timeout(wait):
                return await _send(signed_in.api, self._cloud, call)
        except TimeoutError:
            raise TransportError("timeout", f"no answer within {wait:g} seconds") from None
        except anthropic.APIError as error:
            raise failure_of(error, credentials.redact) from None
        except signed_in.refusals as error:
            text = f"no usable credentials for {self._cloud.name}: {error}"
            raise AuthError(text) from None


@dataclass(frozen=True, slots=True)
class Call:
    """One POST; `headers` have lower-case names."""

    path: str
    body: bytes
    headers: dict[str, str]


class _Decoder(Protocol):
    def feed(self, chunk: bytes) -> list[JsonObject]: ...


class SdkStream:
    """An open answer. Iterate once; `aclose` gives the connection up."""

    def __init__(self, response: "httpx2.Response", decoder: _Decoder, idle: float) -> None:
        headers = lower_headers(response)
        self.headers: Mapping[str, str] = headers
        self.request_id = request_id_of(headers)
        self._response = response
        self._chunks = response.aiter_bytes()
        self._decoder = decoder
        self._idle = idle
        self._waiting: list[JsonObject] = []

    def __aiter__(self) -> AsyncIterator[JsonObject]:
        return self

    async def __anext__(self) -> JsonObject:
        try:
            event = await self._next_event()
        except BaseException:
            await self.aclose()
            raise
        if event is None:
            await self.aclose()
            raise StopAsyncIteration
        if event.get("type") == "error":
            await self.aclose()
            raise error_of_event(event, self.headers)
        return event

    async def aclose(self) -> None:
        """Close the answer; the library keeps the connection if the answer was read whole."""
        await self._response.aclose()

    async def _next_event(self) -> JsonObject | None:
        """Bytes without an event, such as comments of a proxy, extend the wait only once."""
        import httpx2

        if not self._waiting:
            try:
                async with asyncio.timeout(self._idle * 2):
                    await self._fill()
            except TimeoutError:
                text = f"the stream was silent for {self._idle:g} seconds"
                raise TransportError("idle", text) from None
            except httpx2.HTTPError as error:
                raise broken(error) from None
        return self._waiting.pop(0) if self._waiting else None

    async def _fill(self) -> None:
        while not self._waiting:
            async with asyncio.timeout(self._idle):
                chunk = await anext(self._chunks, None)
            if chunk is None:
                return
            self._waiting = self._decoder.feed(chunk)


async def _send(api: "SdkApi", cloud: Cloud, call: Call) -> "httpx2.Response":
    """POST through the SDK, which adds its own headers and the sign-in; the body is unread."""
    import anthropic
    import httpx2

    headers: dict[str, str | anthropic.Omit] = {**call.headers}
    if cloud is MESSAGES and "authorization" not in call.headers:
        headers["Authorization"] = anthropic.omit
    response = await api.post(
        call.path,
        cast_to=httpx2.Response,
        body=json.loads(call.body) if cloud.rewrites else None,
        content=None if cloud.rewrites else call.body,
        options={"headers": headers, "timeout": anthropic.Timeout(None, connect=CONNECT_SECONDS)},
        stream=True,
        stream_cls=anthropic.AsyncStream[object],
    )
    # With this `cast_to` the SDK hands out the response itself, whatever its signature says.
    return cast("httpx2.Response", response)


async def _require(response: "httpx2.Response", media_type: str, credentials: Credentials) -> None:
    """Raise unless the answer is a 200 of that type."""
    headers = lower_headers(response)
    if response.status_code != 200:
        error = error_of_response(response.status_code, headers, await response.aread())
        error.message = credentials.redact(error.message)
        raise error
    given = headers.get("content-type", "none").partition(";")[0].strip().lower()
    if given != media_type:
        text = f"the endpoint answered with {given} instead of {media_type}: not a Messages API?"
        raise TransportError("garbage", text)
