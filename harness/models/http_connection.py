"""One HTTP/1.1 connection: h11 over asyncio streams."""

import asyncio
import socket
from collections.abc import Iterator

import h11

from hames.harness.models.port import TransportError

READ_BYTES = 65_536
WRITE_BYTES = 262_144
BUFFER_BYTES = 262_144
MAX_HEAD_BYTES = 131_072


class HttpConnection:
    """A connection that serves one request at a time. Every error is a TransportError."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        self.reused = False
        self.answered = False
        """Whether a byte has arrived since the last request was sent."""
        _probe_when_silent(writer.get_extra_info("socket"))

    async def send(self, target: str, headers: list[tuple[str, str]], body: bytes) -> None:
        """Send a POST. A peer that closes early may still have answered: read the head then."""
        request = h11.Request(method="POST", target=target, headers=headers)
        self.answered = False
        try:
            self._writer.write(self._http.send(request) or b"")
            for piece in _pieces(body):
                self._writer.write(self._http.send(h11.Data(data=piece)) or b"")
                await self._writer.drain()
            self._writer.write(self._http.send(h11.EndOfMessage()) or b"")
        except OSError:
            self._http.send_failed()

    async def head(self) -> h11.Response:
        """The head of the answer, interim ones skipped."""
        while True:
            event = await self._next_event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise TransportError("reset", "the server closed the connection without an answer")

    async def read(self) -> bytes | None:
        """The next part of the body; None at its end."""
        event = await self._next_event()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    async def make_ready(self) -> bool:
        """Whether another request can be sent. Reads what has arrived, waits for nothing."""
        try:
            async with asyncio.timeout(0):
                while self._http.their_state is h11.SEND_BODY:
                    if await self.read() is None:
                        break
        except (TimeoutError, TransportError):
            return False
        done = self._http.their_state is h11.DONE and self._http.our_state is h11.DONE
        if not done or self._reader.at_eof() or self._writer.is_closing():
            return False
        self._http.start_next_cycle()
        self.reused = True
        return True

    def abort(self) -> None:
        """Close at once, whatever is under way."""
        self._writer.transport.abort()

    async def _next_event(self) -> object:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                data = await self._reader.read(READ_BYTES)
                self.answered = self.answered or bool(data)
                self._http.receive_data(data)
        except OSError as error:
            raise TransportError("reset", f"the connection broke: {error}") from None
        except h11.RemoteProtocolError as error:
            if self._reader.at_eof():
                raise TransportError("reset", "the server closed the connection") from None
            raise TransportError("garbage", f"the answer is not HTTP: {error}") from None
        return event


def _probe_when_silent(sock: socket.socket) -> None:
    """Let the kernel notice a dead peer within two minutes of silence."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 15), ("TCP_KEEPCNT", 4)):
        option = getattr(socket, name, None)
        if option is not None:
            sock.setsockopt(socket.IPPROTO_TCP, option, value)


def _pieces(body: bytes) -> Iterator[bytes]:
    view = memoryview(body)
    return (bytes(view[start : start + WRITE_BYTES]) for start in range(0, len(body), WRITE_BYTES))
