"""The host of a WebFetch URL, and whether every parser would agree on it."""

from typing import NamedTuple
from urllib.parse import unquote, urlsplit


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
        seen = urlsplit(url).hostname or ""
    except ValueError:
        return Host((), certain=False, web=web)
    names = {_clean(seen), _clean(unquote(seen))}
    if "\\" in url:
        names.add(_clean(_parsed(url.replace("\\", "/"))))
    odd = any(not "!" <= char <= "~" for char in url.split("?", 1)[0].split("#", 1)[0][:2048])
    certain = len(names) == 1 and not odd and "\\" not in url and "%" not in _authority(url)
    return Host(tuple(sorted(name for name in names if name)), certain and bool(seen), web)


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
