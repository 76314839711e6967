"""The output styles that hames brings along."""

from hames.harness.prompt_files import prompt_text
from hames.settings.definitions import Style

BUILTIN_STYLES = ("Default", "Proactive", "Concise", "Explanatory", "Learning")


def builtin_styles() -> tuple[Style, ...]:
    """The styles hames brings along; `Default` adds nothing."""
    return tuple(_builtin(name) for name in BUILTIN_STYLES)


def _builtin(name: str) -> Style:
    text = "" if name == "Default" else prompt_text(f"style-{name.lower()}")
    return Style(name, "", text, "builtin", keeps_coding=True)
