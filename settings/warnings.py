"""What the loader has to tell: values, never prints."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

WarningKind = Literal["notice", "invalid", "untrusted", "locked"]
"""`notice`: accepted with a remark; `invalid`: one entry left out; `locked`: fails closed."""


@dataclass(frozen=True, slots=True)
class SettingsWarning:
    """One thing about one file; `key` is dotted, `line` 1-based when known.

    The text of an `untrusted` warning is a whole sentence that names its file.
    """

    kind: WarningKind
    text: str
    path: Path | None = None
    key: str = ""
    line: int | None = None

    def __str__(self) -> str:
        if self.kind == "untrusted":
            return self.text
        place = str(self.path) if self.path else "--settings"
        if self.line is not None:
            place += f":{self.line}"
        return f"{place}: {self.key}: {self.text}" if self.key else f"{place}: {self.text}"
