"""Which proxy leads to an origin, from the usual environment variables."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from hames.harness.errors import ConfigError
from hames.harness.models.endpoint import Origin


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy; `authorization` is the value of `Proxy-Authorization`, never shown."""

    origin: Origin
    authorization: str | None = field(default=None, repr=False)


def proxy_for(origin: Origin, env: Mapping[str, str]) -> Proxy | None:
    """The proxy to `origin`; None: connect directly. Lower-case names win. Raises ConfigError."""
    if _is_exempt(origin, _lookup(env, "NO_PROXY")[1]):
        return None
    for variable in ("HTTPS_PROXY" if origin.secure else "HTTP_PROXY", "ALL_PROXY"):
        name, text = _lookup(env, variable)
        if text:
            return _parse(name, text)
    return None


def _lookup(env: Mapping[str, str], name: str) -> tuple[str, str]:
    for spelling in (name.lower(), name):
        if text := env.get(spelling, "").strip():
            return spelling, text
    return name, ""


def _parse(name: str, text: str) -> Proxy:
    try:
        url = urlsplit(text if "://" in text else f"http://{text}")
        host, port = url.hostname, url.port
    except ValueError:
        host, port, url = None, None, urlsplit("")
    if url.scheme.startswith("socks"):
        raise ConfigError(f"{name}: SOCKS proxies are not supported, give an http:// proxy")
    if not host or not host.isascii() or url.scheme not in ("http", "https"):
        raise ConfigError(f"{name} must be the address of a proxy such as http://proxy:3128")
    secure = url.scheme == "https"
    authorization = None
    if url.username is not None:
        pair = f"{unquote(url.username)}:{unquote(url.password or '')}"
        authorization = "Basic " + base64.b64encode(pair.encode()).decode()
    return Proxy(Origin(secure, host, port or (443 if secure else 80)), authorization)


def _is_exempt(origin: Origin, rules: str) -> bool:
    return any(_matches(origin, rule) for rule in rules.replace(",", " ").lower().split())


def _matches(origin: Origin, rule: str) -> bool:
    """One entry: `*`, a name with its subdomains, `.name`, an address, a network, each `:port`."""
    if rule == "*":
        return True
    try:
        return ip_address(origin.host) in ip_network(rule.strip("[]"), strict=False)
    except ValueError:
        pass
    name, _, port = rule.rpartition(":")
    if not (name and port.isdigit()):
        name, port = rule, ""
    name = name.strip("[]").removeprefix("*").removeprefix(".")
    if port and int(port) != origin.port:
        return False
    host = origin.host.rstrip(".")
    return bool(name) and (host == name or host.endswith("." + name))
