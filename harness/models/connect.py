"""Opening connections: directly, or through a proxy; TLS on top where the origin wants it."""

import asyncio
import ssl
from collections.abc import Callable

import h11

from hames.harness.models.endpoint import Origin
from hames.harness.models.http_connection import BUFFER_BYTES, HttpConnection
from hames.harness.models.port import TransportError
from hames.harness.models.proxy import Proxy

CONNECT_SECONDS = 15.0
MAX_PROXY_ANSWER = 65_536


async def connect(
    origin: Origin, proxy: Proxy | None, tls: Callable[[], ssl.SSLContext]
) -> HttpConnection:
    """A new connection to `origin`; `tls` is called only when one is needed.

    Raises TransportError with the reason connect, tls or proxy.
    """
    first = proxy.origin if proxy is not None else origin
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await _open(first, tls)
            try:
                if proxy is not None and origin.secure:
                    await _tunnel(reader, writer, origin, proxy)
                    await writer.start_tls(tls(), server_hostname=origin.host)
            except BaseException:
                writer.transport.abort()
                raise
    except TimeoutError:
        text = f"no connection to {first.authority} within {CONNECT_SECONDS:g} seconds"
        raise TransportError("connect", text) from None
    except ssl.SSLError as error:
        raise TransportError("tls", _tls_text(first if first.secure else origin, error)) from None
    except OSError as error:
        text = f"cannot connect to {first.authority}: {error.strerror or error}"
        raise TransportError("connect", text) from None
    return HttpConnection(reader, writer)


async def _open(
    origin: Origin, tls: Callable[[], ssl.SSLContext]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection(
        origin.host,
        origin.port,
        ssl=tls() if origin.secure else None,
        server_hostname=origin.host if origin.secure else None,
        limit=BUFFER_BYTES,
        happy_eyeballs_delay=0.25,
    )


async def _tunnel(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, origin: Origin, proxy: Proxy
) -> None:
    """Ask the proxy for a way to `origin`."""
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_PROXY_ANSWER)
    headers = [("host", origin.authority)]
    if proxy.authorization is not None:
        headers.append(("proxy-authorization", proxy.authorization))
    request = h11.Request(method="CONNECT", target=origin.authority, headers=headers)
    writer.write(http.send(request) or b"")
    writer.write(http.send(h11.EndOfMessage()) or b"")
    where = f"the proxy {proxy.origin.authority}"
    try:
        while (event := http.next_event()) is h11.NEED_DATA:
            http.receive_data(await reader.read(4096))
    except h11.RemoteProtocolError:
        raise TransportError("connect", f"{where} gave no usable answer") from None
    status = event.status_code if isinstance(event, h11.Response) else 0
    if not 200 <= status < 300:
        reason = "proxy" if status in (401, 403, 407) else "connect"
        raise TransportError(reason, f"{where} refused the connection with status {status}")


def _tls_text(origin: Origin, error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"the certificate of {origin.host} is not trusted ({error.verify_message}); "
            "NODE_EXTRA_CA_CERTS names a file with further authorities"
        )
    return f"no TLS connection to {origin.authority}: {error.reason or error}"
