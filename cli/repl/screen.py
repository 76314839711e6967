"""The bottom of the terminal: live lines, input or question, status; all else scrolls away."""

import asyncio
import os
import sys
import time
from collections.abc import Mapping

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Condition, has_completions, has_focus
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText
from prompt_toolkit.key_binding import (
    ConditionalKeyBindings,
    KeyBindings,
    KeyPressEvent,
    merge_key_bindings,
)
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from hames.cli.paint import Paint
from hames.cli.repl.dialogs import Dialog
from hames.cli.repl.input import InputLine, dialog_keys
from hames.cli.repl.live import body_fits, dialog_lines
from hames.cli.repl.picture import Picture

FRAME_SECONDS = 0.05
BEAT_SECONDS = 0.2
"""How often the picture is drawn again while time itself is shown."""
MOST_INPUT_ROWS = 10
PAUSE_SECONDS = 0.5
"""A question takes the keyboard only after so long without typing: no key answers by accident."""

_STYLE = Style.from_dict(
    {
        "completion-menu": "noinherit",
        "completion-menu.completion": "noinherit fg:ansibrightblack",
        "completion-menu.completion.current": "noinherit bold",
        "completion-menu.meta.completion": "noinherit fg:ansibrightblack",
        "completion-menu.meta.completion.current": "noinherit",
        "scrollbar": "noinherit",
        "scrollbar.background": "noinherit",
        "scrollbar.button": "noinherit",
    }
)


class Screen:
    """Draws with at most twenty frames a second; `write` goes above what is drawn."""

    def __init__(
        self,
        picture: Picture,
        line: InputLine,
        paint: Paint,
        env: Mapping[str, str],
    ) -> None:
        self._picture = picture
        self._paint = paint
        self._pending: list[str] = []
        self._dialog: Dialog | None = None
        self._printed = False
        self._closed = False
        self.input = line
        self._line = Buffer(name="line", multiline=False)
        self._question = FormattedTextControl(
            lambda: ANSI("\n".join(self._live_rows())),
            focusable=True,
            show_cursor=False,
            key_bindings=dialog_keys(self),
        )
        self._app = self._application(paint, env)
        self._app.ttimeoutlen = 0.05
        self._app.timeoutlen = 0.1
        self._app.before_render += self._before_render
        self._app.after_render += self._after_render

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the window."""
        size = self._app.output.get_size()
        return max(size.columns, 1), max(size.rows, 1)

    def write(self, text: str) -> None:
        """Add lines to the scroll-back; `text` is styled and safe."""
        if text:
            self._pending.append(text)
            self.refresh()

    def signal(self, sequence: str) -> None:
        """Send a checked control sequence; it moves nothing on the screen."""
        self._app.output.write_raw(sequence)
        self._app.output.flush()

    def refresh(self) -> None:
        """Draw soon."""
        self._app.invalidate()

    def ask(self, dialog: Dialog) -> None:
        """Show a question; it takes the keyboard when the user does not type."""
        self._dialog, self._printed = dialog, False
        self._claim()

    def withdraw(self) -> None:
        """The question is over; the input has the keyboard again."""
        self._dialog = None
        self._line.reset()
        self._app.layout.focus(self.input.buffer)
        self.refresh()

    def choose(self, key: str) -> None:
        """Answer the open question, or ask for the text that belongs to the choice."""
        dialog = self._dialog
        choice = dialog.find(key) if dialog is not None else None
        if dialog is None or choice is None:
            return
        if choice.asks_text:
            self._app.layout.focus(self._line)
            self.refresh()
        else:
            self._answer(dialog, choice.key, "")

    def cancel(self) -> None:
        """Answer with the choice that Esc stands for."""
        if self._dialog is not None:
            self.choose(self._dialog.cancel)

    def accept(self) -> None:
        """Answer with the highlighted choice."""
        if self._dialog is not None:
            self.choose(self._dialog.choices[self._dialog.selected].key)

    def move(self, step: int) -> None:
        """Highlight another choice."""
        if self._dialog is not None:
            self._dialog.move(step)
            self.refresh()

    def put_back(self, text: str) -> None:
        """Put text before what is typed already."""
        self.input.put_back(text)

    async def run(self) -> None:
        """Draw and read keys until `close`. Raises EOFError and OSError when the terminal goes."""
        # What was typed before the program was there must not answer a question either.
        self.input.typed_at = time.monotonic()
        beat = asyncio.create_task(self._beat())
        try:
            await self._app.run_async(set_exception_handler=False)
        finally:
            beat.cancel()

    def close(self) -> None:
        """Leave the terminal; what is written afterwards goes straight to stdout."""
        if not self._closed:
            self._closed = True
            if self._app.is_running:
                self._app.exit()

    def finish(self) -> None:
        """Write what is left after the last frame."""
        text, self._pending = "".join(self._pending), []
        encoding = sys.stdout.encoding or "utf-8"
        sys.stdout.buffer.write(text.encode(encoding, "replace"))
        sys.stdout.flush()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            if self._picture.moving():
                self.refresh()

    def _claim(self) -> None:
        """Give the keyboard to the question, now or after a pause in typing."""
        if self._dialog is None or self._closed:
            return
        wait = self.input.typed_at + PAUSE_SECONDS - time.monotonic()
        if wait > 0:
            asyncio.get_running_loop().call_later(wait, self._claim)
        else:
            self._app.layout.focus(self._question)
        self.refresh()

    def _answer(self, dialog: Dialog, key: str, text: str) -> None:
        self.withdraw()
        dialog.answered(key, text)

    def _before_render(self, app: Application[None]) -> None:
        """Put new lines above the picture, inside one synchronised update."""
        app.output.write_raw("\x1b[?2026h")
        if self._dialog is not None and not self._printed:
            self._printed = not body_fits(self._dialog, self.size)
            if self._printed:
                self._pending.append("\n" + "".join(f"{row}\n" for row in self._dialog.body))
        last = app.renderer.last_rendered_screen
        columns, rows = self.size
        wanted = app.layout.container.preferred_height(columns, rows).preferred
        if self._pending or (last is not None and last.height > wanted):
            app.renderer.erase(leave_alternate_screen=False)
            text, self._pending = "".join(self._pending), []
            app.output.write_raw(text.replace("\n", "\r\n"))

    def _after_render(self, app: Application[None]) -> None:
        app.output.write_raw("\x1b[?2026l")
        app.output.flush()

    def _live_rows(self) -> list[str]:
        columns, rows = self.size
        below = min(self.input.buffer.document.line_count, MOST_INPUT_ROWS) + 3
        if self._dialog is None:
            return self._picture.live((columns, rows - below))
        below = below if self._app.layout.has_focus(self.input.buffer) else 0
        size = (columns, rows - below)
        return dialog_lines(self._dialog, self._paint, size, body=not self._printed)

    def _application(self, paint: Paint, env: Mapping[str, str]) -> Application[None]:
        claimed = has_focus(self._question) | has_focus(self._line)
        sign = f"{paint('accent', paint.sign('prompt'))} "
        live = Window(self._question, wrap_lines=True, dont_extend_height=True)
        body = HSplit(
            [
                ConditionalContainer(live, Condition(lambda: bool(self._live_rows()))),
                ConditionalContainer(_entry(self._line, sign), has_focus(self._line)),
                ConditionalContainer(Window(height=1), ~claimed),
                ConditionalContainer(_entry(self.input.buffer, sign), ~claimed),
                ConditionalContainer(CompletionsMenu(max_height=6), ~claimed),
                ConditionalContainer(self._status_window(), ~claimed & ~has_completions),
            ]
        )
        typing = ConditionalKeyBindings(self.input.keys, has_focus(self.input.buffer))
        telling = ConditionalKeyBindings(self._line_keys(), has_focus(self._line))
        return Application(
            layout=Layout(body, focused_element=self.input.buffer),
            key_bindings=merge_key_bindings([typing, telling]),
            style=_STYLE,
            full_screen=False,
            erase_when_done=True,
            min_redraw_interval=FRAME_SECONDS,
            color_depth=None if paint.colour else ColorDepth.DEPTH_1_BIT,
            output=Vt100_Output(sys.stdout, _window_size, term=env.get("TERM"), enable_cpr=False),
        )

    def _status_window(self) -> Window:
        control = FormattedTextControl(lambda: ANSI(self._picture.status(self.size[0] - 3)))
        return Window(control, height=1, get_line_prefix=_indent)

    def _line_keys(self) -> KeyBindings:
        """The keys of the line that belongs to a choice."""
        keys = KeyBindings()

        @keys.add(Keys.Enter)
        def _enter(event: KeyPressEvent) -> None:
            del event
            dialog = self._dialog
            if dialog is not None:
                key = next(c.key for c in dialog.choices if c.asks_text)
                self._answer(dialog, key, self._line.text)

        @keys.add(Keys.Escape)
        @keys.add(Keys.ControlC)
        @keys.add(Keys.SIGINT)
        def _back(event: KeyPressEvent) -> None:
            del event
            self._line.reset()
            self._app.layout.focus(self._question)
            self.refresh()

        return keys


def _indent(line: int, wrapped: int) -> AnyFormattedText:
    del line, wrapped
    return "  "


def _entry(buffer: Buffer, sign: str) -> Window:
    """A line to type in; further rows are indented below the first."""
    first, later = ANSI(sign), "  "

    def prefix(line: int, wrapped: int) -> AnyFormattedText:
        return first if line == wrapped == 0 else later

    return Window(
        BufferControl(buffer),
        get_line_prefix=prefix,
        wrap_lines=True,
        dont_extend_height=True,
        height=Dimension(min=1, max=MOST_INPUT_ROWS),
    )


def _window_size() -> Size:
    """The size of the window; a terminal that tells none counts as 80x24."""
    try:
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        columns, rows = 0, 0
    return Size(rows=rows or 24, columns=columns or 80)
