"""The input line: its buffer, what is completed, and what each key does."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

Commands = Callable[[], Sequence[tuple[str, str]]]
"""What may be typed after `/`: names and one line about each."""


class Actions(Protocol):
    """What keys ask for."""

    def submit(self, text: str) -> None:
        """A finished message."""
        ...

    def interrupt(self) -> None:
        """Esc: stop the turn; queued messages go on."""
        ...

    def cancel(self) -> bool:
        """Ctrl-C: stop the turn, else prepare to leave; true when the input is to be cleared."""
        ...

    def take_back(self) -> bool:
        """Give queued messages back to the input; false when there are none."""
        ...

    def cycle_mode(self) -> None:
        """The next permission mode."""
        ...

    def leave(self) -> None:
        """End the program."""
        ...


class SlashCompleter(Completer):
    """Completes the name of a command at the start of the input."""

    def __init__(self, commands: Commands) -> None:
        self._commands = commands

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        """Commands whose name, or a word inside it, begins with what is typed."""
        del complete_event
        text = document.text_before_cursor
        if not text.startswith("/") or any(letter.isspace() for letter in text):
            return
        for name, about in self._commands():
            if matches(text[1:], name):
                yield Completion(name, 1 - len(text), display=f"/{name}", display_meta=about)


def matches(typed: str, name: str) -> bool:
    """Prefix of the name or of a word inside it; `:`, `_` and `-` do not count."""
    typed = _letters(typed)
    words = name.replace(":", " ").replace("_", " ").replace("-", " ").split()
    tails = ("".join(words[at:]) for at in range(len(words)))
    return any(tail.lower().startswith(typed) for tail in tails)


def _letters(text: str) -> str:
    return text.lower().replace(":", "").replace("_", "").replace("-", "")


class InputLine:
    """The buffer and the keys of the input; `typed_at` is when its text last changed."""

    def __init__(self, history: History, commands: Commands, actions: Actions) -> None:
        self.typed_at = 0.0
        self._actions = actions
        self.buffer = Buffer(
            name="input",
            multiline=True,
            history=history,
            completer=SlashCompleter(commands),
            complete_while_typing=Condition(lambda: self.buffer.text.startswith("/")),
            on_text_changed=lambda _: self._note_typing(),
        )
        self.keys = self._bound()

    def put_back(self, text: str) -> None:
        """Put text before what is typed already."""
        rest = self.buffer.text
        whole = f"{text}\n{rest}" if rest else text
        self.buffer.document = Document(whole, len(text))

    def _note_typing(self) -> None:
        self.typed_at = time.monotonic() if self.buffer.text else 0.0

    def _bound(self) -> KeyBindings:
        keys = KeyBindings()
        empty = Condition(lambda: not self.buffer.text)
        keys.add(Keys.Enter)(self._enter)
        keys.add(Keys.ControlJ)(self._newline)
        keys.add(Keys.Escape, Keys.Enter)(self._newline)
        keys.add(Keys.Up, filter=empty)(self._up)
        keys.add(Keys.Escape)(self._escape)
        keys.add(Keys.Escape, Keys.Escape)(self._clear)
        keys.add(Keys.ControlC)(self._cancel)
        keys.add(Keys.SIGINT)(self._cancel)
        keys.add(Keys.ControlD, filter=empty)(self._leave)
        keys.add(Keys.ControlZ)(self._suspend)
        keys.add(Keys.BackTab)(self._cycle)
        return keys

    def _enter(self, event: KeyPressEvent) -> None:
        buffer = self.buffer
        if buffer.document.char_before_cursor == "\\":
            buffer.delete_before_cursor()
            self._newline(event)
            return
        text = buffer.text
        if text.strip():
            buffer.append_to_history()
            buffer.reset()
            self.typed_at = 0.0
            self._actions.submit(text)

    def _newline(self, event: KeyPressEvent) -> None:
        del event
        self.buffer.insert_text("\n")

    def _up(self, event: KeyPressEvent) -> None:
        if not self._actions.take_back():
            self.buffer.auto_up(count=event.arg)

    def _escape(self, event: KeyPressEvent) -> None:
        del event
        if self.buffer.complete_state is not None:
            self.buffer.cancel_completion()
        else:
            self._actions.interrupt()

    def _clear(self, event: KeyPressEvent) -> None:
        """Esc twice clears the input; the text can be found in the history."""
        del event
        if self.buffer.text:
            self.buffer.append_to_history()
            self.buffer.reset()
        self._actions.interrupt()

    def _cancel(self, event: KeyPressEvent) -> None:
        del event
        if self._actions.cancel():
            self.buffer.reset()

    def _leave(self, event: KeyPressEvent) -> None:
        del event
        self._actions.leave()

    def _cycle(self, event: KeyPressEvent) -> None:
        del event
        self._actions.cycle_mode()

    @staticmethod
    def _suspend(event: KeyPressEvent) -> None:
        event.app.suspend_to_background()


class DialogActions(Protocol):
    """What keys ask for while a question is open."""

    def choose(self, key: str) -> None:
        """Answer with the choice of a key or number; an unknown one is ignored."""
        ...

    def cancel(self) -> None:
        """Answer with the choice that Esc stands for."""
        ...

    def accept(self) -> None:
        """Answer with the highlighted choice."""
        ...

    def move(self, step: int) -> None:
        """Highlight another choice."""
        ...


def dialog_keys(actions: DialogActions) -> KeyBindings:
    """The keys of an open question; every other key is ignored."""
    keys = KeyBindings()

    def mover(step: int) -> Callable[[KeyPressEvent], None]:
        def move(event: KeyPressEvent) -> None:
            del event
            actions.move(step)

        return move

    def cancel(event: KeyPressEvent) -> None:
        del event
        actions.cancel()

    for key in (Keys.Escape, Keys.ControlC, Keys.ControlD, Keys.SIGINT):
        keys.add(key)(cancel)
    for key, step in ((Keys.Up, -1), (Keys.Down, 1), (Keys.BackTab, -1), (Keys.Tab, 1)):
        keys.add(key)(mover(step))

    @keys.add(Keys.Enter)
    def _enter(event: KeyPressEvent) -> None:
        del event
        actions.accept()

    @keys.add(Keys.Any)
    def _letter(event: KeyPressEvent) -> None:
        actions.choose(event.data.lower())

    return keys
