"""Whether a sed script only selects and changes text: no commands run, no files touched."""

import re

_ADDRESS = re.compile(r"(?:[0-9]+(?:~[0-9]+)?|\$|\+[0-9]+|~[0-9]+)")
_FLAGS = re.compile(r"[0-9gpiImM]*")
_READING = "pdnN="
_EDITING = _READING + "DPgGhHx{}"
_TEXT = "aic"
_LABEL = re.compile(r"[:btT][ \t]*[A-Za-z0-9_]*")


class _Refused(Exception):
    """Something that is not known to be harmless."""


def harmless(script: str, *, editing: bool) -> bool:
    """Whether the script holds only harmless commands; editing allows more of them."""
    reader = _Script(script, editing=editing)
    try:
        reader.run()
    except _Refused:
        return False
    return True


class _Script:
    def __init__(self, text: str, *, editing: bool) -> None:
        self.text = text
        self.at = 0
        self.editing = editing

    def run(self) -> None:
        """Read every command. Raises _Refused."""
        while True:
            self._skip(" \t\n;")
            if self.at >= len(self.text):
                return
            self._addresses()
            self._command()

    def _skip(self, chars: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in chars:
            self.at += 1

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _addresses(self) -> None:
        if self._address():
            self._skip(" \t")
            if self._peek() == ",":
                self.at += 1
                self._skip(" \t")
                if not self._address():
                    raise _Refused
                self._skip(" \t")
        if self._peek() == "!":
            self.at += 1
            self._skip(" \t")

    def _address(self) -> bool:
        found = _ADDRESS.match(self.text, self.at)
        if found:
            self.at = found.end()
            return True
        char = self._peek()
        if char == "/":
            self._until("/", self.at + 1)
        elif char == "\\":
            self._until(self.text[self.at + 1 : self.at + 2], self.at + 2)
        else:
            return False
        self._skip("IM")
        return True

    def _until(self, end: str, start: int) -> None:
        """Go behind the next unescaped `end`."""
        if end in ("", "\\", "\n"):
            raise _Refused
        at = start
        while at < len(self.text) and self.text[at] != end:
            at += 2 if self.text[at] == "\\" else 1
        if at >= len(self.text):
            raise _Refused
        self.at = at + 1

    def _command(self) -> None:
        name = self._peek()
        if name in ("s", "y"):
            end = self.text[self.at + 1 : self.at + 2]
            self._until(end, self.at + 2)
            self._until(end, self.at)
            if name == "s":
                flags = _FLAGS.match(self.text, self.at)
                self.at = flags.end() if flags else self.at
        elif name == "q":
            self.at += 1
            self._skip(" \t0123456789")
        elif name and name in (_EDITING if self.editing else _READING):
            self.at += 1
        elif self.editing and name and name in _TEXT:
            self._text_block()
        elif self.editing and (label := _LABEL.match(self.text, self.at)):
            self.at = label.end()
        else:
            raise _Refused
        self._end(name)

    def _text_block(self) -> None:
        while self.at < len(self.text) and self.text[self.at] != "\n":
            self.at += 2 if self.text[self.at] == "\\" else 1

    def _end(self, name: str) -> None:
        self._skip(" \t")
        follows = self._peek()
        if follows in ("", ";", "\n") or name == "{":
            return
        if follows == "}" and self.editing:
            return
        raise _Refused
