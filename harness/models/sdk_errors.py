"""Exceptions of the SDK and of the HTTP library below it -> the errors of the port."""

import ssl
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hames.harness.models.api_errors import error_of_response
from hames.harness.models.port import ModelFailure, TransportError

if TYPE_CHECKING:
    import httpx2
    from anthropic import APIError

_CLOSED = ("peer closed", "Server disconnected", "incomplete", "Connection error")
_BEFORE_THE_ANSWER = ("ConnectError", "ConnectTimeout", "UnsupportedProtocol")


def failure_of(error: "APIError", redact: Callable[[str], str]) -> ModelFailure:
    """What a call of the SDK failed with; `redact` takes secrets out of texts of the service."""
    import anthropic

    if isinstance(error, anthropic.APIStatusError):
        response = error.response
        headers = lower_headers(response)
        failure = error_of_response(error.status_code, headers, response.content)
        failure.message = redact(failure.message)
        failure.request_id = request_id_of(headers)
        return failure
    if isinstance(error, anthropic.APITimeoutError):
        return TransportError("timeout", "the endpoint did not answer in time")
    return broken(error)


def lower_headers(response: "httpx2.Response") -> dict[str, str]:
    """The headers of a response by lower-case name."""
    return {name.lower(): value for name, value in response.headers.items()}


def request_id_of(headers: dict[str, str]) -> str | None:
    """The id to quote in a report: that of the API, else that of AWS."""
    return headers.get("request-id") or headers.get("x-amzn-requestid")


def broken(error: BaseException) -> TransportError:
    """A connection that could not be made, or that ended before its answer."""
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLCertVerificationError):
            text = (
                f"the certificate of the endpoint is not trusted ({cause.verify_message}); "
                "NODE_EXTRA_CA_CERTS names a file with further authorities"
            )
            return TransportError("tls", text)
        if isinstance(cause, ssl.SSLError):
            return TransportError("tls", f"no TLS connection to the endpoint: {cause.reason}")
    names = [type(cause).__name__ for cause in chain]
    text = str(chain[-1]) or names[-1]
    if "ProxyError" in names:
        return TransportError("proxy", f"the proxy refused the connection: {text}")
    if any(name in _BEFORE_THE_ANSWER for name in names):
        return TransportError("connect", f"cannot connect to the endpoint: {text}")
    if "RemoteProtocolError" in names and not any(sign in str(error) for sign in _CLOSED):
        return TransportError("garbage", f"the answer is not HTTP: {text}")
    return TransportError("reset", f"the connection broke: {text}")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it was raised from, outermost first."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__
