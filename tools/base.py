"""What a tool is: it declares, runs, and returns a result with effects; nothing else."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from hames.system.types import JsonObject
from hames.tools.context import ToolContext
from hames.tools.result import ToolError, ToolResult

__all__ = ["DEFAULT_TIMEOUT", "MAX_RESULT_CHARS", "Tool", "ToolError", "ToolResult"]

DEFAULT_TIMEOUT = 120.0
"""Seconds a call may run when the tool says nothing."""

MAX_RESULT_CHARS = 50_000
"""Longer results are spilled to a private file and a preview is kept."""


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

    def parse(self, given: JsonObject) -> I:
        """The validated input. Raises ToolError with one line for each wrong field."""
        try:
            return self.input_model.model_validate(given)
        except ValidationError as error:
            lines = [_field_problem(item) for item in error.errors(include_url=False)]
            raise ToolError(
                f"InputValidationError: {self.name} failed:\n" + "\n".join(lines)
            ) from error

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

    @staticmethod
    def wire_input(args: BaseModel) -> JsonObject:
        """The input as JSON, spelt as the model spelt it."""
        return args.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _field_problem(item: ErrorDetails) -> str:
    path = ".".join(str(part) for part in item["loc"]) or "input"
    match item["type"]:
        case "missing":
            return f"- the required field `{path}` is missing"
        case "extra_forbidden":
            return f"- there is no field `{path}`"
        case _:
            return f"- `{path}`: {item['msg']}"
