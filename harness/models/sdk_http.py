"""The HTTP client below the SDK: our rules for proxies and TLS, no retries, no redirects."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

from hames.harness.errors import ConfigError
from hames.harness.models.endpoint import Origin
from hames.harness.models.proxy import proxy_for
from hames.harness.models.tls import tls_context

if TYPE_CHECKING:
    import httpx2


class Connection(TypedDict):
    """Arguments that every client of the SDK takes."""

    base_url: str
    http_client: "httpx2.AsyncClient"
    max_retries: int


def connection_to(base_url: str, env: Mapping[str, str]) -> Connection:
    """How a client reaches `base_url`. Time limits are the caller's. Raises ConfigError."""
    import anthropic
    import httpx2

    origin = _origin(base_url)
    tls = tls_context(env)
    proxy = proxy_for(origin, env)
    through = None
    if proxy is not None:
        scheme = "https" if proxy.origin.secure else "http"
        login = {"Proxy-Authorization": proxy.authorization} if proxy.authorization else None
        through = httpx2.Proxy(
            f"{scheme}://{proxy.origin.authority}",
            headers=login,
            ssl_context=tls if proxy.origin.secure else None,
        )
    http = anthropic.DefaultAsyncHttpxClient(
        verify=tls, proxy=through, trust_env=False, follow_redirects=False, timeout=None
    )
    return {"base_url": base_url, "http_client": http, "max_retries": 0}


def _origin(base_url: str) -> Origin:
    try:
        url = urlsplit(base_url)
        port = url.port
    except ValueError:
        url, port = urlsplit(""), None
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ConfigError("the base URL of the model service must be an http or https address")
    secure = url.scheme == "https"
    return Origin(secure, url.hostname, port or (443 if secure else 80))
