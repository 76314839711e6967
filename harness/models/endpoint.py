"""Where requests go, and the headers every request carries, from environment variables."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from hames import __version__
from hames.harness.errors import ConfigError

DEFAULT_BASE_URL = "https://api.anthropic.com"
API_VERSION = "2023-06-01"

_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")


class Origin(NamedTuple):
    """Where a connection leads; `host` is a name or an address without brackets."""

    secure: bool
    host: str
    port: int

    @property
    def authority(self) -> str:
        """`host:port` as it stands in CONNECT."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def host_header(self) -> str:
        """The value of `Host`: the port only when it is not the usual one."""
        usual = self.port == (443 if self.secure else 80)
        return self.authority.rpartition(":")[0] if usual else self.authority


class Endpoint(NamedTuple):
    """The service: `prefix` is the path before `/v1`, `headers` have lower-case names."""

    origin: Origin
    prefix: str
    headers: tuple[tuple[str, str], ...]
    betas: tuple[str, ...] = ()


def endpoint_of(env: Mapping[str, str]) -> Endpoint:
    """From ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS, ANTHROPIC_BETAS. Raises ConfigError."""
    url = _url(env)
    headers = {
        "anthropic-version": API_VERSION,
        "user-agent": _user_agent(env),
        **custom_headers(env.get("ANTHROPIC_CUSTOM_HEADERS", "")),
    }
    secure = url.scheme == "https"
    path = url.path.rstrip("/").removesuffix("/v1")
    return Endpoint(
        Origin(secure, url.hostname or "", url.port or (443 if secure else 80)),
        path,
        tuple(headers.items()),
        split_list(env.get("ANTHROPIC_BETAS", "")),
    )


def base_host(env: Mapping[str, str]) -> str:
    """The host that requests go to. Raises ConfigError."""
    return _url(env).hostname or ""


def _url(env: Mapping[str, str]) -> SplitResult:
    text = env.get("ANTHROPIC_BASE_URL", "").strip() or DEFAULT_BASE_URL
    url = _split(text)
    plain = text.isascii() and text.isprintable() and " " not in text
    if url is None or not plain or url.query or url.fragment:
        raise ConfigError(
            "ANTHROPIC_BASE_URL must be an http or https address such as http://127.0.0.1:8080"
        )
    if url.username is not None:
        raise ConfigError(
            "ANTHROPIC_BASE_URL must not hold a password: use ANTHROPIC_AUTH_TOKEN or "
            "ANTHROPIC_CUSTOM_HEADERS"
        )
    return url


def _split(text: str) -> SplitResult | None:
    try:
        url = urlsplit(text)
        usable = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:
        return None
    return url if usable else None


def split_list(text: str) -> tuple[str, ...]:
    """The members of a comma-separated list, without blanks and repetitions."""
    return tuple(dict.fromkeys(part for raw in text.split(",") if (part := raw.strip())))


def custom_headers(text: str) -> dict[str, str]:
    """`Name: Value` lines by lower-case name. Raises ConfigError without showing a value."""
    headers: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, value = line.partition(":")
        name, value = name.strip().lower(), value.strip()
        if not colon or not name or not _TOKEN.issuperset(name) or not is_header_value(value):
            raise ConfigError(f"ANTHROPIC_CUSTOM_HEADERS, line {number}: write it as Name: Value")
        headers[name] = value
    return headers


def is_header_value(text: str) -> bool:
    """Whether a text can be sent as the value of a header."""
    return text.isascii() and text.isprintable()


def _user_agent(env: Mapping[str, str]) -> str:
    app = env.get("CLAUDE_AGENT_SDK_CLIENT_APP", "").strip()
    shown = "".join(c for c in app if c.isascii() and c.isprintable() and c not in "()")[:200]
    return f"hames/{__version__} ({shown})" if shown else f"hames/{__version__}"
