"""`--input-format stream-json`: a program talks to the session over stdin and stdout."""

import asyncio
import os
import select
import threading
from collections.abc import Callable

from hames.cli.control import Control
from hames.cli.print_mode import Front, Output, PrintOptions, StreamOutput
from hames.cli.stdout import Writer
from hames.cli.wire.inbound import Inbound, LineSplitter, parse_line
from hames.harness.events import Event, SessionStarted
from hames.harness.session import Session

CHUNK = 1 << 16


class ClientOutput:
    """The event stream with the answers of the control protocol in between, in order."""

    def __init__(self, control: Control, stream: StreamOutput, begin: Callable[[], None]) -> None:
        self._control = control
        self._stream = stream
        self._begin = begin
        self._begun = False

    def take(self, event: Event) -> None:
        """Write what the event means to the client; reading starts with the session."""
        self._control.take_event(event)
        self._stream.take(event)
        if isinstance(event, SessionStarted) and not self._begun:
            self._begun = True
            self._begin()


def client_front(options: PrintOptions) -> Front:
    """The front of a program that sends messages and control requests over stdin."""

    def open_front(session: Session, writer: Writer) -> Output:
        control = Control(session.submit, writer.write)
        stream = StreamOutput(writer.write, options.wire)
        loop = asyncio.get_running_loop()
        return ClientOutput(control, stream, lambda: _start_reader(control, loop))

    return open_front


def _start_reader(control: Control, loop: asyncio.AbstractEventLoop) -> None:
    threading.Thread(target=_read, args=(control, loop), name="stdin", daemon=True).start()


def _read(control: Control, loop: asyncio.AbstractEventLoop, fd: int = 0) -> None:
    """Read until the client closes stdin; lines are parsed here, off the event loop."""
    lines, number = LineSplitter(), 0

    def hand_over(line: bytes, too_long: bool) -> None:
        nonlocal number
        number += 1
        message: Inbound = parse_line(line, too_long=too_long)
        loop.call_soon_threadsafe(control.take_line, message, number)

    try:
        while data := _chunk(fd):
            for line in lines.feed(data):
                hand_over(*line)
        for line in lines.end():
            hand_over(*line)
        loop.call_soon_threadsafe(control.end)
    except RuntimeError:
        return  # the run is over and its loop closed


def _chunk(fd: int) -> bytes:
    """The next bytes; empty when stdin is closed, broken or was never open."""
    while True:
        try:
            return os.read(fd, CHUNK)
        except BlockingIOError:
            select.select([fd], [], [])
        except OSError:
            return b""
