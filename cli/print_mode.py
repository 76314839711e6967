"""Headless runs: one prompt (or a stream of them) in, text or JSON out."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from hames.cli.paint import paint_for
from hames.cli.progress import Progress
from hames.cli.stdout import Writer
from hames.cli.wire.lines import line_of
from hames.cli.wire.messages import WireOptions, messages_of
from hames.cli.wire.result import result_message, result_text, startup_failure
from hames.harness.build import build_session
from hames.harness.errors import HamesError, UsageError
from hames.harness.events import Event, Notice, TurnFinished, TurnResult
from hames.harness.ops import Close, Interrupt, UserInput, new_id
from hames.harness.run_config import RunConfig
from hames.harness.session import Session
from hames.system.text import visible
from hames.system.types import JsonObject

INTERRUPTED = 130


class PrintOptions(NamedTuple):
    """How print mode reads and writes.

    `asks_client` sends questions to the client. `progress` None shows it on terminals only.
    """

    output_format: str = "text"
    input_format: str = "text"
    verbose: bool = False
    partial: bool = False
    hook_events: bool = False
    replay: bool = False
    asks_client: bool = False
    progress: bool | None = None

    @property
    def wire(self) -> WireOptions:
        """What of the event stream the reader wants."""
        host = os.environ.get("CLAUDE_CODE_SDK_READS_SESSION_STATE") == "1"
        states = host or os.environ.get("CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS") == "1"
        return WireOptions(self.partial, self.hook_events, self.replay, states, host)


class Output(Protocol):
    """A fold over events that writes what one output format shows."""

    def take(self, event: Event) -> None:
        """Write what the event adds."""
        ...


class TextOutput:
    """The answer alone; on a terminal also the progress of the turn."""

    def __init__(self, write: Callable[[str], None], progress: Progress | None) -> None:
        self._write = write
        self._progress = progress

    def take(self, event: Event) -> None:
        """Progress as it comes, the answer when the turn is over."""
        if self._progress is not None:
            self._write(self._progress.take(event))
        if isinstance(event, TurnFinished):
            if self._progress is None or not _was_streamed(event.result):
                self._write(result_text(event.result) + "\n")
        else:
            warn(event, FOR_PEOPLE)


def _was_streamed(result: TurnResult) -> bool:
    """Whether the answer came as text of the model; other answers have only the result."""
    return not result.is_error and result.num_turns > 0 and bool(result.text)


log = logging.getLogger(__name__)

FOR_PEOPLE = frozenset({"notice", "warning", "error"})
FOR_PROGRAMS = frozenset({"warning", "error"})


def warn(event: Event, levels: frozenset[str]) -> None:
    """Tell notices of these levels on stderr, for formats that have no message for them."""
    if isinstance(event, Notice) and event.level in levels:
        sys.stderr.write(f"{visible(event.text)}\n")


class JsonOutput:
    """One result object; with `everything` an array of all messages."""

    def __init__(
        self, write: Callable[[str], None], wire: WireOptions, *, everything: bool
    ) -> None:
        self._write = write
        self._wire = wire
        self._everything = everything
        self._messages: list[JsonObject] = []

    def take(self, event: Event) -> None:
        """Collect messages; write when the turn is over."""
        if self._everything:
            self._messages += messages_of(event, self._wire)
        if isinstance(event, TurnFinished):
            if self._everything:
                lines = ",".join(line_of(message).rstrip("\n") for message in self._messages)
                self._write(f"[{lines}]\n")
            else:
                self._write(line_of(result_message(event)))
        else:
            warn(event, FOR_PROGRAMS)


class StreamOutput:
    """Every message as a line, at once."""

    def __init__(self, write: Callable[[str], None], wire: WireOptions) -> None:
        self._write = write
        self._wire = wire

    def take(self, event: Event) -> None:
        """Write the messages of the event."""
        for message in messages_of(event, self._wire):
            self._write(line_of(message))


class Signals:
    """SIGINT interrupts the turn, a second one and SIGTERM or SIGHUP end the run."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.exit_code: int | None = None
        self.terminated = False
        """From now on nothing more is written: the unfinished turn has no result."""

    def install(self) -> None:
        """Take the signals over for as long as the event loop runs."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._terminate, number)

    def _interrupt(self) -> None:
        again = self.exit_code is not None
        self.exit_code = self.exit_code or INTERRUPTED
        if not again:
            self._session.submit(Interrupt(cancel_queued=True))
        self._session.submit(Close(drain=not again))

    def _terminate(self, number: signal.Signals) -> None:
        self.terminated = True
        self.exit_code = 128 + number
        self._session.submit(Close())


Front = Callable[[Session, Writer], Output]
"""Starts the input of a session that runs, and gives the output that its events go to."""


def run_print(config: RunConfig, front: Front, options: PrintOptions) -> int:
    """Run headless; the exit code."""
    writer = Writer()
    try:
        code = asyncio.run(_run(config, front, writer))
    except HamesError as error:
        tell_failure(str(error), options.output_format, writer.write, config.session_id)
        raise
    finally:
        writer.close()
    if writer.lost is not None and not isinstance(writer.lost, BrokenPipeError):
        raise UsageError(f"stdout cannot be written: {writer.lost.strerror}")
    return code or (1 if writer.lost is not None else 0)


def tell_failure(
    text: str, output_format: str | None, write: Callable[[str], object], session_id: str | None
) -> None:
    """Tell programs that only read stdout why the run did not start."""
    if output_format == "stream-json":
        write(line_of(startup_failure(session_id or new_id(), text)))


async def _run(config: RunConfig, front: Front, writer: Writer) -> int:
    session = await build_session(config, os.environ)
    session.start()
    signals = Signals(session)
    signals.install()
    loop = asyncio.get_running_loop()
    writer.watch(lambda: loop.call_soon_threadsafe(session.submit, Close()))
    output = front(session, writer)
    last: TurnResult | None = None
    try:
        async for event in session.events():
            if isinstance(event, TurnFinished):
                last = event.result
            elif isinstance(event, Notice):
                log.info("%s: %s", event.level, event.text)
            if not signals.terminated:
                output.take(event)
    finally:
        await session.aclose()
    if signals.exit_code is not None:
        return signals.exit_code
    return 1 if last is not None and last.is_error else 0


def prompt_front(text: str | None, options: PrintOptions) -> Front:
    """The front of one prompt that is known from the start; None runs the hooks of the start."""

    def open_front(session: Session, writer: Writer) -> Output:
        if text is not None:
            session.submit(UserInput(content=text))
        session.submit(Close(drain=True))
        return _output(options, writer)

    return open_front


def _output(options: PrintOptions, writer: Writer) -> Output:
    match options.output_format:
        case "json":
            return JsonOutput(writer.write, options.wire, everything=options.verbose)
        case "stream-json":
            return StreamOutput(writer.write, options.wire)
        case _:
            terminal = sys.stdout.isatty()
            shown = terminal if options.progress is None else options.progress
            return TextOutput(writer.write, _progress(terminal=terminal) if shown else None)


def _progress(*, terminal: bool) -> Progress:
    paint = paint_for(os.environ, sys.stdout.encoding, terminal=terminal)
    return Progress(paint, str(Path.cwd()))
