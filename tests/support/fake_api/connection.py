"""HTTP/1.1 on one connection: h11 over asyncio streams."""

import asyncio
import contextlib
import socket
import struct
import time
from collections.abc import Awaitable, Iterable, Mapping
from http import HTTPStatus

import h11

from support.fake_api.delivery import Action, End, Pause, Send, WaitFor
from support.fake_api.record import RecordedRequest

_CHUNK = 65536
_RESET = struct.pack("ii", 1, 0)
_INFORMATIONAL = 100


class ClientGone(Exception):
    """The client closed, or spoke no HTTP."""


class Connection:
    """Reads requests and writes answers; raises ClientGone when nobody listens any more."""

    def __init__(
        self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.number = number
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER)
        # A reset throws away what is still buffered here: every write is to reach the kernel.
        writer.transport.set_write_buffer_limits(high=1, low=0)

    async def receive(self) -> RecordedRequest:
        """The next request, body included."""
        head = await self._event()
        if not isinstance(head, h11.Request):
            raise ClientGone
        first = time.monotonic()
        if self._http.they_are_waiting_for_100_continue:
            await self._write(
                h11.InformationalResponse(
                    status_code=_INFORMATIONAL, headers=[], reason=b"Continue"
                )
            )
        parts: list[bytes] = []
        while not isinstance(event := await self._event(), h11.EndOfMessage):
            if not isinstance(event, h11.Data):
                raise ClientGone
            parts.append(bytes(event.data))
        path, _, query = head.target.decode("ascii", "replace").partition("?")
        return RecordedRequest(
            method=head.method.decode("ascii"),
            path=path,
            query=query,
            headers={k.decode("latin-1"): v.decode("latin-1") for k, v in head.headers},
            raw=b"".join(parts),
            connection=self.number,
            first_byte=first,
            last_byte=time.monotonic(),
        )

    async def answer(
        self,
        request: RecordedRequest,
        status: int,
        headers: Mapping[str, str],
        actions: Iterable[Action],
    ) -> None:
        """Send head and body; the body is chunked when the headers name no length."""
        request.status = status
        request.answer_first = time.monotonic()
        reason = HTTPStatus(status).phrase if status in set(HTTPStatus) else "Error"
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self._write(h11.Response(status_code=status, headers=pairs, reason=reason.encode()))
        try:
            for action in actions:
                await self._act(action)
            await self._write(h11.EndOfMessage())
            request.finished = True
        finally:
            request.answer_last = time.monotonic()

    def next_cycle(self) -> bool:
        """Whether the connection may carry another request."""
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            return True
        return False

    async def aclose(self) -> None:
        """Close, also when the client has gone."""
        self._writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(self._writer.wait_closed(), 1)

    async def _event(self) -> h11.Event:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise ClientGone from error
            if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                raise ClientGone
            if not isinstance(event, type):
                return event
            try:
                data = await self._reader.read(_CHUNK)
            except OSError as error:
                raise ClientGone from error
            self._http.receive_data(data)

    async def _write(self, event: h11.Event) -> None:
        data = self._http.send(event)
        if data:
            try:
                self._writer.write(data)
                await self._writer.drain()
            except OSError as error:
                raise ClientGone from error

    async def _act(self, action: Action) -> None:
        match action:
            case Send(data):
                await self._write(h11.Data(data=data))
            case Pause(seconds):
                await self._while_connected(asyncio.sleep(seconds))
            case WaitFor(gate):
                if not gate.reached.done():
                    gate.reached.set_result(None)
                released: asyncio.Future[None] = asyncio.wrap_future(gate.released)
                await self._while_connected(asyncio.shield(released))
            case End("stall"):
                await self._while_connected(asyncio.Event().wait())
            case End("reset"):
                sock: socket.socket = self._writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                self._writer.transport.abort()
                raise ClientGone
            case End(_):
                raise ClientGone

    async def _while_connected(self, waiting: Awaitable[object]) -> None:
        """Wait, but no longer than the client stays."""
        wait = asyncio.ensure_future(waiting)
        gone = asyncio.ensure_future(self._reader.read(1))
        try:
            await asyncio.wait({wait, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not wait.done():
                raise ClientGone
        finally:
            wait.cancel()
            gone.cancel()
            await asyncio.gather(wait, gone, return_exceptions=True)
