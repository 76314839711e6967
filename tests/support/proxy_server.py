"""A small HTTP proxy on loopback: CONNECT tunnels and plain forwarding."""

import asyncio
import ssl
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class ProxyServer:
    """Forwards every name to 127.0.0.1; `requests` holds the request lines that came.

    `authorization` is the value of Proxy-Authorization it wants, else it answers 407.
    """

    def __init__(self, authorization: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[str] = []
        self.address = ""
        self._authorization = authorization
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            self._tasks.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, _, rest = head.partition("\r\n")
        self.requests.append(line)
        rows = (row.partition(": ") for row in rest.split("\r\n"))
        headers = {name.lower(): value for name, _, value in rows}
        if self._authorization not in (None, headers.get("proxy-authorization")):
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
            await writer.drain()
            return
        method, target, version = line.split(" ")
        if method == "CONNECT":
            up_reader, up_writer = await asyncio.open_connection(
                "127.0.0.1", int(target.rpartition(":")[2])
            )
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            url = urlsplit(target)
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", url.port or 80)
            up_writer.write(f"{method} {url.path} {version}\r\n{rest}".encode("latin-1"))
        try:
            await asyncio.gather(_pump(reader, up_writer), _pump(up_reader, writer))
        finally:
            up_writer.transport.abort()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
