"""What a tool is: it declares, runs, and returns a result with effects; nothing else."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel

from hames.settings.permissions.subject import Subject, named_subjects
from hames.system.types import JsonObject
from hames.tools.context import ToolContext
from hames.tools.effects import Effect

DEFAULT_TIMEOUT = 120.0
"""Seconds a call may run when the tool says nothing."""

MAX_RESULT_CHARS = 50_000
"""Longer results are spilled to a private file and a preview is kept."""


class ToolError(Exception):
    """An expected failure; the text goes to the model with `is_error: true`.

    `structured` is the error as hooks and the transcript see it; None means the text itself.
    """


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call gave.

    `content` goes to the model: text, or content blocks (text, image, document).
    `structured` is the tool's public output object (`tool_response` of hooks,
    `toolUseResult` of transcripts). `failed` marks a result that ran and failed, such as a
    command with a non-zero exit: `is_error: true`, PostToolUseFailure instead of PostToolUse.
    `reminders` are appended after the results, e.g. a nested CLAUDE.md found by a Read.
    """

    content: str | list[JsonObject]
    structured: JsonObject | str
    effects: tuple[Effect, ...] = ()
    reminders: tuple[str, ...] = ()
    failed: bool = False


I = TypeVar("I", bound=BaseModel)  # noqa: E741 - the style guide writes Tool(ABC, Generic[I])


class Tool(ABC, Generic[I]):
    """One tool. Subclasses set the class variables and `run`; silence is the cautious answer."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    input_model: type[I]
    read_only: ClassVar[bool] = False
    deferred: ClassVar[bool] = False
    max_result_chars: ClassVar[int] = MAX_RESULT_CHARS

    @abstractmethod
    async def run(self, args: I, ctx: ToolContext) -> ToolResult:
        """Do the work. Raises ToolError for failures the model should hear of."""

    def subjects(self, args: I, cwd: Path) -> Sequence[Subject]:
        """What permission rules match; undeclared means the bare name, never nothing."""
        return named_subjects(self.name, self.wire_input(args), cwd)

    def parallel_safe(self, args: I) -> bool:
        """Whether the call may share its place in the message with its neighbours."""
        del args
        return self.read_only

    def lock_key(self, args: I) -> str | None:
        """Exclusion across agents while the call runs, e.g. `file:/abs/path`."""
        del args
        return None

    def timeout(self, args: I) -> float | None:
        """Seconds the call may take; None when the tool bounds itself."""
        del args
        return DEFAULT_TIMEOUT

    def summary(self, args: I) -> str:
        """One line for people: what this call does."""
        del args
        return self.name

    @classmethod
    def enabled(cls, env: Mapping[str, str]) -> bool:
        """Whether the tool exists in a session with this environment."""
        del env
        return True

    @staticmethod
    def wire_input(args: BaseModel) -> JsonObject:
        """The input as JSON, spelt as the model spelt it."""
        return args.model_dump(mode="json", by_alias=True, exclude_unset=True)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the registry knows it without importing its module (see catalog.json)."""

    name: str
    module: str
    cls: str
    description: str
    input_schema: JsonObject
    aliases: tuple[str, ...] = ()
    read_only: bool = False
    deferred: bool = False
