"""The texts of `prompts/`, read once per process."""

from functools import cache
from pathlib import Path


@cache
def prompt_text(name: str) -> str:
    """`prompts/<name>.md` without surrounding white space."""
    # importlib.resources costs 10 ms on the way to the first request; a path does not.
    folder = Path(__file__).with_name("prompts")
    return (folder / f"{name}.md").read_text(encoding="utf-8").strip()


@cache
def prompt_section(name: str, heading: str) -> str:
    """The text below `## <heading>` of a prompt file. Raises KeyError when there is none."""
    for part in prompt_text(name).split("## "):
        title, _, text = part.partition("\n")
        if title.strip() == heading:
            return text.strip()
    raise KeyError(heading)
