"""The host of a WebFetch URL, and whether every parser would agree on it."""

import re
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

_ODD = re.compile(r"[^!-~]")


class Host(NamedTuple):
    """`names` are the hosts that some parser may see; `certain` says that there is only one."""

    names: tuple[str, ...]
    certain: bool
    web: bool


def host_of(url: str) -> Host:
    """The host of a URL, lower case and without a final dot."""
    scheme = url.split(":", 1)[0].strip().lower()
    web = scheme in ("http", "https")
    try:
        parts = urlsplit(url)
        seen = parts.hostname or ""
    except ValueError:
        return Host((), certain=False, web=web)
    names = {_clean(seen), _clean(unquote(seen))}
    if "\\" in url:
        names.add(_clean(_parsed(url.replace("\\", "/"))))
    certain = len(names) == 1 and bool(seen) and "\\" not in url and _plain_authority(url, parts)
    return Host(tuple(sorted(name for name in names if name)), certain, web)


def _plain_authority(url: str, parts: SplitResult) -> bool:
    """Whether nothing around the host makes parsers stop at different places."""
    try:
        port_fits = parts.port is None or parts.port > 0
    except ValueError:
        return False
    authority = _authority(url)
    odd = _ODD.search(url.split("?", 1)[0].split("#", 1)[0])
    return port_fits and odd is None and "%" not in authority and authority.count("@") < 2


def _parsed(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _authority(url: str) -> str:
    rest = url.split("://", 1)[-1]
    for mark in "/?#":
        rest = rest.split(mark, 1)[0]
    return rest


def _clean(host: str) -> str:
    return host.lower().rstrip(".")
