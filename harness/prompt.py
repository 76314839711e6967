"""The system prompt and the project context, built once per conversation."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from hames.harness.environment import Environment, environment_section
from hames.harness.prompt_files import prompt_section, prompt_text
from hames.harness.reminders import escape_tags, memory_sections, one_line, reminder
from hames.settings.memory_files import MemoryFile

if TYPE_CHECKING:
    from hames.settings.definitions import Style


class PromptRequest(NamedTuple):
    """What the system prompt is made of.

    `kind`: `minimal` for `--bare` and an empty `--system-prompt`, `simple` for the short
    variant. `agent` is the prompt of the agent that the session runs as, in place of the core.
    `language` is what to answer in. `replacement` is the text of `--system-prompt`: it stands
    for everything but `append`. `git` is the snapshot block. With `moved` the dynamic sections
    are left out here and `moved_sections` belongs into the project context.
    """

    kind: Literal["full", "simple", "minimal"] = "full"
    environment: Environment | None = None
    memory_directory: Path | None = None
    style: "Style | None" = None
    git: str = ""
    git_instructions: bool = True
    language: str = ""
    agent: str = ""
    replacement: str | None = None
    append: str = ""
    moved: bool = False


def build_system(request: PromptRequest) -> list[str]:
    """Text blocks for `system`: static core, dynamic sections, git snapshot; none is empty.

    The first block is the same for every session of one version and style, so a cache mark
    belongs at its end.
    """
    if request.replacement:
        return _filled([request.replacement, request.append])
    style = request.style.text if request.style is not None else ""
    if request.moved:
        return _filled([_static(request), _joined([style, request.append])])
    dynamic = _joined([*_sections(request), style, request.append])
    return _filled([_static(request), dynamic, request.git])


def moved_sections(request: PromptRequest) -> str:
    """The dynamic sections that `moved` took out of the system prompt; empty without it."""
    if not request.moved or request.replacement:
        return ""
    return _joined([*_sections(request), request.git])


def project_context(files: Iterable[MemoryFile], date: str, moved: str = "") -> str:
    """The reminder of the first user message: instructions, memory index, ISO date.

    `moved` is `moved_sections`.
    """
    sections = memory_sections(files)
    head = prompt_section("reminders", "instructions") if sections else ""
    today = prompt_section("reminders", "date").format(date=date)
    return reminder(_joined([moved, head, sections, today]))


def _static(request: PromptRequest) -> str:
    if request.agent:
        return request.agent
    if request.kind != "full":
        return prompt_text("minimal")
    parts = [prompt_text("core")]
    if request.style is None or request.style.keeps_coding:
        parts.append(prompt_text("coding"))
    if request.git_instructions:
        parts.append(prompt_text("git"))
    return _joined(parts)


def _sections(request: PromptRequest) -> list[str]:
    sections: list[str] = []
    if request.language:
        sections.append(prompt_text("language").format(language=one_line(request.language)))
    if request.environment is not None:
        sections.append(environment_section(request.environment))
    if request.memory_directory is not None and request.kind != "minimal":
        directory = escape_tags(str(request.memory_directory))
        sections.append(prompt_text("memory").replace("{directory}", directory))
    return sections


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _filled(blocks: Iterable[str]) -> list[str]:
    """The API refuses empty text blocks."""
    return [block for block in blocks if block.strip()]
